import { randomUUID } from 'node:crypto';
import { backfillStore } from '../lib/aws/backfill-store.ts';
import { clock } from '../lib/aws/clock.ts';
import { cooldownStore } from '../lib/aws/cooldown-store.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { erasedPlayers } from '../lib/aws/erased-players.ts';
import { httpHandler } from '../lib/aws/http.ts';
import { ladderStore } from '../lib/aws/ladder-store.ts';
import { logger } from '../lib/aws/log.ts';
import { singleMatchStore } from '../lib/aws/match-store.ts';
import { playerDataStore } from '../lib/aws/player-data-store.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { ratingStore } from '../lib/aws/rating-store.ts';
import { ticketStore } from '../lib/aws/ticket-store.ts';
import { endCooldown, getCooldown } from '../lib/service/players/cooldown.ts';
import { erasePlayer } from '../lib/service/players/erase-player.ts';
import { exportPlayer } from '../lib/service/players/export-player.ts';
import { cachedQueues } from '../lib/service/queues/read-queues.ts';
import { deleteRating, getRatings, putRating } from '../lib/service/ratings/player-ratings.ts';

const client = documentClient();
const tables = {
  tickets: environment('TICKETS_TABLE'),
  matches: environment('MATCHES_TABLE'),
  ranges: environment('RANGES_TABLE'),
  ratings: environment('RATINGS_TABLE'),
};
const deps = {
  data: playerDataStore(client, tables),
  tickets: ticketStore(client, tables.tickets),
  matches: singleMatchStore(client, tables.matches),
  backfills: backfillStore(client, tables),
  erased: erasedPlayers(client, environment('RECEIVERS_TABLE')),
  queues: cachedQueues(queueStore(client, environment('QUEUES_TABLE')), clock),
  cooldowns: cooldownStore(client, tables.ranges),
  ladders: ladderStore(client, environment('QUEUES_TABLE')),
  ratings: ratingStore(client, tables),
  clock,
  pseudonym: randomUUID,
  log: logger,
};

export const handler = httpHandler('players', {
  'GET /players/{playerId}': async ({ path: { playerId }, query: { continuation } }) => {
    return { status: 200, body: await exportPlayer(deps, playerId, continuation) };
  },
  'DELETE /players/{playerId}': async ({ path: { playerId }, query: { continuation } }) => {
    const erasure = await erasePlayer(deps, playerId, continuation);
    return { status: erasure.isErased ? 200 : 202, body: erasure };
  },
  'GET /ladders/{ladder}/players': async ({ path: { ladder }, query: { playerIds } }) => {
    return { status: 200, body: { ratings: await getRatings(deps, ladder, playerIds) } };
  },
  'GET /ladders/{ladder}/players/{playerId}': async ({ path: { ladder, playerId } }) => {
    const [rating] = await getRatings(deps, ladder, [playerId]);
    return { status: 200, body: rating! };
  },
  'PUT /ladders/{ladder}/players/{playerId}': async ({ path: { ladder, playerId }, json }) => {
    return { status: 200, body: await putRating(deps, ladder, playerId, json(), Date.now()) };
  },
  'DELETE /ladders/{ladder}/players/{playerId}': async ({ path: { ladder, playerId } }) => {
    await deleteRating(deps, ladder, playerId);
    return { status: 204 };
  },
  'GET /queues/{queue}/players/{playerId}/cooldown': async ({ path: { queue, playerId } }) => {
    return { status: 200, body: await getCooldown(deps, queue, playerId, Date.now()) };
  },
  'DELETE /queues/{queue}/players/{playerId}/cooldown': async ({ path: { queue, playerId } }) => {
    await endCooldown(deps, queue, playerId, Date.now());
    return { status: 204 };
  },
});
