import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { Player } from '../../lib/engine/types.ts';
import { BUCKET_LIMITS, type BucketLimits } from '../../lib/service/domain/bucket-limits.ts';
import type { KeyRange } from '../../lib/service/domain/buckets.ts';
import type { StoredMatch } from '../../lib/service/domain/stored-match.ts';
import type { StoredTicket } from '../../lib/service/domain/stored-ticket.ts';
import type { TickMessage } from '../../lib/service/domain/tick-message.ts';
import { type Change, publish } from '../../lib/service/events/publish.ts';
import { checkDeadline } from '../../lib/service/placement/deadline.ts';
import { endMatch } from '../../lib/service/placement/end-match.ts';
import { provision } from '../../lib/service/placement/provision.ts';
import type { EventBus } from '../../lib/service/ports/event-bus.ts';
import { cachedQueues } from '../../lib/service/queues/read-queues.ts';
import { OddsLearner } from '../../lib/service/ratings/odds-learner.ts';
import { postResult } from '../../lib/service/ratings/post-result.ts';
import { rateResult } from '../../lib/service/ratings/rate-result.ts';
import { answerMatch } from '../../lib/service/tickets/acceptance.ts';
import { cancelTicket } from '../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../lib/service/tickets/enqueue.ts';
import { enqueueBatch } from '../../lib/service/tickets/enqueue-batch.ts';
import { getTickets } from '../../lib/service/tickets/read-tickets.ts';
import { dispatch } from '../../lib/service/ticks/dispatch.ts';
import { tick } from '../../lib/service/ticks/tick.ts';
import { type RandomSource, seededRandom } from '../../lib/simulation/random.ts';
import type { EmulatedTables } from '../aws/emulated-tables.ts';
import { ticket } from '../aws/samples.ts';
import { answerViolations, ChaosAnswers } from './chaos-answers.ts';
import { ChaosLeavers, offenceViolations } from './chaos-cooldowns.ts';
import { CHAOS_LADDER, ChaosResults, ratingViolations } from './chaos-results.ts';
import { ChaosServers } from './chaos-servers.ts';
import { ChaosWatchers, FINAL } from './chaos-watchers.ts';
import { violations } from './checker.ts';
import { definition, putLadder, putQueue } from './definitions.ts';
import { type Fate, Interleaving, type Process } from './interleaving.ts';
import { type Streams, VirtualCloud } from './virtual-cloud.ts';

/** Calls to ports in one run, before the faults end. */
const STEPS = 700;
/** In every third run game clients watch tickets. They take steps from all others. */
const WATCHED_EVERY = 3;
/** The runs with linked tickets, by the last digit of their seed; some have a ladder. */
const LINKED_OF = [1, 4, 5, 7];
/** The calls of such a run in each step: three queues and their entries need more of them. */
const LINKED_CALLS = 4;
/** Calls to ports while results are posted and rated. */
const RESULT_STEPS = 400;
/** Rounds in which clients connect after the faults. */
const SETTLE_ROUNDS_MAX = 12;
/** Tickets that are posted before players answer their matches, in queues in which each player answers. */
const ANSWERING_TICKETS = 8;
/** In every second run results are posted, and the queue has a ladder, unless the caller says otherwise. */
const RATED_EVERY = 2;
/** Every `LARGE_EVERY`th run begins with a pool of `LARGE_POOL` tickets. */
const LARGE_EVERY = 200;
const LARGE_POOL = 10_500;
/** The number of function instances, each with its own caches and parsed tickets. */
const FUNCTIONS = 3;
/** Low limits, so that a few tickets split a bucket and fill a tick. */
const LIMITS: BucketLimits = {
  ...BUCKET_LIMITS,
  readTickets: 6,
  arrivalsPerSecond: 0.3,
  waitingTickets: 5,
  busyTickets: 5,
  bucketsMax: 8,
};
const LARGE_LIMITS: BucketLimits = { ...BUCKET_LIMITS, readTickets: 2_000, waitingTickets: 1_000 };
/** The share of steps with a pause that is long enough for quiet buckets to be merged. */
const CALM_CHANCE = 0.004;
const CALM_MS = 11 * 60_000;
/** The number of people in a queue in which a player has one place. */
const PEOPLE = 20;
/** The time limit of a function. */
const FUNCTION_MS = 10_000;

/**
 * What some plans cost: milliseconds of virtual time each time their tick looks at its clock. The costliest are those of a
 * search so hard that a tick ends in the middle of it, or outlives its function.
 */
const PLAN_MS = [1, 20, 300, 2_500];
const COSTLY_CHANCE = 0.1;

type ChaosDeps = VirtualCloud['deps'] & { readonly limits: BucketLimits };

/** The response to a request for a ticket. */
interface Told {
  readonly ticketId: string;
  readonly status: string;
  readonly matchId: string | undefined;
  /** Counted in requests: when this one began and when its response arrived. */
  readonly begin: number;
  readonly end: number;
}

/** The body of a request for a ticket. */
interface Posted {
  readonly ticketId: string;
  readonly players: readonly Player[];
  readonly replaces?: string;
  /** The further queues of a linked ticket. */
  readonly also?: readonly { readonly queue: string }[];
}

interface Search {
  readonly queue: string;
  readonly range: KeyRange;
  readonly message: string;
}

