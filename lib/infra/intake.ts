import { Duration } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { SecretGrants } from '../contract/secret-grants.ts';
import type { Api } from './api.ts';
import { setGameSessionQueues } from './game-lift.ts';
import type { Limits } from './limits.ts';
import { MusterFunction } from './muster-function.ts';
import { setSecretGrants } from './secrets-access.ts';
import type { StagePolicy } from './stage-policy.ts';
import type { Store } from './store.ts';
import type { Tick } from './tick.ts';

export interface IntakeProps {
  readonly api: Api;
  readonly store: Store;
  readonly tick: Tick;
  /** See {@link MatchmakerProps.secretGrants}. */
  readonly secretGrants: SecretGrants;
  /** The queues of GameLift that definitions may name. */
  readonly gameSessionQueues: readonly string[];
  readonly limits: Limits;
  /** See {@link MatchmakerProps.failedShare}. */
  readonly failedShare: number;
  readonly stage: StagePolicy;
}

/** The functions behind the API's routes. */
export class Intake extends Construct {
  readonly enqueue: MusterFunction;
  readonly tickets: MusterFunction;
  readonly ticketChanges: MusterFunction;
  readonly matches: MusterFunction;
  readonly queues: MusterFunction;
  readonly players: MusterFunction;
  readonly dryRun: MusterFunction;
  readonly meta: MusterFunction;

