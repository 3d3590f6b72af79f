import * as z from 'zod';
import { acceptanceBody } from './acceptance.ts';
import { backfillView, matchEnd, newBackfill } from './backfill.ts';
import type { Scope } from './callers.ts';
import { cooldownsQuery, playerCooldown, playerCooldowns } from './cooldown.ts';
import { deadLetters } from './dead-letters.ts';
import { ladderVersion, ladderVersions, queueVersion, queueVersions } from './definition-versions.ts';
import { dryRunBody } from './dry-run.ts';
import { experimentDefinition } from './experiment.ts';
import { experimentView } from './experiment-view.ts';
import { ladderDefinition } from './ladder.ts';
import { ladderList, ladderOdds } from './ladder-views.ts';
import { wholeIn, wholeNumber } from './limit.ts';
import { assignment, matchResult, matchView } from './match.ts';
import { continuationQuery, playerData, playerErasure } from './player-data.ts';
import { queueDefinition, queueName } from './queue-definition.ts';
import { queueStats } from './queue-stats.ts';
import {
  latestMatches,
  latestQuery,
  queueList,
  queueListQuery,
  waitingQuery,
  waitingSample,
} from './queue-views.ts';
import { newRating, playerIdsQuery, ratingList, ratingView } from './rating.ts';
import { newResult } from './result.ts';
import { id, newTicket, ticketQuery, ticketView } from './ticket.ts';
import { ticketBatchBody, ticketBatchResult, ticketIdsQuery, ticketList } from './ticket-batch.ts';
import { webhookTests } from './webhook-test.ts';

/** A route of the API. */
export interface RouteDefinition {
  /** Its name in the OpenAPI document and in the client. */
  readonly id: string;
  /** What it does, in a few words: an imperative. */
  readonly summary: string;
  /** Further information for callers: the effect of a repetition, and the content of the response. */
  readonly description: string;
  /** The function that serves it: `lambdas/NAME.ts`. */
  readonly function: string;
  /** Who may call it; empty when it is open to any caller. */
  readonly scopes: readonly Scope[];
  /** Why it is open to any caller. */
  readonly openBecause?: string;
  readonly query?: z.ZodObject;
  /** Headers of the request that the route reads. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The bodies of the responses to requests that succeed, by status; undefined: without a body. */
  readonly answers: Readonly<Record<number, z.ZodType | undefined>>;
  /** Whether these responses have the ETag of a definition. */
  readonly hasEtag?: boolean;
  /** Whether a request succeeds although nothing that its path names exists. @default false: its problems include 404 */
  readonly isNeverMissing?: boolean;
  /** The statuses of problems, in addition to those of every request of this kind. */
  readonly problems?: readonly number[];
}

/** The headers by which a request changes only the version that its caller has read. */
const ifMatch = z.object({
  'if-match': z.string().optional().meta({
    description:
      'The ETag of the definition that may be replaced or closed, or * for any. Without it, any may be',
  }),
});

/** The parameters in the paths of routes. */
export const PARAMETERS = {
  queue: queueName,
  ladder: queueName,
  ticketId: id,
  matchId: id,
  backfillId: id,
  playerId: id,
  version: wholeNumber(wholeIn(1, Number.MAX_SAFE_INTEGER)).meta({
    description: 'The number of the version to restore',
  }),
};

/**
 * Every route of the API. The template with its rights, the functions, the OpenAPI document, the client and the lists of rights
 * in docs/deploy.md follow from this table.
 *
 * In an IAM permission a path parameter is a `*`, which also matches slashes. So a caller that may GET
 * `/queues/{queue}` may GET its statistics as well, and an admin has both.
 */
