import * as z from 'zod';
import { clock } from '../lib/aws/clock.ts';
import { deploymentRules } from '../lib/aws/deployment-rules.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { httpHandler } from '../lib/aws/http.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { rangeStore } from '../lib/aws/range-store.ts';
import { parseWith } from '../lib/contract/problem.ts';
import { queueName } from '../lib/contract/queue-definition.ts';
import { untilInForce } from '../lib/service/queues/definition-age.ts';
import { deleteQueue, listQueues, openQueue, parsePutQueue, putQueue } from '../lib/service/queues/queues.ts';
import { getStats } from '../lib/service/queues/stats.ts';

const client = documentClient();
const deps = {
  queues: queueStore(client, environment('QUEUES_TABLE')),
  ranges: rangeStore(client, environment('RANGES_TABLE')),
};

const queuePath = z.object({ queue: queueName });
const rules = deploymentRules(environment('SECRET_GRANTS'), environment('GAME_SESSION_QUEUES'));

export const handler = httpHandler({
  'GET /queues': async () => ({ status: 200, body: { queues: await listQueues(deps.queues) } }),
  'GET /queues/{queue}': async ({ path }) => {
    const { queue } = parseWith(queuePath, path, 'The path');
    return { status: 200, body: (await openQueue(deps.queues, queue)).definition };
  },
  'PUT /queues/{queue}': async ({ path, json }) => {
    const { queue } = parseWith(queuePath, path, 'The path');
    const put = parsePutQueue(queue, json(), rules);
    const { outcome, definition } = await putQueue(deps.queues, put, Date.now());
    if (outcome === 'changed') await untilInForce(clock);
    return { status: outcome === 'created' ? 201 : 200, body: definition };
  },
  'DELETE /queues/{queue}': async ({ path }) => {
    const { queue } = parseWith(queuePath, path, 'The path');
    await deleteQueue(deps.queues, queue, Date.now());
    await untilInForce(clock);
    return { status: 204 };
  },
  'GET /queues/{queue}/stats': async ({ path }) => {
    const { queue } = parseWith(queuePath, path, 'The path');
    return { status: 200, body: await getStats(deps, queue) };
  },
});
