import type {
  Acceptance,
  Assignment,
  Backfill,
  DeadLetters,
  DryRun,
  Experiment,
  ExperimentDefinition,
  LatestMatches,
  Match,
  MatchEnd,
  MatchResult,
  NewBackfill,
  NewResult,
  NewTicket,
  PlayerCooldown,
  PlayerCooldowns,
  PlayerData,
  PlayerErasure,
  QueueDefinition,
  QueueList,
  QueueStats,
  QueueVersion,
  QueueVersions,
  Ticket,
  TicketList,
  WaitingSample,
  WebhookTests,
} from './api-types.ts';
import { UnexpectedResponse } from './errors.ts';
import { inParts } from './in-parts.ts';
import { idParts } from './parts-of.ts';
import { erasePlayer, playerData } from './player-data.ts';
import { postBatch, type TicketResult } from './post-batch.ts';
import {
  type Call,
  type ClientOptions,
  type RequestOptions,
  type RouteRequest,
  type Sender,
  sender,
} from './requests.ts';
import { to } from './route-to.ts';
import { type WaitOptions, waitForMatch } from './wait-for-match.ts';
import { type Watch, type WatchedTicket, type WatchOptions, watchTicket } from './watch.ts';

/**
 * A client of Muster's API. Every request is repeated with growing, random delays after a failure that may pass, and honours
 * `Retry-After`: all requests of Muster are safe to repeat.
 *
 * Requests reject with `MusterProblem` (the service rejects the request), `MusterUnreachable` (no response) or
 * `UnexpectedResponse` (the URL is not that of Muster), or with the reason of their signal.
 */
export interface MusterClient {
  /** Posts a ticket to a queue. Posting the same ticket again returns its current state. */
  post(queue: string, ticket: NewTicket, options?: RequestOptions): Promise<Ticket>;
  /** Posts any number of tickets, 50 by one request. Returns their results in the same order. */
  postBatch(queue: string, tickets: readonly NewTicket[], options?: RequestOptions): Promise<TicketResult[]>;
  /** Reads a ticket. With `explain` its `reason` says why it waits; this runs a search, so do not poll with it. */
  get(ticketId: string, options?: RequestOptions & { readonly explain?: boolean }): Promise<Ticket>;
  /** Reads any number of tickets, up to 50 by one request, each once. Unknown ones are omitted. */
  getMany(ticketIds: readonly string[], options?: RequestOptions): Promise<readonly Ticket[]>;
  /**
   * Waits until a ticket has its match and its players can play, or until another of its statuses.
   * @throws TicketEnded when it ends without; WaitEnded when it has not ended in time; the error of the last poll when polls
   * have failed for too long
   */
  waitForMatch(ticketId: string, options?: WaitOptions): Promise<Ticket>;
  /**
   * Watches a ticket: `for await (const change of client.watch(ticket))`. It uses the socket for a ticket that {@link post} has
   * returned, in a deployment with push, and otherwise long polls. It reconnects as long as necessary, and ends when no change
   * can follow.
   */
  watch(ticket: WatchedTicket, options?: WatchOptions): Watch;
  /** Cancels a QUEUED ticket. A CANCELLED one does not change. */
  cancel(ticketId: string, options?: RequestOptions): Promise<Ticket>;
  /**
   * Keeps a ticket in a queue with presence alive. Players without a socket repeat it every 20 s. A player's request counts for
   * that player, a backend's for all players of the ticket.
   */
  alive(ticketId: string, options?: RequestOptions): Promise<Ticket>;
  /**
   * Accepts the match of a ticket that REQUIRES_ACCEPTANCE, or declines it.
   * @param options `playerIds`: in a queue in which each player answers, the players of the ticket who answer now (default: all
   * of them, or the player of this client's token)
   */
  accept(
    ticketId: string,
    matchId: string,
    options?: RequestOptions & {
      readonly accepted?: boolean;
      readonly playerIds?: readonly string[] | undefined;
    },
  ): Promise<Ticket>;

