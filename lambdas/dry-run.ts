import { useDeployedCode } from '../lib/aws/custom-code.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { httpHandler, ok } from '../lib/aws/http.ts';
import * as aws from '../lib/aws/services.ts';
import { openQueue } from '../lib/service/queues/read-queues.ts';
import { dryRun, OFFLINE_SEARCH_MS } from '../lib/service/ticks/offline.ts';

useDeployedCode(import.meta.url);
const queues = aws.storedQueues(documentClient());

export const handler = httpHandler('dry-run', {
  'POST /queues/{queue}/dry-run': async ({ path: { queue }, json }) => {
    const { definition } = await openQueue(queues, queue);
    // The function's timeout is 29 s.
    const endMs = performance.now() + OFFLINE_SEARCH_MS;
    return ok(dryRun(definition, json(), () => performance.now() >= endMs));
  },
});