export const ROUTES = {
  'GET /queues': {
    id: 'listQueues',
    summary: 'List queues',
    description:
      'All queues. When they do not fit into one response it has a `continuation`; repeat the request with it.',
    function: 'queues',
    scopes: ['admin'],
    query: queueListQuery,
    answers: { 200: queueList },
  },
  'GET /queues/{queue}': {
    id: 'getQueue',
    summary: 'Get a queue definition',
    description: 'The definition in force. Its ETag is the version that `If-Match` takes.',
    function: 'queues',
    scopes: ['admin'],
    answers: { 200: queueDefinition },
    hasEtag: true,
  },
  'PUT /queues/{queue}': {
    id: 'putQueue',
    summary: 'Create or change a queue',
    description:
      'Waiting tickets are searched by the new definition from the next tick on. A definition that is in force already is not stored again.',
    function: 'queues',
    scopes: ['admin'],
    headers: ifMatch,
    body: queueDefinition,
    isNeverMissing: true,
    answers: { 200: queueDefinition, 201: queueDefinition },
    hasEtag: true,
    problems: [409, 412],
  },
  'DELETE /queues/{queue}': {
    id: 'deleteQueue',
    summary: 'Close a queue',
    description:
      'A closed queue accepts no new tickets; waiting tickets can still be matched. PUT opens it again. A queue that is closed stays closed.',
    function: 'queues',
    scopes: ['admin'],
    headers: ifMatch,
    answers: { 204: undefined },
    problems: [412],
  },
  'POST /queues/{queue}/tickets': {
    id: 'createTicket',
    summary: 'Create a ticket',
    description:
      'Enqueues one player or a party. The `ticketId` is yours, so a repeated request gives 200 with the current ticket, and 409 if it names other players.',
    function: 'enqueue',
    scopes: ['backend'],
    body: newTicket,
    answers: { 200: ticketView, 201: ticketView },
    problems: [409, 429],
  },
  'POST /queues/{queue}/ticket-batches': {
    id: 'createTickets',
    summary: 'Create up to 50 tickets',
    description:
      'Each ticket gets the result that it would get alone, with its status and its ticket or problem.',
    function: 'enqueue',
    scopes: ['backend'],
    body: ticketBatchBody,
    answers: { 200: ticketBatchResult },
  },
  'GET /queues/{queue}/stats': {
    id: 'getQueueStats',
    summary: 'Get the statistics of a queue',
    description: 'Arrivals, waiting tickets, recent matches and ends, and current faults.',
    function: 'queues',
    scopes: ['backend', 'admin'],
    answers: { 200: queueStats },
  },
  'GET /queues/{queue}/matches': {
    id: 'getLatestMatches',
    summary: 'List the latest matches of a queue',
    description: 'The newest first.',
    function: 'queues',
    scopes: ['backend', 'admin'],
    query: latestQuery,
    answers: { 200: latestMatches },
  },
  'GET /queues/{queue}/waiting': {
    id: 'getWaiting',
    summary: 'Sample the waiting tickets of a queue',
    description: 'In order of skill, without names and ids.',
    function: 'queues',
    scopes: ['backend', 'admin'],
    query: waitingQuery,
    answers: { 200: waitingSample },
  },
  'GET /queues/{queue}/cooldowns': {
    id: 'getCooldowns',
    summary: 'List the players who are cooling down',
    description: 'Those with the latest offence first.',
    function: 'queues',
    scopes: ['backend', 'admin'],
    query: cooldownsQuery,
    answers: { 200: playerCooldowns },
  },
  'GET /queues/{queue}/players/{playerId}/cooldown': {
    id: 'getCooldown',
    summary: 'Get the cooldown of a player',
    description:
      'Until when the player gets no ticket in the queue, and why. A player without offences has none.',
    function: 'players',
    scopes: ['backend', 'admin'],
    answers: { 200: playerCooldown },
  },
  'DELETE /queues/{queue}/players/{playerId}/cooldown': {
    id: 'endCooldown',
    summary: 'Forgive a player',
    description: 'Offences of the player in the queue up to now no longer count.',
    function: 'players',
    scopes: ['backend', 'admin'],
    answers: { 204: undefined },
  },
  'GET /queues/{queue}/versions': {
    id: 'getVersions',
    summary: 'List the versions of a queue',
    description: 'The last 50, the newest first, with who put them and when.',
    function: 'queues',
    scopes: ['admin'],
    answers: { 200: queueVersions },
  },
  'POST /queues/{queue}/versions/{version}/restore': {
    id: 'restoreVersion',
    summary: 'Restore a version of a queue',
    description:
      'Puts the definition of an earlier version again, as a new version. Nothing changes when it is in force.',
    function: 'queues',
    scopes: ['admin'],
    answers: { 200: queueVersion },
    problems: [409],
  },
  'GET /queues/{queue}/experiment': {
    id: 'getExperiment',
    summary: 'Get the experiment on a queue',
    description: 'The last experiment: the variant in force, its blocks, and the effects of the variants.',
    function: 'queues',
    scopes: ['backend', 'admin'],
    answers: { 200: experimentView },
  },
  'PUT /queues/{queue}/experiment': {
    id: 'putExperiment',
    summary: 'Begin an experiment on a queue',
    description: '200 when the same experiment is running.',
    function: 'queues',
    scopes: ['admin'],
    body: experimentDefinition,
    answers: { 200: experimentView, 201: experimentView },
    problems: [409],
  },
  'DELETE /queues/{queue}/experiment': {
    id: 'endExperiment',
    summary: 'End the experiment on a queue',
    description: 'Its results stay. Ending an ended experiment changes nothing.',
    function: 'queues',
    scopes: ['admin'],
    answers: { 204: undefined },
  },
  'POST /queues/{queue}/webhooks/test': {
    id: 'testWebhooks',
    summary: 'Test the webhooks of a queue',
    description:
      'Sends an event of the type WebhookTest to each webhook of the queue, whatever it subscribes to, and returns the responses.',
    function: 'notify',
    scopes: ['admin'],
    answers: { 200: webhookTests },
  },
  'POST /queues/{queue}/dry-run': {
    id: 'dryRun',
    summary: 'Search for matches without storing anything',
    description: 'Searches among the given tickets only.',
    function: 'dry-run',
    scopes: ['backend', 'admin'],
    body: dryRunBody,
    answers: { 200: matchResult },
  },
  'GET /ladders': {
    id: 'listLadders',
    summary: 'List ladders',
    description: 'All ladders, with their definitions.',
    function: 'queues',
    scopes: ['admin'],
    answers: { 200: ladderList },
  },
  'GET /ladders/{ladder}': {
    id: 'getLadder',
    summary: 'Get a ladder definition',
    description: 'The definition in force. Its ETag is the version that `If-Match` takes.',
    function: 'queues',
    scopes: ['admin'],
    answers: { 200: ladderDefinition },
    hasEtag: true,
  },
  'PUT /ladders/{ladder}': {
    id: 'putLadder',
    summary: 'Create or change a ladder',
    description: 'Results that are accepted afterwards are rated by it.',
    function: 'queues',
    scopes: ['admin'],
    headers: ifMatch,
    body: ladderDefinition,
    isNeverMissing: true,
    answers: { 200: ladderDefinition, 201: ladderDefinition },
    hasEtag: true,
    problems: [409, 412],
  },
  'DELETE /ladders/{ladder}': {
    id: 'deleteLadder',
    summary: 'Remove a ladder',
    description: 'Only a ladder that no queue names. Its ratings expire.',
    function: 'queues',
    scopes: ['admin'],
    headers: ifMatch,
    answers: { 204: undefined },
    problems: [409, 412],
  },
  'GET /ladders/{ladder}/versions': {
    id: 'getLadderVersions',
    summary: 'List the versions of a ladder',
    description: 'The last 50, the newest first, with who put them and when.',
    function: 'queues',
    scopes: ['admin'],
    answers: { 200: ladderVersions },
  },
  'POST /ladders/{ladder}/versions/{version}/restore': {
    id: 'restoreLadderVersion',
    summary: 'Restore a version of a ladder',
    description:
      'Puts the definition of an earlier version again, as a new version. Nothing changes when it is in force.',
    function: 'queues',
    scopes: ['admin'],
    answers: { 200: ladderVersion },
    problems: [409],
  },
  'GET /ladders/{ladder}/odds': {
    id: 'getLadderOdds',
    summary: 'Get the odds of a ladder',
    description: 'How well the odds of its matches predicted their results.',
    function: 'queues',
    scopes: ['backend', 'admin'],
    answers: { 200: ladderOdds },
  },
  'GET /ladders/{ladder}/players': {
    id: 'getRatings',
    summary: 'Get the ratings of up to 50 players',
    description: 'Players without matches have the rating that the ladder begins with.',
    function: 'players',
    scopes: ['backend', 'admin'],
    query: playerIdsQuery,
    answers: { 200: ratingList },
  },
  'GET /ladders/{ladder}/players/{playerId}': {
    id: 'getRating',
    summary: 'Get the rating of a player',
    description: 'A player without matches has the rating that the ladder begins with.',
    function: 'players',
    scopes: ['backend', 'admin'],
    answers: { 200: ratingView },
  },
  'PUT /ladders/{ladder}/players/{playerId}': {
    id: 'putRating',
    summary: 'Set the rating of a player',
    description: 'Brings a rating along from elsewhere.',
    function: 'players',
    scopes: ['backend', 'admin'],
    body: newRating,
    answers: { 200: ratingView },
  },
  'DELETE /ladders/{ladder}/players/{playerId}': {
    id: 'deleteRating',
    summary: 'Forget the rating of a player',
    description: 'The player is new on the ladder afterwards.',
    function: 'players',
    scopes: ['backend', 'admin'],
    answers: { 204: undefined },
  },
  'GET /dead-letters': {
    id: 'getDeadLetters',
    summary: 'List the messages that were given up',
    description: 'The messages of each consumer of the service that failed too often.',
    function: 'queues',
    scopes: ['admin'],
    answers: { 200: deadLetters },
  },
  'GET /players/{playerId}': {
    id: 'getPlayerData',
    summary: 'Export the data of a player',
    description:
      'Everything stored about a player. When it does not fit into one response it has a `continuation`; repeat the request with it.',
    function: 'players',
    scopes: ['admin'],
    query: continuationQuery,
    isNeverMissing: true,
    answers: { 200: playerData },
  },
  'DELETE /players/{playerId}': {
    id: 'erasePlayer',
    summary: 'Erase a player',
    description:
      'From all tables. 202 means that the request has to be repeated with the `continuation` of the response.',
    function: 'players',
    scopes: ['admin'],
    query: continuationQuery,
    isNeverMissing: true,
    answers: { 200: playerErasure, 202: playerErasure },
  },
  'GET /tickets': {
    id: 'getTickets',
    summary: 'Get up to 50 tickets',
    description: 'As they are now. Unknown ones are omitted.',
    function: 'tickets',
    scopes: ['backend'],
    query: ticketIdsQuery,
    answers: { 200: ticketList },
  },
  'GET /tickets/{ticketId}': {
    id: 'getTicket',
    summary: 'Get a ticket',
    description: 'At once, or with `waitSeconds` when its status changes.',
    function: 'tickets',
    scopes: ['player', 'backend'],
    query: ticketQuery,
    answers: { 200: ticketView },
    problems: [429],
  },
  'DELETE /tickets/{ticketId}': {
    id: 'cancelTicket',
    summary: 'Cancel a ticket',
    description: 'Only a QUEUED ticket can be cancelled. Cancelling a CANCELLED one changes nothing.',
    function: 'ticket-changes',
    scopes: ['player', 'backend'],
    answers: { 200: ticketView },
    problems: [409],
  },
  'POST /tickets/{ticketId}/alive': {
    id: 'keepAlive',
    summary: 'Keep a ticket alive',
    description:
      'In a queue with `presence`: a player for itself, a backend for all players of the ticket. Repeat it every 20 s.',
    function: 'ticket-changes',
    scopes: ['player', 'backend'],
    answers: { 200: ticketView },
    problems: [409],
  },
  'PUT /tickets/{ticketId}/acceptance': {
    id: 'answerMatch',
    summary: 'Accept or decline a match',
    description: 'For a ticket that REQUIRES_ACCEPTANCE. A repeated answer changes nothing.',
    function: 'ticket-changes',
    scopes: ['player', 'backend'],
    body: acceptanceBody,
    answers: { 200: ticketView },
    problems: [409],
  },
  'GET /matches/{matchId}': {
    id: 'getMatch',
    summary: 'Get a match',
    description: 'With the seats of its players and, once it is placed, its game server.',
    function: 'matches',
    scopes: ['player', 'backend'],
    answers: { 200: matchView },
  },
  'PUT /matches/{matchId}/assignment': {
    id: 'assignMatch',
    summary: 'Set the game server of a match',
    description:
      'For queues whose matches the backend places itself. A repeated request changes nothing; another server is refused.',
    function: 'matches',
    scopes: ['backend'],
    body: assignment,
    answers: { 200: matchView },
    problems: [409],
  },
  'POST /matches/{matchId}/backfill': {
    id: 'createBackfill',
    summary: 'Ask for players into empty seats',
    description: 'For a running match. 200 when the same backfill exists already.',
    function: 'matches',
    scopes: ['backend'],
    body: newBackfill,
    answers: { 200: backfillView, 201: backfillView },
    problems: [409],
  },
  'POST /matches/{matchId}/end': {
    id: 'endMatch',
    summary: 'End a match',
    description: 'For good: it gets no more players.',
    function: 'matches',
    scopes: ['backend'],
    body: matchEnd,
    answers: { 200: matchView },
    problems: [409],
  },
  'POST /matches/{matchId}/result': {
    id: 'postResult',
    summary: 'Post the result of a match',
    description:
      'Ends the match for good and changes the ratings of its players. A result that is known already changes nothing.',
    function: 'matches',
    scopes: ['backend'],
    body: newResult,
    answers: { 200: matchView },
    problems: [409],
  },
  'GET /backfills/{backfillId}': {
    id: 'getBackfill',
    summary: 'Get a backfill',
    description: 'With the tickets that it has found.',
    function: 'matches',
    scopes: ['backend'],
    answers: { 200: backfillView },
  },
  'DELETE /backfills/{backfillId}': {
    id: 'cancelBackfill',
    summary: 'Cancel a backfill',
    description: 'Only a backfill that is QUEUED.',
    function: 'matches',
    scopes: ['backend'],
    answers: { 200: backfillView },
    problems: [409],
  },
  'GET /health': {
    id: 'health',
    summary: 'Check the health of the API',
    description: 'Says only that the service responds.',
    function: 'meta',
    scopes: [],
    openBecause:
      'Load balancers and monitors call it without credentials. The response shows only that the service responds.',
    answers: { 200: z.object({ status: z.literal('ok') }) },
  },
  'GET /openapi.json': {
    id: 'openApi',
    summary: 'Get this document',
    description: 'The OpenAPI document of the version that responds.',
    function: 'meta',
    scopes: [],
    openBecause: 'The description of the API is public: it is in the source.',
    answers: { 200: z.looseObject({}) },
  },
} as const satisfies Readonly<Record<`${Method} /${string}`, RouteDefinition>>;

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';

