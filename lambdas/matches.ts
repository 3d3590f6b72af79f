import { documentClient } from '../lib/aws/dynamo.ts';
import { httpHandler, ok } from '../lib/aws/http.ts';
import * as aws from '../lib/aws/services.ts';
import { cancelBackfill, getBackfill, requestBackfill } from '../lib/service/backfills/request-backfill.ts';
import { toBackfillView } from '../lib/service/domain/stored-backfill.ts';
import { toMatchView } from '../lib/service/domain/stored-match.ts';
import { assignMatch, getMatch } from '../lib/service/placement/assign-match.ts';
import { endMatch } from '../lib/service/placement/end-match.ts';
import { matchFor } from '../lib/service/players/own-match.ts';
import { postResult } from '../lib/service/ratings/post-result.ts';

const client = documentClient();
const deps = {
  matches: aws.matches(client),
  backfills: aws.backfills(client),
  cooldowns: aws.cooldowns(client),
  outcomes: aws.outcomes(client),
  ladders: aws.ladders(client),
  ratings: aws.ratings(client),
  queues: aws.queues(client),
};

export const handler = httpHandler('matches', {
  'GET /matches/{matchId}': async ({ path: { matchId }, caller }) =>
    ok(await matchFor(deps, caller, toMatchView(await getMatch(deps, matchId)))),
  'PUT /matches/{matchId}/assignment': async ({ path: { matchId }, json }) =>
    ok(toMatchView(await assignMatch(deps, matchId, json()))),
  'POST /matches/{matchId}/end': async ({ path: { matchId }, json }) =>
    ok(toMatchView(await endMatch(deps, matchId, json(), Date.now()))),
  'POST /matches/{matchId}/result': async ({ path: { matchId }, json }) =>
    ok(toMatchView(await postResult(deps, matchId, json(), Date.now()))),
  'POST /matches/{matchId}/backfill': async ({ path: { matchId }, json }) => {
    const { created, backfill } = await requestBackfill(deps, matchId, json(), Date.now());
    return { status: created ? 201 : 200, body: toBackfillView(backfill) };
  },
  'GET /backfills/{backfillId}': async ({ path: { backfillId } }) =>
    ok(toBackfillView(await getBackfill(deps, backfillId, Date.now()))),
  'DELETE /backfills/{backfillId}': async ({ path: { backfillId } }) =>
    ok(toBackfillView(await cancelBackfill(deps, backfillId, Date.now()))),
});