  /** Reads a match. */
  match(matchId: string, options?: RequestOptions): Promise<Match>;
  /** Sets the game server of a match. */
  assign(matchId: string, assignment: Assignment, options?: RequestOptions): Promise<Match>;
  /**
   * Ends a match permanently: it gets no more players.
   * @param options `leavers`: the players who have left it early. In a queue with cooldowns they wait before their next ticket
   */
  end(
    matchId: string,
    options?: RequestOptions & { readonly leavers?: readonly string[] | undefined },
  ): Promise<Match>;
  /** Stores the result of a match, which ends it and changes the ratings of its players. The first result is final. */
  result(matchId: string, result: NewResult, options?: RequestOptions): Promise<Match>;
  /** Asks for players into the empty seats of a running match. */
  backfill(matchId: string, backfill: NewBackfill, options?: RequestOptions): Promise<Backfill>;
  /** Reads a backfill. */
  getBackfill(backfillId: string, options?: RequestOptions): Promise<Backfill>;
  /** Cancels a backfill that is QUEUED. */
  cancelBackfill(backfillId: string, options?: RequestOptions): Promise<Backfill>;

  /** Counts the messages that the consumers of the service gave up. */
  deadLetters(options?: RequestOptions): Promise<DeadLetters['consumers']>;

  /**
   * Erases a player that your backend no longer posts. It repeats the request until a scan of all tables finds nothing, or only
   * items that are `pending`: then call it again later. Items that are `unreadable` need another version of the service.
   */
  erasePlayer(playerId: string, options?: RequestOptions): Promise<PlayerErasure>;
  /** Returns the stored data about a player. */
  playerData(playerId: string, options?: RequestOptions): Promise<PlayerData>;
  /** Returns until when a player gets no ticket in a queue, and why. */
  cooldown(queue: string, playerId: string, options?: RequestOptions): Promise<PlayerCooldown>;
  /** Forgives a player: offences in the queue up to now no longer count. */
  endCooldown(queue: string, playerId: string, options?: RequestOptions): Promise<void>;

  readonly queues: QueuesClient;

  /** Sends a request to any route, with the client's credentials and retries. */
  request<T>(request: RouteRequest): Promise<T>;
}

/** The routes of queues and their definitions. */
export interface QueuesClient {
  list(options?: RequestOptions): Promise<readonly QueueDefinition[]>;
  /** Lists definitions, and the names of queues whose definition the deployed version cannot read, usually after a rollback. */
  listWithUnreadable(options?: RequestOptions): Promise<ListedQueues>;
  get(queue: string, options?: RequestOptions): Promise<QueueDefinition>;
  /** Reads a definition with its ETag, so that {@link put} and {@link delete} change nothing that others have changed since. */
  read(queue: string, options?: RequestOptions): Promise<ReadDefinition>;
  /** Creates a queue or changes its definition. Rejects with status 412 when another definition is in force than `ifMatch` names. */
  put(definition: QueueDefinition, options?: ChangeOptions): Promise<ReadDefinition>;
  /** Closes a queue, or leaves it closed. Waiting tickets can still be matched. Rejects with status 412 as {@link put} does. */
  delete(queue: string, options?: ChangeOptions): Promise<void>;
  stats(queue: string, options?: RequestOptions): Promise<QueueStats>;
  /** The latest matches, the newest first, without tokens. @param options `limit`: 1 to 100, 20 by default */
  matches(queue: string, options?: ListOptions): Promise<LatestMatches['matches']>;
  /** A sample of the waiting tickets, without names. @param options `limit`: 1 to 1,000, 200 by default */
  waiting(queue: string, options?: ListOptions): Promise<WaitingSample>;
  /** The players who are cooling down, those with the latest offence first. @param options `limit`: 1 to 100, 20 by default */
  cooldowns(queue: string, options?: ListOptions): Promise<PlayerCooldowns['cooldowns']>;
  /** The last experiment on the queue, with its results. */
  experiment(queue: string, options?: RequestOptions): Promise<Experiment>;
  /** Starts an experiment within two minutes. Changes nothing when the same one is running. */
  putExperiment(
    queue: string,
    definition: ExperimentDefinition,
    options?: RequestOptions,
  ): Promise<Experiment>;
  /** Ends the experiment. Its results stay. */
  endExperiment(queue: string, options?: RequestOptions): Promise<void>;
  /** The last 50 versions of the definition, the newest first. */
  versions(queue: string, options?: RequestOptions): Promise<readonly QueueVersion[]>;
  /** Puts the definition of a version again, as a new version. Returns the version in force. */
  restore(queue: string, version: number, options?: RequestOptions): Promise<QueueVersion>;
  /** Sends a test event to each webhook of the queue and returns the responses. */
  testWebhooks(queue: string, options?: RequestOptions): Promise<WebhookTests>;
  /** Searches for matches among the given tickets; stores nothing. */
  dryRun(queue: string, tickets: DryRun, options?: RequestOptions): Promise<MatchResult>;
}