  constructor(scope: Construct, id: string, props: IntakeProps) {
    super(scope, id);
    const { api, store, tick, secretGrants, gameSessionQueues, limits, stage } = props;

    this.enqueue = new MusterFunction(this, 'Enqueue', {
      name: 'enqueue',
      description: 'Creates tickets and schedules the ticks of their queue',
      timeout: Duration.seconds(10),
      stage,
    });
    store.tickets.allow(this.enqueue, 'PutItem', 'GetItem');
    store.matches.allow(this.enqueue, 'GetItem');
    store.queues.allow(this.enqueue, 'GetItem', 'UpdateItem');
    store.ranges.allow(this.enqueue, 'GetItem');
    tick.queue.allowSend(this.enqueue);
    api.route(this.enqueue, 'POST /queues/{queue}/tickets', 'POST /queues/{queue}/ticket-batches');

    this.tickets = new MusterFunction(this, 'Tickets', {
      name: 'tickets',
      description: 'Returns a ticket, immediately or when its status changes',
      // A request may wait 20 s for a change; API Gateway ends it after 30 s.
      timeout: Duration.seconds(29),
      // It waits most of the time, and the price of waiting depends on the memory.
      memorySizeMb: 256,
      reservedConcurrency: limits.reserved.tickets,
      stage,
    });
    store.tickets.allow(this.tickets, 'GetItem', 'BatchGetItem');
    store.tickets.allowIndexQuery(this.tickets, 'pool');
    store.matches.allow(this.tickets, 'GetItem', 'BatchGetItem');
    store.queues.allow(this.tickets, 'GetItem');
    store.ranges.allow(this.tickets, 'GetItem');
    // The long polls of each player are counted. Only tokens make a caller a player.
    if (api.hasPlayers) store.ranges.allow(this.tickets, 'UpdateItem');
    api.route(this.tickets, 'GET /tickets/{ticketId}', 'GET /tickets');

    // A separate function, so that many long polls cannot block cancelling and accepting.
    this.ticketChanges = new MusterFunction(this, 'TicketChanges', {
      name: 'ticket-changes',
      description: 'Cancels tickets, and accepts or declines their matches',
      timeout: Duration.seconds(10),
      stage,
    });
    store.tickets.allow(this.ticketChanges, 'GetItem', 'BatchGetItem', 'UpdateItem');
    store.matches.allow(this.ticketChanges, 'GetItem', 'UpdateItem');
    store.queues.allow(this.ticketChanges, 'GetItem', 'UpdateItem');
    tick.queue.allowSend(this.ticketChanges);
    api.route(this.ticketChanges, 'DELETE /tickets/{ticketId}', 'PUT /tickets/{ticketId}/acceptance');

    this.matches = new MusterFunction(this, 'Matches', {
      name: 'matches',
      description: 'Returns matches, stores their assignments and backfills, and ends them',
      timeout: Duration.seconds(10),
      stage,
    });
    store.matches.allow(this.matches, 'GetItem', 'UpdateItem');
    // A backfill is an item beside the tickets.
    store.tickets.allow(this.matches, 'GetItem', 'PutItem', 'UpdateItem');
    store.queues.allow(this.matches, 'GetItem');
    api.route(
      this.matches,
      'GET /matches/{matchId}',
      'PUT /matches/{matchId}/assignment',
      'POST /matches/{matchId}/backfill',
      'POST /matches/{matchId}/end',
      'GET /backfills/{backfillId}',
      'DELETE /backfills/{backfillId}',
    );

    this.queues = new MusterFunction(this, 'Queues', {
      name: 'queues',
      description:
        'Stores queue definitions and their versions, and returns statistics, waiting tickets, matches and dead letters',
      timeout: Duration.seconds(10),
      stage,
    });
    store.queues.allow(this.queues, 'BatchGetItem', 'GetItem', 'UpdateItem');
    store.queues.allowIndexQuery(this.queues, 'items');
    store.ranges.allow(this.queues, 'BatchGetItem', 'GetItem');
    store.ranges.allowIndexQuery(this.queues, 'latest');
    store.matches.allow(this.queues, 'BatchGetItem');
    store.tickets.allowIndexQuery(this.queues, 'pool');
    this.queues.addEnvironment('FAILED_SHARE', String(props.failedShare));
    setSecretGrants(this.queues, secretGrants);
    setGameSessionQueues(this.queues, gameSessionQueues);
    api.route(
      this.queues,
      'GET /dead-letters',
      'GET /queues',
      'GET /queues/{queue}',
      'PUT /queues/{queue}',
      'DELETE /queues/{queue}',
      'GET /queues/{queue}/stats',
      'GET /queues/{queue}/matches',
      'GET /queues/{queue}/waiting',
      'GET /queues/{queue}/versions',
      'POST /queues/{queue}/versions/{version}/restore',
    );

    this.players = new MusterFunction(this, 'Players', {
      name: 'players',
      description: 'Returns or erases what is stored about a player',
      // It reads the tables for ten seconds and then changes the items of the last page.
      timeout: Duration.seconds(29),
      stage,
    });
    store.tickets.allow(this.players, 'Scan', 'GetItem', 'UpdateItem', 'DeleteItem');
    store.matches.allow(this.players, 'Scan', 'GetItem', 'UpdateItem');
    store.ranges.allow(this.players, 'Scan', 'UpdateItem', 'DeleteItem');
    store.receivers.allow(this.players, 'UpdateItem');
    api.route(this.players, 'GET /players/{playerId}', 'DELETE /players/{playerId}');

    this.dryRun = new MusterFunction(this, 'DryRun', {
      name: 'dry-run',
      description: 'Searches for matches among the tickets of a request and stores nothing',
      timeout: Duration.seconds(29),
      memorySizeMb: 1769,
      stage,
    });
    store.queues.allow(this.dryRun, 'GetItem');
    api.route(this.dryRun, 'POST /queues/{queue}/dry-run');

    this.meta = new MusterFunction(this, 'Meta', {
      name: 'meta',
      description: 'Serves health checks and the OpenAPI document, and rejects requests that match no route',
      timeout: Duration.seconds(5),
      stage,
    });
    api.openRoute(
      this.meta,
      'Health',
      'GET /health',
      'Load balancers and monitors call it without credentials. The response says only that the service responds.',
    );
    api.openRoute(
      this.meta,
      'OpenApi',
      'GET /openapi.json',
      'The description of the API is public: it is in the source.',
    );
    api.openRoute(
      this.meta,
      'Otherwise',
      '$default',
      'Returns 404 or 405 for requests that match no route, and reads and writes nothing.',
    );
  }
}
