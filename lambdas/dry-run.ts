import * as z from 'zod';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { httpHandler } from '../lib/aws/http.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { parseWith } from '../lib/contract/problem.ts';
import { queueName } from '../lib/contract/queue-definition.ts';
import { openQueue } from '../lib/service/queues/queues.ts';
import { dryRun } from '../lib/service/ticks/offline.ts';

const queues = queueStore(documentClient(), environment('QUEUES_TABLE'));

/**
 * The time limit of a search, in milliseconds. The search asks it within its loops and ends some tenths of a second later at
 * most; the function's timeout is 29 s.
 */
const SEARCH_MS = 3_000;

const queuePath = z.object({ queue: queueName });

export const handler = httpHandler({
  'POST /queues/{queue}/dry-run': async ({ path, json }) => {
    const { queue } = parseWith(queuePath, path, 'The path');
    const { definition } = await openQueue(queues, queue);
    const endMs = performance.now() + SEARCH_MS;
    return { status: 200, body: dryRun(definition, json(), () => performance.now() >= endMs) };
  },
});