export interface ChaosCounts {
  readonly tickets: number;
  readonly matches: number;
  /** The number of bucket layouts. */
  readonly layouts: number;
  /** Functions that ended in the middle of a call. */
  readonly kills: number;
  /** Calls that failed, before they took effect or after. */
  readonly failures: number;
  /** Writes whose response was lost, so that the SDK repeated them. */
  readonly lostAnswers: number;
  /** Changes that were never published. */
  readonly deadLetters: number;
  /** Requests of matches for players, and those that got some. */
  readonly backfills: number;
  readonly filled: number;
  /** Tickets that were posted to several queues, and those that one of the further queues has matched. */
  readonly linked: number;
  readonly elsewhere: number;
  /** Tickets that have replaced another. */
  readonly replaced: number;
  /** Offences that were noted of players. */
  readonly offences: number;
  /** Results that were accepted, and those that were rated. */
  readonly results: number;
  readonly rated: number;
  /** Connections of game clients, and what they were sent. */
  readonly connected: number;
  readonly messages: number;
  /** Tickets that were cancelled because a player had left, and matches that were dissolved for it. */
  readonly vanished: number;
  readonly leftMatches: number;
  /** Answers of single players that they were told to have, and matches that all of their players have accepted in this way. */
  readonly playerAnswers: number;
  readonly readyMatches: number;
  readonly readyChecks: number;
}

/**
 * One run: functions run concurrently, in random order, sometimes twice, and sometimes fail. The same seed gives the
 * same run.
 */
export class ChaosRun {
  readonly queue: string;
  readonly cloud: VirtualCloud;
  readonly all: Interleaving;
  readonly #functions: readonly ChaosDeps[];
  /** Decides what plans cost: a source of its own, so that what else a seed does stays. */
  readonly #costs: RandomSource;
  readonly #isLarge: boolean;
  readonly #isWatched: boolean;
  readonly #definition: QueueDefinition;
  /** Tickets whose request got a response, and all tickets that were requested and may be stored. */
  readonly #answered = new Set<string>();
  readonly #asked = new Map<string, readonly number[]>();
  /** The tickets that others replace, by the id of the other. */
  readonly #replaces = new Map<string, string>();
  /** Decides which tickets are replaced: a source of its own, as that of the costs. */
  readonly #changes: RandomSource;
  /** The ranges that ticks are searching now, by process. */
  readonly #searches = new Map<string, Search>();
  readonly #overlaps: string[] = [];
  /** When the definition was changed. */
  readonly #changesMs: number[] = [];
  /** What requests were told of tickets, in the order of the responses. */
  readonly #told: Told[] = [];
  /** Posts that got another response than 409, although a response before had said that the ticket has ended without a match. */
  readonly #revived: string[] = [];
  #requests = 0;
  #playerAnswers = 0;
  /** The servers of the matches, which ask for players. */
  readonly #servers: ChaosServers;
  readonly #leavers = new ChaosLeavers();
  /** Decides about cooldowns and leavers: a source of its own, as that of the costs. */
  readonly #conduct: RandomSource;
  /** The further queues in which tickets wait; none in most runs. */
  readonly #further: readonly string[];
  /** Decides which tickets are linked: a source of its own, as that of the costs. */
  readonly #links: RandomSource;
  readonly #also = new Map<string, readonly string[]>();
  readonly #results = new ChaosResults();
  /** Decides about results: a source of its own, as that of the costs. */
  readonly #games: RandomSource;
  /** What players were told about their answers. */
  readonly #answers = new ChaosAnswers();
  /** Decides who answers for whom, in queues by player: a source of its own, as that of the costs. */
  readonly #checks: RandomSource;
  /** Game clients that watch tickets. */
  readonly #watchers: ChaosWatchers;
  readonly #unpublished: Change[] = [];
  /** Ids of changes that were given up because they could not be published. */
  readonly #deadLetters = new Set<string>();
  #publishing = false;