/** A method and a path, as `GET /tickets/{ticketId}`. */
export type RouteKey = keyof typeof ROUTES;

/** The keys of all routes. */
export const ROUTE_KEYS = Object.keys(ROUTES) as RouteKey[];

/** A function that serves routes. */
export type ApiFunction = (typeof ROUTES)[RouteKey]['function'];

/** The routes that a function serves. */
export type RoutesOf<Fn extends ApiFunction> = {
  [Key in RouteKey]: (typeof ROUTES)[Key]['function'] extends Fn ? Key : never;
}[RouteKey];

/** A route by its key. */
export function routeOf(key: RouteKey): RouteDefinition & { readonly method: Method; readonly path: string } {
  const [method, path] = key.split(' ') as [Method, string];
  return { ...ROUTES[key], method, path };
}

/** The scopes that may call a route; empty when it is open to any caller. */
export function scopesOf(route: RouteKey): readonly Scope[] {
  return ROUTES[route].scopes;
}

/** The schema of the parameters in a route's path; undefined when it has none. */
export function pathSchema(route: RouteKey): z.ZodObject | undefined {
  const names = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as keyof typeof PARAMETERS);
  if (names.length === 0) return undefined;
  return z.object(Object.fromEntries(names.map((name) => [name, PARAMETERS[name]])));
}

type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** The parameters in a route's path, parsed. */
export type PathOf<Key extends RouteKey> = {
  readonly [Name in NamesIn<Key> & keyof typeof PARAMETERS]: z.output<(typeof PARAMETERS)[Name]>;
};

/** The query of a request to a route, parsed. */
export type QueryOf<Key extends RouteKey> = (typeof ROUTES)[Key] extends {
  query: infer Query extends z.ZodType;
}
  ? z.output<Query>
  : Readonly<Record<string, never>>;