/** The queues of a service. */
export interface ListedQueues {
  readonly queues: readonly QueueDefinition[];
  /** They get no matches until a version that reads them is deployed, or they are put again. */
  readonly unreadable: readonly string[];
}

/** A definition as it was read or put. */
export interface ReadDefinition {
  readonly definition: QueueDefinition;
  readonly etag: string;
}

export interface ChangeOptions extends RequestOptions {
  /**
   * The ETag of the definition that may be replaced or closed, from {@link QueuesClient.read}, `put` or `versions`, or `*` for any.
   * @default - any, and for `put` also none
   */
  readonly ifMatch?: string | undefined;
}

export interface ListOptions extends RequestOptions {
  readonly limit?: number | undefined;
}

const EXPERIMENT = '/queues/{queue}/experiment';
const COOLDOWN = '/queues/{queue}/players/{playerId}/cooldown';

/** Creates a client. It sends no request by itself. Throws a TypeError when the URL is not one of HTTP. */
export function musterClient(options: ClientOptions): MusterClient {
  const requests = sender(options);
  const request = async <T>(route: RouteRequest) => (await requests.send<T>(route)).body;
  const call: Call = (route, { signal } = {}, body) =>
    request({ ...route, ...(body !== undefined && { body }), ...(signal && { signal }) });
  const cancel: MusterClient['cancel'] = (ticketId, more) =>
    call(to('DELETE /tickets/{ticketId}', { ticketId }), more);
  const accept: MusterClient['accept'] = (ticketId, matchId, more) => {
    const { accepted = true, playerIds } = more ?? {};
    // JSON omits what is undefined.
    const body = { accepted, matchId, playerIds } as Acceptance;
    return call(to('PUT /tickets/{ticketId}/acceptance', { ticketId }), more, body);
  };
  return {
    request,
    post: (queue, ticket, more) => call(to('POST /queues/{queue}/tickets', { queue }), more, ticket),
    postBatch: (queue, tickets, more) => postBatch(requests, queue, tickets, more),
    get: (ticketId, more) => {
      const explain = more?.explain === true ? true : undefined;
      return call(to('GET /tickets/{ticketId}', { ticketId }, { explain }), more);
    },
    getMany: async (ticketIds, more) => {
      const found: Ticket[] = [];
      for (const ids of idParts(ticketIds))
        found.push(
          ...(await call<TicketList>(to('GET /tickets', {}, { ticketIds: ids.join() }), more)).tickets,
        );
      return found;
    },
    waitForMatch: (ticketId, more) => waitForMatch(requests, ticketId, more),
    watch: (ticket, more) => {
      const { ticketId } = ticket;
      return watchTicket(requests, ticket, {
        ...more,
        act: (action, matchId) =>
          matchId === undefined
            ? cancel(ticketId, more)
            : accept(ticketId, matchId, { ...more, accepted: action === 'accept' }),
      });
    },
    cancel,
    accept,
    alive: (ticketId, more) => call(to('POST /tickets/{ticketId}/alive', { ticketId }), more),
    match: (matchId, more) => call(to('GET /matches/{matchId}', { matchId }), more),
    assign: (matchId, assignment, more) =>
      call(to('PUT /matches/{matchId}/assignment', { matchId }), more, assignment),
    end: (matchId, more) => {
      const body: MatchEnd = more?.leavers === undefined ? {} : { leavers: [...more.leavers] };
      return call(to('POST /matches/{matchId}/end', { matchId }), more, body);
    },
    result: (matchId, result, more) => call(to('POST /matches/{matchId}/result', { matchId }), more, result),
    backfill: (matchId, backfill, more) =>
      call(to('POST /matches/{matchId}/backfill', { matchId }), more, backfill),
    getBackfill: (backfillId, more) => call(to('GET /backfills/{backfillId}', { backfillId }), more),
    cancelBackfill: (backfillId, more) => call(to('DELETE /backfills/{backfillId}', { backfillId }), more),
    deadLetters: async (more) => (await call<DeadLetters>(to('GET /dead-letters', {}), more)).consumers,
    erasePlayer: (playerId, more) => erasePlayer(call, playerId, more),
    playerData: (playerId, more) => playerData(call, playerId, more),
    cooldown: (queue, playerId, more) => call(to(`GET ${COOLDOWN}`, { queue, playerId }), more),
    endCooldown: (queue, playerId, more) => call<void>(to(`DELETE ${COOLDOWN}`, { queue, playerId }), more),
    queues: queuesClient(call, requests),
  };
}

