import { backfillStore } from '../lib/aws/backfill-store.ts';
import { clock } from '../lib/aws/clock.ts';
import { cooldownStore } from '../lib/aws/cooldown-store.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { httpHandler } from '../lib/aws/http.ts';
import { ladderStore } from '../lib/aws/ladder-store.ts';
import { singleMatchStore } from '../lib/aws/match-store.ts';
import { outcomeStore } from '../lib/aws/outcome-store.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { ratingStore } from '../lib/aws/rating-store.ts';
import { cancelBackfill, getBackfill, requestBackfill } from '../lib/service/backfills/request-backfill.ts';
import { toBackfillView } from '../lib/service/domain/stored-backfill.ts';
import { toMatchView } from '../lib/service/domain/stored-match.ts';
import { assignMatch, getMatch } from '../lib/service/placement/assign-match.ts';
import { endMatch } from '../lib/service/placement/end-match.ts';
import { matchFor } from '../lib/service/players/own-match.ts';
import { cachedQueues } from '../lib/service/queues/read-queues.ts';
import { postResult } from '../lib/service/ratings/post-result.ts';

const client = documentClient();
const tables = { tickets: environment('TICKETS_TABLE'), matches: environment('MATCHES_TABLE') };
const deps = {
  matches: singleMatchStore(client, tables.matches),
  backfills: backfillStore(client, tables),
  cooldowns: cooldownStore(client, environment('RANGES_TABLE')),
  outcomes: outcomeStore(client, environment('RANGES_TABLE')),
  ladders: ladderStore(client, environment('QUEUES_TABLE')),
  ratings: ratingStore(client, { ...tables, ratings: environment('RATINGS_TABLE') }),
  queues: cachedQueues(queueStore(client, environment('QUEUES_TABLE')), clock),
};

export const handler = httpHandler('matches', {
  'GET /matches/{matchId}': async ({ path: { matchId }, caller }) => {
    return { status: 200, body: await matchFor(deps, caller, toMatchView(await getMatch(deps, matchId))) };
  },
  'PUT /matches/{matchId}/assignment': async ({ path: { matchId }, json }) => {
    return { status: 200, body: toMatchView(await assignMatch(deps, matchId, json())) };
  },
  'POST /matches/{matchId}/end': async ({ path: { matchId }, json }) => {
    return { status: 200, body: toMatchView(await endMatch(deps, matchId, json(), Date.now())) };
  },
  'POST /matches/{matchId}/result': async ({ path: { matchId }, json }) => {
    return { status: 200, body: toMatchView(await postResult(deps, matchId, json(), Date.now())) };
  },
  'POST /matches/{matchId}/backfill': async ({ path: { matchId }, json }) => {
    const { created, backfill } = await requestBackfill(deps, matchId, json(), Date.now());
    return { status: created ? 201 : 200, body: toBackfillView(backfill) };
  },
  'GET /backfills/{backfillId}': async ({ path: { backfillId } }) => {
    return { status: 200, body: toBackfillView(await getBackfill(deps, backfillId, Date.now())) };
  },
  'DELETE /backfills/{backfillId}': async ({ path: { backfillId } }) => {
    return { status: 200, body: toBackfillView(await cancelBackfill(deps, backfillId, Date.now())) };
  },
});
