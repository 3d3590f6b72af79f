import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { refusalOf } from '../contract/outbound-url.ts';
import { parseSecretGrants } from '../contract/secret-grants.ts';
import * as buckets from '../service/domain/bucket-limits.ts';
import { cachedReceivers } from '../service/events/receivers.ts';
import type { DeploymentRules } from '../service/queues/deployment-rules.ts';
import { cachedQueues } from '../service/queues/read-queues.ts';
import { backfillStore } from './backfill-store.ts';
import { clock } from './clock.ts';
import { connectionStore } from './connection-store.ts';
import { cooldownStore } from './cooldown-store.ts';
import { deliveryStore } from './delivery-store.ts';
import { environment, optionalEnvironment, privateAddressesAllowed } from './environment.ts';
import { erasedPlayers } from './erased-players.ts';
import { experimentStore } from './experiment-store.ts';
import { ladderStore } from './ladder-store.ts';
import { singleMatchStore } from './match-store.ts';
import * as messages from './message-queue.ts';
import * as calls from './outbound.ts';
import { outcomeStore } from './outcome-store.ts';
import type { ParsedTickets } from './parsed-tickets.ts';
import * as players from './player-tokens.ts';
import { presenceStore } from './presence-store.ts';
import { queueStore } from './queue-store.ts';
import { rangeStore } from './range-store.ts';
import { ratingStore } from './rating-store.ts';
import { receiverStore } from './receiver-store.ts';
import { REQUEST_TIMEOUTS } from './request-timeouts.ts';
import { secretsManager } from './secrets.ts';
import { sockets as connectedSockets } from './sockets.ts';
import { ticketReads, ticketStore } from './ticket-store.ts';

/*
 * What several functions use of AWS, made from the variables that the template sets for them. A bundle has only what its function
 * names, and reads only the variables of that.
 */

type Client = DynamoDBDocumentClient;

export const tickets = (client: Client, parsed?: ParsedTickets) => ticketStore(client, pools(), parsed);
/** Tickets for a function that only reads them by their ids. */
export const readTickets = (client: Client) => ticketReads(client, environment('TICKETS_TABLE'));
/** The names of the tables with the items of pools. */
export const pools = () => ({
  tickets: environment('TICKETS_TABLE'),
  entries: environment('ENTRIES_TABLE'),
});
export const matches = (client: Client) => singleMatchStore(client, environment('MATCHES_TABLE'));
/** The names of the tables that contain matches and data of players. */
export const tables = () => ({
  tickets: environment('TICKETS_TABLE'),
  matches: environment('MATCHES_TABLE'),
  ranges: environment('RANGES_TABLE'),
  ratings: environment('RATINGS_TABLE'),
});
export const backfills = (client: Client) => backfillStore(client, tables());

/** Queues without a cache. */
export const storedQueues = (client: Client) => queueStore(client, environment('QUEUES_TABLE'));
export const queues = (client: Client) => cachedQueues(storedQueues(client), clock);
export const ladders = (client: Client) => ladderStore(client, environment('QUEUES_TABLE'));
export const ratings = (client: Client) =>
  ratingStore(client, { ratings: environment('RATINGS_TABLE'), matches: environment('MATCHES_TABLE') });
export const deploymentRules = (): DeploymentRules => ({
  refuseUrl: privateAddressesAllowed() ? () => undefined : refusalOf,
  secretGrants: parseSecretGrants(environment('SECRET_GRANTS')),
  push: environment('PUSH') === 'true',
  functions: optionalEnvironment('CUSTOM_FUNCTIONS')?.split(','),
  gameSessionQueues: z.array(z.string()).parse(JSON.parse(environment('GAME_SESSION_QUEUES'))),
});

export const ranges = (client: Client) => rangeStore(client, environment('RANGES_TABLE'));
export const outcomes = (client: Client) => outcomeStore(client, environment('RANGES_TABLE'));
export const experiments = (client: Client) => experimentStore(client, environment('RANGES_TABLE'));
export const cooldowns = (client: Client) => cooldownStore(client, environment('RANGES_TABLE'));
export const presence = (client: Client) => presenceStore(client, environment('RANGES_TABLE'));
export const bucketLimits = () => buckets.bucketLimits(Number(environment('BUCKET_CAPACITY')));
export const failedShareMax = () => Number(environment('FAILED_SHARE'));

export const receivers = (client: Client) => receiverStore(client, environment('RECEIVERS_TABLE'));
/** Webhook receivers with a cache; see `cachedReceivers`. */
export const receiversWithCache = (client: Client) => cachedReceivers(receivers(client), Date.now);
export const deliveryRecords = (client: Client) => deliveryStore(client, environment('RECEIVERS_TABLE'));
export const erased = (client: Client) => erasedPlayers(client, environment('RECEIVERS_TABLE'));
export const outbound = () => calls.outbound({ privateAllowed: privateAddressesAllowed() });
export const secrets = () =>
  secretsManager(
    new SecretsManagerClient({ requestHandler: REQUEST_TIMEOUTS }),
    environment('SECRETS_PREFIX'),
    parseSecretGrants(environment('SECRET_GRANTS')),
  );

export const ticks = (sqs: SQSClient) => messages.tickSender(sqs, environment('TICK_QUEUE_URL'));
export const timer = (sqs: SQSClient) => messages.deadlineTimer(sqs, environment('DEADLINE_QUEUE_URL'));
export const pushRetries = (sqs: SQSClient) => messages.pushRetries(sqs, environment('PUSH_RETRIES_URL'));
export const connections = (client: Client) => connectionStore(client, environment('CONNECTIONS_TABLE'));
export const sockets = () => connectedSockets(environment('SOCKETS_URL'));
/** @param tries overrides the tries of a request */
export const playerTokens = (tries: { readonly maxAttempts?: number } = {}) =>
  players.playerTokens(
    new SecretsManagerClient({ requestHandler: REQUEST_TIMEOUTS, ...tries }),
    players.playerKeys.parse(JSON.parse(environment('PLAYER_KEYS'))),
  );