function queuesClient(call: Call, requests: Sender): QueuesClient {
  const listed: QueuesClient['listWithUnreadable'] = async (more) => {
    const parts = await inParts<QueueList>(call, (query) => to('GET /queues', {}, query), more);
    return {
      queues: parts.flatMap(({ queues }) => queues),
      unreadable: parts.flatMap(({ unreadable = [] }) => unreadable),
    };
  };
  const tagged = async (route: RouteRequest, { signal }: RequestOptions = {}): Promise<ReadDefinition> => {
    const { body, etag } = await requests.send<QueueDefinition>({ ...route, ...(signal && { signal }) });
    if (etag !== undefined) return { definition: body, etag };
    const why = 'no ETag: the service is of an earlier version, or a proxy removes it';
    throw new UnexpectedResponse(`${route.method} ${route.path}`, 200, why);
  };
  return {
    list: async (more) => (await listed(more)).queues,
    listWithUnreadable: listed,
    get: (queue, more) => call(to('GET /queues/{queue}', { queue }), more),
    read: (queue, more) => tagged(to('GET /queues/{queue}', { queue }), more),
    put: (definition, more) => {
      const route = to('PUT /queues/{queue}', { queue: definition.name });
      return tagged({ ...route, headers: conditionOf(more), body: definition }, more);
    },
    delete: (queue, more) => {
      const route = to('DELETE /queues/{queue}', { queue });
      return call<void>({ ...route, removes: true, headers: conditionOf(more) }, more);
    },
    stats: (queue, more) => call(to('GET /queues/{queue}/stats', { queue }), more),
    matches: async (queue, more) => {
      const route = to('GET /queues/{queue}/matches', { queue }, { limit: more?.limit });
      return (await call<LatestMatches>(route, more)).matches;
    },
    waiting: (queue, more) =>
      call(to('GET /queues/{queue}/waiting', { queue }, { limit: more?.limit }), more),
    cooldowns: async (queue, more) => {
      const route = to('GET /queues/{queue}/cooldowns', { queue }, { limit: more?.limit });
      return (await call<PlayerCooldowns>(route, more)).cooldowns;
    },
    experiment: (queue, more) => call(to(`GET ${EXPERIMENT}`, { queue }), more),
    putExperiment: (queue, definition, more) => call(to(`PUT ${EXPERIMENT}`, { queue }), more, definition),
    endExperiment: (queue, more) => call<void>(to(`DELETE ${EXPERIMENT}`, { queue }), more),
    versions: async (queue, more) =>
      (await call<QueueVersions>(to('GET /queues/{queue}/versions', { queue }), more)).versions,
    restore: (queue, version, more) =>
      call(to('POST /queues/{queue}/versions/{version}/restore', { queue, version }), more),
    testWebhooks: (queue, more) => call(to('POST /queues/{queue}/webhooks/test', { queue }), more),
    dryRun: (queue, tickets, more) => call(to('POST /queues/{queue}/dry-run', { queue }), more, tickets),
  };
}

function conditionOf(options: ChangeOptions | undefined): Record<string, string> | undefined {
  return options?.ifMatch === undefined ? undefined : { 'if-match': options.ifMatch };
}
