import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { httpHandler } from '../lib/aws/http.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { dryRun } from '../lib/service/offline.ts';
import { openQueue } from '../lib/service/queues.ts';

const queues = queueStore(documentClient(), environment('QUEUES_TABLE'));

export const handler = httpHandler({
  'POST /queues/{queue}/dry-run': async ({ path, json }) => {
    const { definition } = await openQueue(queues, path.queue!);
    return { status: 200, body: dryRun(definition, json()) };
  },
});
