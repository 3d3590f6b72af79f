import { randomInt } from 'node:crypto';
import { clock } from '../lib/aws/clock.ts';
import { deadLetterCounts } from '../lib/aws/dead-letters.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { type HttpRequest, httpHandler, ok } from '../lib/aws/http.ts';
import { latestMatches } from '../lib/aws/latest-index.ts';
import { sqsClient } from '../lib/aws/message-queue.ts';
import { poolSample } from '../lib/aws/pool-sample.ts';
import * as aws from '../lib/aws/services.ts';
import type { Caller } from '../lib/contract/callers.ts';
import type { RouteKey } from '../lib/contract/routes.ts';
import type { CheckedDefinitions, Named } from '../lib/service/definitions/definition-kind.ts';
import { etagOf } from '../lib/service/definitions/etag.ts';
import { parsePut, putDefinition } from '../lib/service/definitions/put-definition.ts';
import { listVersions, restoreVersion } from '../lib/service/definitions/versions.ts';
import { changeOf, type DefinitionState } from '../lib/service/domain/stored-definition.ts';
import { listCooldowns } from '../lib/service/players/cooldown.ts';
import { getExperiment } from '../lib/service/queues/experiment-results.ts';
import { deleteExperiment, putExperiment } from '../lib/service/queues/experiments.ts';
import { getLatestMatches } from '../lib/service/queues/latest-matches.ts';
import { checkedQueues, deleteQueue, listQueues } from '../lib/service/queues/queue-definitions.ts';
import { openQueue, untilInForce } from '../lib/service/queues/read-queues.ts';
import { getStats } from '../lib/service/queues/stats.ts';
import { sampleWaiting } from '../lib/service/queues/waiting-sample.ts';
import {
  deleteLadder,
  getLadderOdds,
  ladderDefinitions,
  listLadders,
  openLadder,
} from '../lib/service/ratings/ladders.ts';

const client = documentClient();
const deps = {
  queues: aws.storedQueues(client),
  ladders: aws.ladders(client),
  ratings: aws.ratings(client),
  ranges: aws.ranges(client),
  latest: latestMatches(client, aws.tables()),
  pool: poolSample(client, aws.pools()),
  deliveryRecords: aws.deliveryRecords(client),
  receivers: aws.receivers(client),
  cooldowns: aws.cooldowns(client),
  outcomes: aws.outcomes(client),
  experiments: aws.experiments(client),
  failedShareMax: aws.failedShareMax(),
};

const countDeadLetters = deadLetterCounts(sqsClient(), environment('DEAD_LETTER_URLS'));

const rules = aws.deploymentRules();
const ladders = ladderDefinitions(deps.ladders);
const queues = checkedQueues(deps.queues, deps.ladders, rules);

export const handler = httpHandler('queues', {
  'GET /dead-letters': async () => ok(await countDeadLetters()),
  'GET /queues': async ({ query: { continuation } }) => ok(await listQueues(deps.queues, continuation)),
  'GET /queues/{queue}': async ({ path: { queue } }) => {
    const record = await openQueue(deps.queues, queue);
    const etag = etagOf({ ...record, change: changeOf(record) });
    return { status: 200, body: record.definition, headers: { etag } };
  },
  'PUT /queues/{queue}': async ({ path: { queue }, ...request }) => {
    const { outcome, response } = await put(queues, queue, request);
    if (outcome === 'changed') await untilInForce(clock);
    return response;
  },
  'DELETE /queues/{queue}': async ({ path: { queue }, headers }) => {
    await deleteQueue(deps.queues, queue, Date.now(), headers['if-match']);
    await untilInForce(clock);
    return { status: 204 };
  },
  'GET /ladders': async () => ok(await listLadders(deps.ladders)),
  'GET /ladders/{ladder}': async ({ path: { ladder } }) => {
    const record = await openLadder(deps.ladders, ladder);
    return { status: 200, body: record.definition, headers: { etag: etagOf(record) } };
  },
  'PUT /ladders/{ladder}': async ({ path: { ladder }, ...request }) => {
    const { response } = await put(ladders, ladder, request);
    return response;
  },
  'DELETE /ladders/{ladder}': async ({ path: { ladder }, headers }) => {
    await deleteLadder(deps, ladder, headers['if-match']);
    return { status: 204 };
  },
  'GET /ladders/{ladder}/odds': async ({ path: { ladder } }) => ok(await getLadderOdds(deps, ladder)),
  'GET /queues/{queue}/stats': async ({ path: { queue } }) => ok(await getStats(deps, queue, Date.now())),
  'GET /queues/{queue}/matches': async ({ path: { queue }, query: { limit } }) =>
    ok({ matches: [...(await getLatestMatches(deps, queue, limit))] }),
  'GET /queues/{queue}/waiting': async ({ path: { queue }, query: { limit } }) =>
    ok(await sampleWaiting(deps, queue, Date.now(), limit)),
  'GET /queues/{queue}/cooldowns': async ({ path: { queue }, query: { limit } }) =>
    ok({ cooldowns: await listCooldowns(deps, queue, Date.now(), limit) }),
  'GET /queues/{queue}/versions': async ({ path: { queue } }) =>
    ok({ versions: await listVersions(queues, queue) }),
  'GET /ladders/{ladder}/versions': async ({ path: { ladder } }) =>
    ok({ versions: await listVersions(ladders, ladder) }),
  'GET /queues/{queue}/experiment': async ({ path: { queue } }) =>
    ok(await getExperiment(deps, queue, Date.now())),
  'PUT /queues/{queue}/experiment': async ({ path: { queue }, json }) => {
    const outcome = await putExperiment(deps.queues, queue, json(), () => randomInt(2 ** 32), Date.now());
    const body = await getExperiment(deps, queue, Date.now());
    return { status: outcome === 'begun' ? 201 : 200, body };
  },
  'DELETE /queues/{queue}/experiment': async ({ path: { queue } }) => {
    await deleteExperiment(deps.queues, queue, Date.now());
    await untilInForce(clock);
    return { status: 204 };
  },
  'POST /queues/{queue}/versions/{version}/restore': async ({ path: { queue, version }, caller }) => {
    const { isChanged, inForce } = await restoreVersion(queues, queue, version, Date.now(), byOf(caller));
    if (isChanged) await untilInForce(clock);
    return ok(inForce);
  },
  'POST /ladders/{ladder}/versions/{version}/restore': async ({ path: { ladder, version }, caller }) => {
    const { inForce } = await restoreVersion(ladders, ladder, version, Date.now(), byOf(caller));
    return ok(inForce);
  },
});

/** Puts the definition in the body of a request. */
async function put<Definition extends Named, State extends DefinitionState>(
  definitions: CheckedDefinitions<Definition, State>,
  name: string,
  { json, caller, headers }: Pick<HttpRequest<RouteKey>, 'json' | 'caller' | 'headers'>,
) {
  const { outcome, definition, etag } = await putDefinition(
    definitions,
    await parsePut(definitions, name, json()),
    Date.now(),
    byOf(caller),
    headers['if-match'],
  );
  return {
    outcome,
    response: { status: outcome === 'created' ? 201 : 200, body: definition, headers: { etag } },
  };
}

/** The author of a change, for the versions of a definition. */
function byOf(caller: Caller): { readonly by?: string } {
  return 'name' in caller && caller.name !== undefined ? { by: caller.name } : {};
}
