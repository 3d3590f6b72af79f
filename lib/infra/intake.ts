import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Api } from './api.ts';
import type { Limits } from './limits.ts';
import { MusterFunction, type MusterFunctionProps } from './muster-function.ts';
import { type DefinitionRules, setDefinitionRules } from './queue-definitions.ts';
import type { StagePolicy } from './stage-policy.ts';
import type { Store } from './store.ts';
import type { Tick } from './tick.ts';

export interface IntakeProps extends DefinitionRules {
  readonly api: Api;
  readonly store: Store;
  readonly tick: Tick;
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

  readonly #props: IntakeProps;

  constructor(scope: Construct, id: string, props: IntakeProps) {
    super(scope, id);
    this.#props = props;
    this.enqueue = this.#enqueue();
    this.tickets = this.#tickets();
    this.ticketChanges = this.#ticketChanges();
    this.matches = this.#matches();
    this.queues = this.#queues();
    this.players = this.#players();
    this.dryRun = this.#dryRun();
    this.meta = this.#meta();
  }

  #enqueue(): MusterFunction {
    const { store, tick } = this.#props;
    const fn = this.#function('Enqueue', {
      name: 'enqueue',
      description: 'Creates tickets and schedules the ticks of their queue',
    });
    // A ticket that replaces another cancels it, and abandons a match that a tick forms of it.
    store.tickets.allow(fn, 'PutItem', 'GetItem', 'UpdateItem');
    store.entries.allow(fn, 'PutItem', 'DeleteItem');
    store.matches.allow(fn, 'GetItem', 'UpdateItem');
    store.queues.allow(fn, 'GetItem', 'UpdateItem');
    // The grace of players who have to connect begins with their ticket.
    store.ranges.allow(fn, 'GetItem', 'UpdateItem');
    // The skill of players, in queues with a ladder.
    store.ratings.allow(fn, 'BatchGetItem');
    tick.queue.allowSend(fn);
    return fn;
  }

  #tickets(): MusterFunction {
    const { store, limits, api, code } = this.#props;
    const fn = this.#function('Tickets', {
      name: 'tickets',
      description: 'Returns a ticket, immediately or when its status changes',
      // A request may wait 20 s for a change; API Gateway ends it after 30 s.
      timeout: Duration.seconds(29),
      // The function waits most of the time, and waiting is billed by memory.
      memorySizeMb: 256,
      code,
      reservedConcurrency: limits.reserved.tickets,
    });
    store.tickets.allow(fn, 'GetItem', 'BatchGetItem');
    store.allowPoolReads(fn);
    store.matches.allow(fn, 'GetItem', 'BatchGetItem');
    store.queues.allow(fn, 'GetItem');
    store.ranges.allow(fn, 'GetItem');
    // The long polls of each player are limited. Only callers with tokens are players.
    if (api.hasPlayers) store.ranges.allow(fn, 'UpdateItem');
    return fn;
  }

  /** A separate function, so that many long polls cannot block cancelling and accepting. */
  #ticketChanges(): MusterFunction {
    const { store, tick } = this.#props;
    const fn = this.#function('TicketChanges', {
      name: 'ticket-changes',
      description: 'Cancels tickets, keeps them alive, and accepts or declines their matches',
    });
    store.allowTicketChanges(fn);
    tick.queue.allowSend(fn);
    return fn;
  }

  #matches(): MusterFunction {
    const { store } = this.#props;
    const fn = this.#function('Matches', {
      name: 'matches',
      description: 'Returns matches, stores their assignments, backfills and results, and ends them',
    });
    store.matches.allow(fn, 'GetItem', 'UpdateItem');
    // A backfill is an item beside the tickets.
    store.tickets.allow(fn, 'GetItem', 'PutItem', 'UpdateItem');
    store.queues.allow(fn, 'GetItem');
    // For the cooldowns of players who leave.
    store.ranges.allow(fn, 'GetItem', 'UpdateItem');
    // For the skills of the players in the match, in queues with a ladder.
    store.ratings.allow(fn, 'BatchGetItem');
    return fn;
  }

  #queues(): MusterFunction {
    const { store, failedShare } = this.#props;
    const fn = this.#function('Queues', {
      name: 'queues',
      description:
        'Stores definitions of queues and ladders, and returns statistics, waiting tickets, matches and dead letters',
    });
    // A ladder is removed immediately, a queue by dispatch.
    store.queues.allow(fn, 'BatchGetItem', 'DeleteItem', 'GetItem', 'UpdateItem');
    store.queues.allowIndexQuery(fn, 'items');
    store.ratings.allow(fn, 'GetItem');
    store.ranges.allow(fn, 'BatchGetItem', 'GetItem');
    store.ranges.allowIndexQuery(fn, 'latest');
    store.matches.allow(fn, 'BatchGetItem');
    store.receivers.allow(fn, 'GetItem');
    store.allowPoolReads(fn);
    fn.addEnvironment('FAILED_SHARE', String(failedShare));
    setDefinitionRules(fn, this.#props);
    return fn;
  }

  #players(): MusterFunction {
    const { store } = this.#props;
    const fn = this.#function('Players', {
      name: 'players',
      description: 'Returns or erases what is stored about a player, ends cooldowns, and imports ratings',
      // It reads the tables for ten seconds and then changes the items of the last page.
      timeout: Duration.seconds(29),
    });
    store.tickets.allow(fn, 'Scan', 'GetItem', 'UpdateItem', 'DeleteItem');
    store.entries.allow(fn, 'DeleteItem');
    store.matches.allow(fn, 'Scan', 'GetItem', 'UpdateItem');
    store.ranges.allow(fn, 'Scan', 'GetItem', 'UpdateItem', 'DeleteItem');
    store.queues.allow(fn, 'GetItem');
    store.receivers.allow(fn, 'UpdateItem');
    store.ratings.allow(fn, 'BatchGetItem', 'DeleteItem', 'PutItem', 'Query');
    return fn;
  }

  #dryRun(): MusterFunction {
    const { store, code } = this.#props;
    const fn = this.#function('DryRun', {
      name: 'dry-run',
      description: 'Searches for matches among the tickets of a request and stores nothing',
      timeout: Duration.seconds(29),
      memorySizeMb: 1769,
      code,
    });
    store.queues.allow(fn, 'GetItem');
    return fn;
  }

  #meta(): MusterFunction {
    const fn = this.#function('Meta', {
      name: 'meta',
      description: 'Serves health checks and the OpenAPI document, and rejects requests that match no route',
      timeout: Duration.seconds(5),
    });
    this.#props.api.serveOthers(fn);
    return fn;
  }

  /** A function, with the routes that it serves. */
  #function(id: string, props: Omit<MusterFunctionProps, 'stage'>): MusterFunction {
    const fn = new MusterFunction(this, id, { ...props, stage: this.#props.stage });
    this.#props.api.serve(fn);
    return fn;
  }
}
