import { randomUUID } from 'node:crypto';
import { clock } from '../lib/aws/clock.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { httpHandler, ok } from '../lib/aws/http.ts';
import { logger } from '../lib/aws/log.ts';
import { playerDataStore } from '../lib/aws/player-data-store.ts';
import * as aws from '../lib/aws/services.ts';
import { endCooldown, getCooldown } from '../lib/service/players/cooldown.ts';
import { erasePlayer } from '../lib/service/players/erase-player.ts';
import { exportPlayer } from '../lib/service/players/export-player.ts';
import { deleteRating, getRatings, putRating } from '../lib/service/ratings/player-ratings.ts';

const client = documentClient();
const deps = {
  data: playerDataStore(client, aws.tables()),
  tickets: aws.tickets(client),
  matches: aws.matches(client),
  backfills: aws.backfills(client),
  erased: aws.erased(client),
  queues: aws.queues(client),
  cooldowns: aws.cooldowns(client),
  ladders: aws.ladders(client),
  ratings: aws.ratings(client),
  clock,
  pseudonym: randomUUID,
  log: logger,
};

export const handler = httpHandler('players', {
  'GET /players/{playerId}': async ({ path: { playerId }, query: { continuation } }) =>
    ok(await exportPlayer(deps, playerId, continuation)),
  'DELETE /players/{playerId}': async ({ path: { playerId }, query: { continuation } }) => {
    const erasure = await erasePlayer(deps, playerId, continuation);
    return { status: erasure.isErased ? 200 : 202, body: erasure };
  },
  'GET /ladders/{ladder}/players': async ({ path: { ladder }, query: { playerIds } }) =>
    ok({ ratings: await getRatings(deps, ladder, playerIds) }),
  'GET /ladders/{ladder}/players/{playerId}': async ({ path: { ladder, playerId } }) => {
    const [rating] = await getRatings(deps, ladder, [playerId]);
    return ok(rating!);
  },
  'PUT /ladders/{ladder}/players/{playerId}': async ({ path: { ladder, playerId }, json }) =>
    ok(await putRating(deps, ladder, playerId, json(), Date.now())),
  'DELETE /ladders/{ladder}/players/{playerId}': async ({ path: { ladder, playerId } }) => {
    await deleteRating(deps, ladder, playerId);
    return { status: 204 };
  },
  'GET /queues/{queue}/players/{playerId}/cooldown': async ({ path: { queue, playerId } }) =>
    ok(await getCooldown(deps, queue, playerId, Date.now())),
  'DELETE /queues/{queue}/players/{playerId}/cooldown': async ({ path: { queue, playerId } }) => {
    await endCooldown(deps, queue, playerId, Date.now());
    return { status: 204 };
  },
});