  /** @param isRated whether results are posted, and the queue has a ladder */
  constructor(
    tables: EmulatedTables,
    streams: Streams,
    seed: number,
    isRated: boolean = seed % RATED_EVERY === 0,
  ) {
    this.queue = `chaos-${seed}`;
    this.#isLarge = seed % LARGE_EVERY === 0;
    this.#isWatched = seed % WATCHED_EVERY === 0;
    this.cloud = new VirtualCloud(tables, streams, `${this.queue}:`);
    const context = { now: () => this.cloud.nowMs, on: this.cloud.on.bind(this.cloud) };
    this.all = new Interleaving(seed, context, ({ name }) => this.#searches.delete(name));
    const { deps, host } = this.cloud;
    this.cloud.host = (matchId) => {
      const status = this.all.chance(0.3) ? this.#pick([400, 503]) : 200;
      return status === 200 ? host(matchId) : { outcome: 'responded', status, body: '' };
    };
    const bus = this.#refusingBus();
    this.#functions = Array.from({ length: FUNCTIONS }, () => ({
      ...deps,
      ...this.cloud.newInstance(),
      bus,
      queues: cachedQueues(deps.queues, deps.clock),
      limits: this.#isLarge ? LARGE_LIMITS : LIMITS,
    }));
    const asks = this.all.chance(0.5);
    this.#costs = seededRandom(seed).fork('costs');
    this.#changes = seededRandom(seed).fork('replaces');
    this.#conduct = seededRandom(seed).fork('cooldowns');
    this.#games = seededRandom(seed).fork('results');
    this.#links = seededRandom(seed).fork('linked');
    // These take steps from all others too.
    const isLinked = LINKED_OF.includes(seed % 10) && !this.#isWatched && !this.#isLarge;
    this.#further = isLinked ? ['b', 'c'].map((name) => `${this.queue}-${name}`) : [];
    this.#checks = seededRandom(seed).fork('answers');
    const by = this.#checks.uniform() < 0.5 ? ('player' as const) : ('ticket' as const);
    const plain = definition({
      name: this.queue,
      teamSize: 2,
      // A group shifts the slots of the queue.
      ...(isLinked && { group: 'chaos' }),
      tickSeconds: this.#pick([2, 5, 20]),
      timeoutSeconds: 90,
      buckets: this.all.chance(0.6) ? 'auto' : [],
      // Few matches are accepted in time, and only those that are can ask for players.
      ...(this.all.chance(asks && by === 'ticket' ? 0.1 : 0.6) && { acceptance: { timeoutSeconds: 15, by } }),
      ...(this.all.chance(0.5) && {
        provisioner: {
          type: 'http',
          url: 'https://games.example',
          timeoutSeconds: this.#pick([5, 60]),
          onFailure: this.#pick(['fail', 'requeue'] as const),
        },
      }),
      ...(this.all.chance(0.3) && { fill: 'bots' }),
      ...(asks && { backfill: { priority: this.#pick(['low', 'normal', 'high']) } }),
      ...(!asks && this.all.chance(0.3) && { onePlace: seed % 2 === 0 ? ('service' as const) : true }),
    });
    const base = isRated && !this.#isLarge ? this.#rated(plain) : plain;
    this.#definition = { ...base, ...this.#cooldown(base), ...this.#presence() };
    this.#servers = new ChaosServers(
      this.cloud,
      this.all,
      () => this.#deps,
      (skill) => this.#join(this.#posted(this.#newTicketId(), [skill])),
    );
    this.#watchers = new ChaosWatchers(
      this.cloud,
      seed,
      this.all,
      tables.names.connections,
      () => this.#deps,
      this.#answers,
    );
    this.cloud.pushed = (changes) => {
      this.#watchers.changed(changes);
      return this.#watchers.sendAll();
    };
  }

  /** The dependencies of a function instance, with its own cache of queues. */
  get #deps(): ChaosDeps {
    return this.#pick(this.#functions);
  }

  get trace(): readonly string[] {
    return this.all.trace;
  }

  /** Runs clients, ticks, schedules and streams for some minutes, with failing calls and killed functions. */
  async disorder(): Promise<void> {
    await putLadder(this.cloud.deps.ladders, CHAOS_LADDER, this.cloud.nowMs);
    await putQueue(this.cloud.deps.queues, this.#definition, this.cloud.nowMs);
    for (const name of this.#further)
      await putQueue(this.cloud.deps.queues, this.#furtherQueue(name), this.cloud.nowMs);
    if (this.#isLarge) await this.#fill();
    this.all.trouble = { fails: 0.01, kills: 0.01, lost: 0.02 };
    const stepMsMax = this.#pick([30, 100, 250, 700]);
    const calls = this.#further.length > 0 ? LINKED_CALLS : 1;
    for (let i = 0; i < STEPS; i++) {
      this.#advance(this.all.chance(CALM_CHANCE) ? CALM_MS : this.all.random.integer(stepMsMax));
      if (this.all.chance(0.12)) this.#client();
      if (this.#further.length > 0 && this.#links.uniform() < 0.08) this.#joinFurther();
      if (this.#definition.backfill && this.all.chance(0.4)) this.#servers.act();
      if (this.#definition.ladder && this.#games.uniform() < 0.1) this.#play();
      if (this.#isWatched) await this.#watchers.act([...this.#answered]);
      this.#watchers.deliver();
      if (this.all.chance(0.02)) this.#changeLayout();
      if (this.all.chance(0.1)) await this.#publish();
      this.#deliver();
      for (let call = 0; call < calls; call++) await this.all.step();
    }
    if (this.#definition.acceptance?.by === 'player') await this.#disorderOfAnswers();
    if (this.#definition.ladder) await this.#disorderOfResults();
  }

  /** Lets some matches be made without faults, then their players answer at once, with faults, beside the deadlines. */
  async #disorderOfAnswers(): Promise<void> {
    const { trouble } = this.all;
    this.all.trouble = { fails: 0, kills: 0, lost: 0 };
    for (let i = 0; i < ANSWERING_TICKETS; i++) this.#join(this.#posted(this.#newTicketId()));
    while (await this.all.step()) this.#advance(0);
    await this.#publishAll();
    const asked = () => {
      const last = new Map(
        this.cloud.changes.flatMap(({ table, after }) =>
          table === 'matches' ? [[after.matchId, after]] : [],
        ),
      );
      return [...last.values()].filter(({ status }) => status === 'REQUIRES_ACCEPTANCE');
    };
    for (let i = 0; i < 25 && asked().length === 0; i++) await this.cloud.run(1_000);
    this.all.trouble = trouble;
    for (const { matchId } of asked()) this.#answer(matchId!);
    const stepMsMax = 10 + this.#checks.integer(100);
    for (let i = 0; i < RESULT_STEPS; i++) {
      this.#advance(this.all.random.integer(stepMsMax));
      if (this.all.chance(0.1)) await this.#publish();
      this.#watchers.deliver();
      this.#deliver();
      await this.all.step();
    }
  }

  /** Lets the matches be made without faults, then posts and rates results of a few people at once, with faults. */
  async #disorderOfResults(): Promise<void> {
    const { trouble } = this.all;
    this.all.trouble = { fails: 0, kills: 0, lost: 0 };
    while (await this.all.step()) this.#advance(0);
    await this.#publishAll();
    await this.cloud.run(30_000);
    this.all.trouble = trouble;
    for (let i = 0; i < RESULT_STEPS; i++) {
      this.#advance(this.all.random.integer(30));
      if (this.#games.uniform() < 0.15) this.#play();
      if (this.all.chance(0.3)) await this.#publish();
      this.#deliver();
      await this.all.step();
    }
  }

  /** Publishes what is left to publish, without faults. */
  async #publishAll(): Promise<void> {
    const changes = this.#unpublished.splice(0);
    await publish(this.cloud.deps, changes);
    await this.#watchers.sendAll();
  }

  /** The counts of the run so far. */
  async counts(): Promise<ChaosCounts> {
    const { layouts } = (await this.cloud.deps.queues.get(this.queue))!;
    const happened = (fate: Fate) => this.all.trace.filter((line) => line.endsWith(fate)).length;
    const isNew = (table: Change['table']) => (change: Change) =>
      change.table === table && change.before === undefined;
    return {
      tickets: this.#asked.size,
      matches: this.cloud.changes.filter(isNew('matches')).length,
      layouts: layouts.at(-1)!.version,
      kills: happened('kills before') + happened('kills after'),
      failures: happened('fails before') + happened('fails after'),
      lostAnswers: happened('loses its answer'),
      deadLetters: this.#deadLetters.size,
      backfills: this.#servers.asked,
      filled: this.cloud.changes.filter(({ table, before, after }) => {
        const [old, now] = [before as StoredMatch | undefined, after as StoredMatch];
        return table === 'matches' && old !== undefined && old.roster !== now.roster;
      }).length,
      linked: [...this.#also.values()].filter(({ length }) => length > 0).length,
      elsewhere: this.cloud.changes.filter(
        ({ table, before, after }) =>
          table === 'matches' && before === undefined && this.#further.includes(after.queue),
      ).length,
      replaced: this.cloud.changes.filter(
        ({ before, after }) => before?.status === 'QUEUED' && 'replacedBy' in after && after.replacedBy,
      ).length,
      offences: await this.#noted(),
      results: this.#results.answered.size,
      rated: this.cloud.changes.filter(
        ({ before, after }) => 'rated' in after && !(before && 'rated' in before),
      ).length,
      connected: this.#watchers.connected,
      messages: this.#watchers.messages,
      vanished: this.cloud.changes.filter(
        ({ table, before, after }) =>
          table === 'tickets' && after.reasonCode === 'PLAYER_LEFT' && before?.status !== after.status,
      ).length,
      leftMatches: this.cloud.changes.filter(
        ({ table, before, after }) =>
          table === 'matches' && after.reasonCode === 'PLAYER_LEFT' && before?.status !== after.status,
      ).length,
      playerAnswers: this.#playerAnswers,
      readyMatches: this.#byPlayer('COMPLETED') + this.#byPlayer('PLACING'),
      readyChecks: this.#watchers.readyChecks,
    };
  }

  #byPlayer(status: string): number {
    const isOne = ({ table, before, after }: Change) =>
      table === 'matches' && after.byPlayer && before?.status !== after.status && after.status === status;
    return this.cloud.changes.filter(isOne).length;
  }

  /** Ends the faults, waits until everything has ended, and returns the violations. */
  async settled(): Promise<string[]> {
    this.all.trouble = { fails: 0, kills: 0, lost: 0 };
    while (await this.all.step()) this.#advance(0);
    await this.#publishAll();
    let found = ['nothing has come to rest'];
    for (let i = 0; i < (this.#isLarge ? 60 : 12) && found.length > 0; i++) {
      if (i > 0) await this.cloud.run(30_000);
      if (!(await this.#isWaiting())) found = await this.#violations();
    }
    const starved = found.length > 0 ? [] : await this.#starved();
    // A queue counts as watched a moment after its first connection. While everyone connects, functions reach their time limit.
    for (let i = 0; i < 3 || (i < SETTLE_ROUNDS_MAX && !this.#watchers.areConnected()); i++) {
      this.#watchers.settle();
      while (await this.all.step()) this.#advance(10);
      this.#watchers.deliver();
      while (await this.all.step()) this.#advance(10);
    }
    const untold = await this.#watchers.violations();
    untold.push(...(await this.#watchers.absences(this.queue, this.#changesMs)));
    return [...this.all.stray, ...this.#overlaps, ...found, ...starved, ...untold];
  }

  /** Lets some matches ask for a player each, and as many players come: each match gets one, although nothing else happens. */
  async #starved(): Promise<string[]> {
    if (this.#definition.backfill === undefined) return [];
    const asked = await this.#servers.askForOne(3, this.queue);
    for (const { skill } of asked) {
      const newcomer = this.#posted(this.#newTicketId(), [skill]);
      await enqueue(this.cloud.deps, this.queue, this.#bodyOf(newcomer), this.cloud.nowMs);
    }
    await this.cloud.run(70_000);
    const all = await Promise.all(asked.map(({ backfillId }) => this.#servers.statusOf(backfillId)));
    return asked.flatMap(({ backfillId }, i) =>
      all[i] === 'COMPLETED' ? [] : [`backfill ${backfillId} is ${all[i]} although a player has come for it`],
    );
  }

  /** Whether a ticket is still waiting, or an entry is left. */
  async #isWaiting(): Promise<boolean> {
    const { tickets, queues } = this.cloud.deps;
    const waiting = await Promise.all(
      [this.queue, ...this.#further].map(async (queue) => {
        const { layouts } = (await queues.get(queue))!;
        return Promise.all(layouts.map((layout) => tickets.hasWaiting(queue, layout, true)));
      }),
    );
    return waiting.flat().includes(true);
  }

  #advance(ms: number): void {
    const { cloud } = this;
    const minuteMs = Math.floor(cloud.nowMs / 60_000) * 60_000 + 60_000;
    cloud.nowMs += ms;
    if (cloud.nowMs >= minuteMs) {
      const times = this.all.chance(0.2) ? 2 : 1;
      for (let i = 0; i < times; i++)
        this.all.begin(`dispatch ${minuteMs} ${i}`, () => dispatch(this.#deps, this.cloud.nowMs));
    }
    for (const process of this.all.processes) {
      if (cloud.nowMs >= process.startMs + FUNCTION_MS) this.all.kill(process);
    }
  }

  #client(): void {
    const asked = [...this.#asked.keys()];
    if (asked.length > 0 && this.all.chance(0.3)) this.#read(this.#pick(asked.slice(-20)));
    const again = asked.length > 0 && this.all.chance(0.15) ? this.#pick(asked) : undefined;
    if (asked.length > 0 && this.all.chance(0.15)) {
      const ticketId = this.#pick(asked);
      this.all.begin(`cancel ${ticketId}`, () => cancelTicket(this.#deps, ticketId, this.cloud.nowMs));
      return;
    }
    const isEnding = this.#definition.cooldown !== undefined && this.#conduct.uniform() < 0.1;
    if (isEnding || (this.#definition.onePlace && this.all.chance(0.3))) {
      const matchIds = this.#told.flatMap(({ matchId }) => matchId ?? []);
      if (matchIds.length > 0) {
        const matchId = this.#pick(matchIds);
        this.#end(matchId);
      }
    }
    if (asked.length > 0 && this.#changes.uniform() < 0.15) {
      const latest = asked.slice(-20);
      const ticketId = this.#newTicketId();
      this.#replaces.set(ticketId, latest[this.#changes.integer(latest.length)]!);
      this.#join(this.#posted(ticketId));
    }
    const first = this.#posted(again ?? this.#newTicketId());
    if (this.all.chance(0.8)) {
      this.#join(first);
      return;
    }
    const others = Array.from({ length: this.all.random.integer(6) }, () =>
      this.#posted(this.#newTicketId()),
    );
    const begin = ++this.#requests;
    // A ticket may be in a batch twice.
    const tickets = [first, ...others, ...(this.all.chance(0.2) ? [first] : [])];
    this.all.begin(
      `batch ${tickets.map(({ ticketId }) => ticketId)}`,
      () =>
        enqueueBatch(
          this.#deps,
          this.queue,
          { tickets: tickets.map((one) => this.#bodyOf(one)) },
          this.cloud.nowMs,
        ),
      (outcomes) => {
        for (const one of outcomes ?? [])
          if (one.outcome === 'enqueued') this.#accepted(one.ticketId!, begin);
      },
    );
  }

  #join(posted: Posted): void {
    const begin = ++this.#requests;
    this.all.begin(
      `enqueue ${posted.ticketId}`,
      () => enqueue(this.#deps, this.queue, this.#bodyOf(posted), this.cloud.nowMs),
      (result) => result && this.#accepted(posted.ticketId, begin),
    );
  }

  /** Posts a ticket to a further queue alone, whose games need it. */
  #joinFurther(): void {
    const queue = this.#further[this.#links.integer(this.#further.length)]!;
    const ticketId = this.#newTicketId();
    const skills = [this.#links.integer(100)];
    this.#asked.set(ticketId, skills);
    const { players } = ticket(queue, ticketId, skills);
    const begin = ++this.#requests;
    this.all.begin(
      `enqueue ${ticketId} to ${queue}`,
      () => enqueue(this.#deps, queue, { ticketId, players }, this.cloud.nowMs),
      (result) => result && this.#accepted(ticketId, begin),
    );
  }

  /** A further queue: with games that are found soon, of which some are not accepted or not placed. */
  #furtherQueue(name: string): QueueDefinition {
    const isAccepted = this.#links.uniform() < 0.5;
    return definition({
      name,
      group: 'chaos',
      teamSize: 2,
      tickSeconds: 10,
      timeoutSeconds: this.#links.uniform() < 0.5 ? 40 : 120,
      ...(this.#definition.backfill && { backfill: this.#definition.backfill }),
      ...(isAccepted && {
        acceptance: { timeoutSeconds: 15, by: this.#links.uniform() < 0.8 ? 'player' : 'ticket' },
      }),
      ...(!isAccepted &&
        this.#links.uniform() < 0.5 && {
          provisioner: {
            type: 'http',
            url: 'https://games.example',
            timeoutSeconds: 5,
            onFailure: 'requeue',
          },
        }),
    });
  }

  /** Notes the response to a post, which the id of a ticket that was read as ended may not get. */
  #accepted(ticketId: string, begin: number): void {
    this.#answered.add(ticketId);
    const ended = this.#told.find(
      (one) => one.ticketId === ticketId && one.end < begin && FINAL.includes(one.status),
    );
    if (ended !== undefined) this.#revived.push(`ticket ${ticketId} was posted after it was ${ended.status}`);
  }

  /** Cooldowns of some tens of steps, in half of the queues, and wherever the same people post many tickets. */
  #cooldown({ acceptance, onePlace }: QueueDefinition): Pick<QueueDefinition, 'cooldown'> {
    if (!onePlace && this.#conduct.uniform() < 0.5) return {};
    const steps = [1, 2, 4].map((times) => ({ times, seconds: 15 * times }));
    return { cooldown: { leave: steps, ...(acceptance && { decline: steps }) } };
  }

  /** Presence in most of the runs with game clients. */
  #presence(): Pick<QueueDefinition, 'presence'> {
    return this.#isWatched && this.#conduct.uniform() < 0.75 ? { presence: { graceSeconds: 5 } } : {};
  }

  /** A queue with a ladder, most of whose matches are played soon. */
  #rated({ acceptance, provisioner, ...plain }: QueueDefinition): QueueDefinition {
    return {
      ...plain,
      ladder: CHAOS_LADDER.name,
      ...(acceptance && (this.#games.uniform() < 0.1 || acceptance.by === 'player') && { acceptance }),
      ...(provisioner && this.#games.uniform() < 0.3 && { provisioner }),
    };
  }

  /** Ends a match, and names some of its players as leavers. */
  #end(matchId: string): void {
    const found = this.cloud.changes.findLast(({ after }) => 'teams' in after && after.matchId === matchId);
    const seats = (found?.after as StoredMatch | undefined)?.teams.flatMap(({ players }) => players) ?? [];
    const leavers = seats.flatMap(({ playerId, bot }) =>
      bot || this.#conduct.uniform() < 0.5 ? [] : [playerId],
    );
    const cooldown = found?.after.queue === this.queue && this.#definition.cooldown;
    if (cooldown) this.#leavers.name(matchId, leavers, false);
    this.all.begin(
      `end ${matchId}, left by ${leavers}`,
      () => endMatch(this.#deps, matchId, { leavers }, this.cloud.nowMs),
      (ended) => ended && cooldown && this.#leavers.name(matchId, leavers, true),
    );
  }

  /** Reads a ticket, and records the response. */
  #read(ticketId: string): void {
    const begin = ++this.#requests;
    this.all.begin(
      `read ${ticketId}`,
      () => getTickets(this.#deps, [ticketId]),
      (found) => {
        const end = ++this.#requests;
        for (const { status, matchId } of found ?? [])
          this.#told.push({ ticketId, status, matchId, begin, end });
      },
    );
  }

  /** The body of a request for a ticket. It is the same for the same id. */
  #posted(ticketId: string, own?: readonly number[]): Posted {
    if (own !== undefined) this.#also.set(ticketId, []);
    const party = { ...this.#party(ticketId, own), ...this.#postDigest(ticketId) };
    const replaces = this.#replaces.get(ticketId);
    if (replaces === undefined) return party;
    const [stays] = this.#posted(replaces).players;
    const others = party.players.slice(1).filter(({ playerId }) => playerId !== stays!.playerId);
    return { ...party, players: [stays!, ...others], replaces };
  }

  /** The further queues of a ticket, for half of the tickets. A few that are posted again have others, and are refused. */
  #postDigest(ticketId: string): Pick<Posted, 'also'> {
    if (this.#further.length === 0) return {};
    const drawn = this.#further.slice(0, this.#links.integer(3));
    const known = this.#links.uniform() < 0.05 ? drawn : (this.#also.get(ticketId) ?? drawn);
    if (!this.#also.has(ticketId)) this.#also.set(ticketId, known);
    return known.length > 0 ? { also: known.map((queue) => ({ queue })) } : {};
  }

  #party(ticketId: string, own?: readonly number[]): Posted {
    const size = 1 + this.all.random.integer(2);
    const skills =
      own ?? this.#asked.get(ticketId) ?? Array.from({ length: size }, () => this.all.random.integer(100));
    this.#asked.set(ticketId, skills);
    const { players } = ticket(this.queue, ticketId, skills);
    const { onePlace, ladder } = this.#definition;
    if ((!onePlace && ladder === undefined) || this.#isLarge) return { ticketId, players };
    // A few people post all tickets.
    const first = Number.parseInt(ticketId.slice(-12), 10);
    return {
      ticketId,
      players: players.map((player, i) => ({ ...player, playerId: `p${(7 * first + i) % PEOPLE}` })),
    };
  }

  /** In a queue with a ladder, players come without skill. */
  #bodyOf(posted: Posted): object {
    if (this.#definition.ladder === undefined) return posted;
    const { players, also } = posted;
    return {
      ...posted,
      players: players.map(({ skill: _, ...player }) => player),
      ...(also && { also: also.map((one) => ({ ...one, players })) }),
    };
  }

  /** Says how a match ended, sometimes again, and sometimes otherwise than before. */
  #play(): void {
    const running = this.cloud.changes.flatMap(({ table, after }) =>
      table === 'matches' && after.status === 'COMPLETED' && after.queue === this.queue
        ? (after as StoredMatch)
        : [],
    );
    if (running.length === 0) return;
    const { matchId, teams } = running[this.#games.integer(running.length)]!;
    const ranks = [1, this.#games.integer(3)];
    const isVoid = this.#games.uniform() < 0.05;
    const people = teams.flatMap(({ players }) => players.flatMap((seat) => (seat.bot ? [] : seat.playerId)));
    const weights = people.flatMap((playerId): [string, number][] =>
      this.#games.uniform() < 0.05 ? [[playerId, this.#games.integer(5) / 4]] : [],
    );
    const players = weights.map(([playerId, weight]) => ({ playerId, weight }));
    const posted = { ...(!isVoid && { ranks }), weights };
    this.all.begin(
      `result ${matchId} ${JSON.stringify(posted)}`,
      () => {
        const body = isVoid ? { void: true } : { ranks, players };
        return postResult(this.#deps, matchId, body, this.cloud.nowMs);
      },
      (ended) => ended && this.#results.answered.set(matchId, posted),
    );
  }

  /** An id with the length of a UUID, different in every run. */
  #newTicketId(): string {
    const [run, number] = [this.queue.split('-')[1]!, String(this.#asked.size)];
    return `${run.padStart(8, '0')}-5eed-4000-8000-${number.padStart(12, '0')}`;
  }

  /** Adds more tickets to the pool than a tick can read. */
  async #fill(): Promise<void> {
    const { tickets, queues } = this.cloud.deps;
    const { layouts } = (await queues.get(this.queue))!;
    const wanted = Array.from({ length: LARGE_POOL }, () => {
      const ticketId = this.#newTicketId();
      const skills = [this.all.random.integer(100)];
      this.#asked.set(ticketId, skills);
      this.#answered.add(ticketId);
      return {
        ...ticket(this.queue, ticketId, skills),
        enqueuedAt: new Date(this.cloud.nowMs).toISOString(),
      };
    });
    for (let at = 0; at < wanted.length; at += 50)
      await Promise.all(wanted.slice(at, at + 50).map((one) => tickets.create(one, layouts[0]!)));
  }

  #changeLayout(): void {
    this.#changesMs.push(this.cloud.nowMs);
    const buckets = this.#pick(['auto' as const, [], [50], [30, 60], [25, 50, 75]]);
    this.all.begin(`layout ${buckets}`, () =>
      putQueue(this.#deps.queues, { ...this.#definition, buckets }, this.cloud.nowMs),
    );
  }

  /** Delivers the messages that are due, sometimes late, sometimes twice. */
  #deliver(): void {
    const { cloud } = this;
    const lateMs = (this.#definition.tickSeconds + 5) * 1_000;
    for (const message of cloud.dueTicks()) {
      if (this.all.chance(0.1)) this.#again(cloud.tickMessages, message, lateMs);
      if (this.all.chance(0.1)) this.#again(cloud.tickMessages, message, lateMs);
      else this.#tick(message);
    }
    for (const matchId of cloud.dueDeadlines()) {
      // Lost, like a dead letter.
      if (this.all.chance(0.1)) continue;
      if (this.all.chance(0.1)) this.#again(cloud.deadlineMessages, matchId, 5_000);
      this.all.begin(
        `deadline ${matchId}`,
        () => checkDeadline(this.#deps, matchId, cloud.nowMs),
        (result) => result ?? this.#again(cloud.deadlineMessages, matchId, 5_000),
      );
    }
    for (const matchId of cloud.results.splice(0)) {
      const rate = () =>
        this.all.begin(
          `rate ${matchId}`,
          () => {
            const deps = this.#deps;
            return rateResult({ ...deps, odds: new OddsLearner(deps.ratings, deps.clock) }, matchId);
          },
          (result) => result ?? cloud.results.push(matchId),
        );
      rate();
      if (this.all.chance(0.2)) rate();
    }
    for (const matchId of cloud.placements.splice(0)) {
      if (this.all.chance(0.05)) continue;
      const place = () =>
        this.all.begin(
          `provision ${matchId}`,
          () => provision(this.#deps, matchId, this.cloud.nowMs),
          (result) => result ?? cloud.placements.push(matchId),
        );
      place();
      if (this.all.chance(0.1)) place();
    }
  }

  #again<T>(messages: { what: T; dueMs: number }[], what: T, withinMs: number): void {
    messages.push({ what, dueMs: this.cloud.nowMs + 1 + this.all.random.integer(withinMs) });
  }

  /** Starts a tick and records the range that it searches until its lease ends. */
  #tick(message: TickMessage): void {
    const name = `tick ${JSON.stringify(message)} ${this.all.trace.length}-${this.all.random.integer(1e9)}`;
    this.all.begin(name, (process) => {
      const { tickets, ranges, clock } = this.#deps;
      const isCostly = this.#costs.uniform() < COSTLY_CHANCE;
      const planMs = isCostly ? PLAN_MS[this.#costs.integer(PLAN_MS.length)]! : 0;
      return tick(
        {
          ...this.#deps,
          clock: {
            ...clock,
            now: () => {
              this.cloud.nowMs += planMs;
              return clock.now();
            },
          },
          tickets: {
            ...tickets,
            waiting: (queue, layouts, range, bound, linked) => {
              this.#begins(process, { queue, range, message: name });
              return tickets.waiting(queue, layouts, range, bound, linked);
            },
          },
          ranges: {
            ...ranges,
            endLease: (...lease) => {
              this.#searches.delete(name);
              return ranges.endLease(...lease);
            },
          },
        },
        message,
      );
    });
  }

  #begins(process: Process, search: Search): void {
    if (process.dead) return;
    for (const other of this.#searches.values()) {
      // A tick that finds no ticket where it continues reads its range again from the start.
      const isOther = other.queue === search.queue && other.message !== search.message;
      if (isOther && overlap(other.range, search.range))
        this.#overlaps.push(`${other.message} and ${search.message} search the same tickets at once`);
    }
    this.#searches.set(process.name, search);
  }

  /** Publishes the changes of the streams in order, sometimes again, until the bus has accepted them. */
  async #publish(): Promise<void> {
    const changes = await this.cloud.newChanges();
    this.#unpublished.push(...changes);
    this.#watchers.changed(changes);
    this.#watchers.send();
    if (this.#publishing || this.#unpublished.length === 0) return;
    // A change that no try could publish: Lambda moves it to the dead letters and continues.
    if (this.all.chance(0.06)) {
      const lost = this.#unpublished.shift()!;
      this.#deadLetters.add(lost.changeId);
    }
    if (this.#unpublished.length === 0) return;
    this.#publishing = true;
    const batch = this.#unpublished.slice(0, 10);
    if (this.all.chance(0.2)) batch.unshift(this.#pick(this.cloud.changes));
    const again = batch.length - Math.min(10, this.#unpublished.length);
    this.all.begin(
      'publish',
      () => publish(this.#deps, batch),
      (refused) => {
        this.#publishing = false;
        if (refused === undefined) return;
        // Lambda continues at the first change to retry.
        this.#unpublished.splice(0, Math.max(0, Math.min(batch.length, ...refused) - again));
        for (const { after } of batch)
          if (after.status === 'REQUIRES_ACCEPTANCE') this.#answer(after.matchId!);
      },
    );
  }

  /** A bus that rejects single events at random. */
  #refusingBus(): EventBus {
    const { bus } = this.cloud.deps;
    return {
      publish: async (events) => {
        const refused = events.flatMap((_, i) => (this.all.chance(0.03) ? [i] : []));
        await bus.publish(events.filter((_, i) => !refused.includes(i)));
        return refused;
      },
    };
  }

  /** Lets each party of a match, or each of its players, accept, decline, or not respond. */
  #answer(matchId: string): void {
    const found = this.cloud.changes.find(
      ({ table, after }) => table === 'matches' && after.matchId === matchId,
    );
    const match = found?.after as StoredMatch | undefined;
    const seats = match?.teams.flatMap(({ players }) => players) ?? [];
    for (const ticketId of match?.ticketIds ?? []) {
      const players = seats.flatMap((seat) => (seat.ticketId === ticketId ? [seat.playerId] : []));
      if (match?.byPlayer) {
        this.#answerByPlayer(matchId, ticketId, players);
        continue;
      }
      if (this.all.chance(0.08)) continue;
      const accepted = this.all.chance(0.9);
      this.all.begin(
        `answer ${ticketId} ${accepted}`,
        () => answerMatch(this.#deps, ticketId, { accepted, matchId }, this.cloud.nowMs),
        (told) => told && this.#answers.tell(matchId, players, accepted),
      );
    }
  }

  /** Each player answers with a token, the backend for all at once or for one after the other, and some twice or otherwise later. */
  #answerByPlayer(matchId: string, ticketId: string, players: readonly string[]): void {
    const isOne = this.#checks.uniform() < 0.2;
    const groups = isOne ? [players] : players.map((playerId) => [playerId]);
    const changed = groups.filter(() => this.#checks.uniform() < 0.15);
    for (const playerIds of [...groups, ...changed]) {
      if (this.#checks.uniform() < 0.03) continue;
      const accepted = this.#checks.uniform() < 0.95;
      const speaker = !isOne && this.#checks.uniform() < 0.5 ? playerIds[0] : undefined;
      const named = speaker === undefined && !isOne ? { playerIds: [...playerIds] } : {};
      this.all.begin(
        `answer ${playerIds} of ${ticketId} ${accepted}`,
        () => answerMatch(this.#deps, ticketId, { accepted, matchId, ...named }, this.cloud.nowMs, speaker),
        (told) => {
          if (told === undefined) return;
          this.#playerAnswers++;
          this.#answers.tell(matchId, playerIds, accepted);
        },
      );
    }
  }

  async #violations(): Promise<string[]> {
    const { deps, ids, changes, events } = this.cloud;
    const tickets = await Promise.all([...this.#asked.keys()].map((ticketId) => deps.tickets.get(ticketId)));
    const matches = await Promise.all(ids.map((matchId) => deps.matches.get(matchId)));
    const stored = tickets.flatMap((found) => (found ? [found] : []));
    const made = new Map(matches.flatMap((found) => (found ? [[found.matchId, found] as const] : [])));
    return [
      ...this.#revived,
      ...this.#contradictions(made),
      ...this.#inTwoPlaces(stored, made),
      ...(await this.#servers.violations()),
      ...(await this.#offences(stored, made)),
      ...(await answerViolations(deps, this.queue, {
        tickets: stored,
        matches: made,
        changes,
        told: this.#answers,
      })),
      ...(await this.#ratings(made)),
    ].concat(
      violations({
        accepted: [...new Set([...this.#answered, ...stored.map(({ ticketId }) => ticketId)])],
        tickets: new Map(stored.map((found) => [found.ticketId, found])),
        matches: made,
        changes,
        events,
        deadLetters: this.#deadLetters,
      }),
    );
  }

  async #noted(): Promise<number> {
    const people = this.cloud.changes.flatMap(({ after }) => ('players' in after ? after.players : []));
    const ids = new Set(people.map(({ playerId }) => playerId));
    const records = await this.cloud.deps.cooldowns.of(this.queue, [...ids]);
    return [...records.values()].reduce((sum, { offences }) => sum + offences.length, 0);
  }

  async #ratings(matches: ReadonlyMap<string, StoredMatch>): Promise<string[]> {
    if (this.#definition.ladder === undefined) return [];
    const { changes, deps } = this.cloud;
    const [deadLetters, results] = [this.#deadLetters, this.#results];
    return ratingViolations(deps.ratings, { matches, changes, deadLetters, results });
  }

  async #offences(tickets: readonly StoredTicket[], matches: ReadonlyMap<string, StoredMatch>) {
    if (this.#definition.cooldown === undefined) return [];
    const { cooldowns, queues } = this.cloud.deps;
    const { presenceHeldUntilMs: heldUntilMs = 0 } = (await queues.get(this.queue))!;
    const leavers = this.#leavers;
    const own = new Map([...matches].filter(([, { queue }]) => queue === this.queue));
    return offenceViolations(cooldowns, this.queue, { tickets, matches: own, heldUntilMs, leavers });
  }

  /**
   * No player sees a match that disappears, or QUEUED after the match, unless the match was dissolved.
   * Responses to concurrent requests have no order.
   */
  *#contradictions(matches: ReadonlyMap<string, StoredMatch>): Generator<string> {
    const byTicket = Map.groupBy(this.#told, ({ ticketId }) => ticketId);
    for (const [ticketId, told] of byTicket) {
      for (const { matchId, end } of told) {
        if (matchId === undefined) continue;
        const match = matches.get(matchId);
        if (match === undefined)
          yield `ticket ${ticketId} was told of match ${matchId}, which does not exist`;
        const later = told.find((other) => other.begin > end && other.matchId !== matchId);
        if (later !== undefined && match?.cancelled === undefined && !match?.requeued)
          yield `ticket ${ticketId} was told of match ${matchId}, then that it is ${later.status} without it`;
      }
    }
  }

  /** In a queue with one place for a player, no player waits in two tickets at once or is in two matches that run. */
  *#inTwoPlaces(
    tickets: readonly StoredTicket[],
    matches: ReadonlyMap<string, StoredMatch>,
  ): Generator<string> {
    if (!this.#definition.onePlace) return;
    const runs = ({ queue, status, matchId = '' }: StoredTicket) =>
      queue === this.queue &&
      status === 'MATCHED' &&
      matches.get(matchId)?.status === 'COMPLETED' &&
      !matches.get(matchId)?.endedAt;
    for (const [playerId, theirs] of Map.groupBy(tickets.filter(runs), (one) => one.players[0]!.playerId))
      if (theirs.length > 1)
        yield `player ${playerId} is in the matches of ${theirs.map(({ ticketId }) => ticketId)}`;
    const waiting = new Map<string, string>();
    for (const { table, after } of this.cloud.changes) {
      if (table !== 'tickets') continue;
      const { ticketId, status, players } = after as StoredTicket;
      for (const { playerId } of players) {
        const other = waiting.get(playerId);
        if (status !== 'QUEUED') {
          if (other === ticketId) waiting.delete(playerId);
        } else if (other !== undefined && other !== ticketId)
          yield `player ${playerId} waits in ${other} and ${ticketId}`;
        else waiting.set(playerId, ticketId);
      }
    }
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.all.random.integer(from.length)]!;
  }
}

function overlap(a: KeyRange, b: KeyRange): boolean {
  const begins = (low: string | undefined, high: string | undefined) =>
    low === undefined || high === undefined || low < high;
  return begins(a.from, b.to) && begins(b.from, a.to);
}
