import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { httpHandler } from '../lib/aws/http.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { openQueue } from '../lib/service/queues/queues.ts';
import { dryRun } from '../lib/service/ticks/offline.ts';

const queues = queueStore(documentClient(), environment('QUEUES_TABLE'));

/**
 * The time limit of a search, in milliseconds. The search asks it within its loops and ends some tenths of a second later at
 * most; the function's timeout is 29 s.
 */
const SEARCH_MS = 3_000;

export const handler = httpHandler('dry-run', {
  'POST /queues/{queue}/dry-run': async ({ path: { queue }, json }) => {
    const { definition } = await openQueue(queues, queue);
    const endMs = performance.now() + SEARCH_MS;
    return { status: 200, body: dryRun(definition, json(), () => performance.now() >= endMs) };
  },
});
