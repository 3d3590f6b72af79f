import type { Player, Ticket } from '../engine/types.ts';
import { mix } from '../experiments/coin.ts';
import { KeptSearches } from '../policies/kept-searches.ts';
import { planTick, type QueueRules, type TickMemory, type TickPlan } from '../policies/plan.ts';
import { meanSkill } from '../policies/policy.ts';
import type { Met } from '../rules/met.ts';
import { recentSeconds } from '../rules/moments.ts';
import { meetingRecords } from '../service/commits/meeting-records.ts';
import { rangeName, type TickRange, tickRanges } from '../service/domain/buckets.ts';
import { getOrCreate } from '../vocabulary/get-or-create.ts';
import type { Arrival } from './arrivals.ts';
import type { Observer, Unmatched } from './observer.ts';
import type { RunningMatches } from './running-matches.ts';

/** A queue of a simulation. */
export interface SimulatedQueue {
  readonly rules: QueueRules & { readonly buckets?: 'auto' | readonly number[] | undefined };
  /**
   * The rules in force at a moment, when they change: as definitions do in the service, at the next tick. They differ from `rules`
   * in what decides about games, not in its times and buckets. @default `rules`, always
   */
  readonly rulesAt?: ((nowMs: number) => QueueRules) | undefined;
  readonly observers: readonly Observer[];
  /** The matches that are being played and ask for players. @default matches are forgotten when they are released */
  readonly running?: RunningMatches | undefined;
}

export interface SimulationOptions extends SimulatedQueue {
  /** Further queues. An arrival names those in which its ticket waits, and the first match wins. @default none */
  readonly also?: readonly SimulatedQueue[] | undefined;
  /** In the order of arrival. Read lazily. */
  readonly arrivals: Iterable<Arrival>;
  /**
   * What happens after the last arrival. `stop`: the simulation ends while some tickets still wait. `drain`: it
   * continues until every ticket has left. @default 'drain'
   */
  readonly atEnd?: 'stop' | 'drain';
}

/** The state of a simulation after a tick. */
export interface Progress {
  readonly nowMs: number;
  /** Players who have arrived so far. */
  readonly players: number;
  /** The queue that was searched: 0 for the first, 1 for the first of `also`. */
  readonly queue: number;
  /** Searches of this queue so far; each bucket is searched separately. */
  readonly ticks: number;
}

/**
 * Plays queues in virtual time with the tick of the service itself: the same engine, policies, estimates and
 * buckets.
 *
 * Ticks are due at the multiples of `tickSeconds` since the epoch, and only while tickets
 * wait. Between two ticks there are only arrivals, cancellations and what happens in running matches. Queues with ticks at the
 * same moment are searched one after another, in an order by chance. A ticket that waits in several queues leaves all of them
 * when one matches it; each queue times it out for itself. A generator that yields after each tick, so that
 * the caller can show progress or stop. Memory grows with the waiting tickets, and in a queue with a `recent` rule with all players.
 */
export function* simulate(options: SimulationOptions): Generator<Progress, void> {
  const { also = [], atEnd = 'drain' } = options;
  const queues = [options, ...also].map((queue, at) => new PlayedQueue(queue, at));
  const arrivals = options.arrivals[Symbol.iterator]();
  let next = arrivals.next();
  let players = 0;
  let arrivedAtMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    let due = firstDue(queues);
    while (next.done !== true && next.value.ticket.enqueuedAtMs <= (due?.dueMs ?? Number.POSITIVE_INFINITY)) {
      const { ticket, patienceMs, inQueues = [ticket] } = next.value;
      for (const [at, own] of inQueues.entries()) if (own) queues[at]!.arrive(own, patienceMs);
      players += ticket.players.length;
      arrivedAtMs = ticket.enqueuedAtMs;
      next = arrivals.next();
      due = firstDue(queues);
    }
    if (next.done === true && atEnd === 'stop')
      due = firstDue(queues.filter(({ tickedAtMs }) => tickedAtMs < arrivedAtMs));
    if (due === undefined) return;
    const nowMs = due.dueMs;
    const taken = due.tick(nowMs);
    for (const other of queues) if (other !== due) other.lose(taken, nowMs);
    yield { nowMs, players, queue: due.at, ticks: due.ticks };
  }
}

/** The queue whose tick is next; undefined when no ticket waits. */
function firstDue(queues: readonly PlayedQueue[]): PlayedQueue | undefined {
  const due = queues.filter(({ dueMs }) => dueMs < Number.POSITIVE_INFINITY);
  return due.sort((one, other) => one.dueMs - other.dueMs || one.turn - other.turn)[0];
}

/** A queue with its waiting tickets. */
class PlayedQueue {
  readonly at: number;
  readonly #queue: SimulatedQueue;
  readonly #tickMs: number;
  readonly #waiting = new Map<string, Ticket>();
  /** Of the tickets that will give up, with some of those that have left since. */
  readonly #givesUpAtMs = new Map<string, number>();
  readonly #layout: Parameters<typeof tickRanges>[0];
  readonly #memories = new Map<string, TickMemory>();
  readonly #kept = new Map<string, KeptSearches>();
  readonly #recentSeconds: number;
  /** Whom each player has met, in a queue with a `recent` rule. */
  readonly #met = new Map<string, readonly Met[]>();
  #inForce: QueueRules;
  tickedAtMs = Number.NEGATIVE_INFINITY;
  ticks = 0;

  constructor(queue: SimulatedQueue, at: number) {
    const { rules } = queue;
    const { buckets = 'auto' } = rules;
    this.at = at;
    this.#queue = queue;
    this.#tickMs = 1000 * rules.tickSeconds;
    this.#recentSeconds = recentSeconds(rules);
    this.#inForce = rules;
    // Simulated pools are rarely so large that the service would split their bucket.
    this.#layout = { version: 1, boundaries: buckets === 'auto' ? [] : buckets, fromMs: 0 };
  }

  /** When the next tick is due; `Infinity` while no ticket waits. */
  get dueMs(): number {
    const [oldest] = this.#waiting.values();
    if (oldest === undefined) return Number.POSITIVE_INFINITY;
    return Math.ceil(Math.max(this.tickedAtMs + 1, oldest.enqueuedAtMs) / this.#tickMs) * this.#tickMs;
  }

  /** Among queues that are due at once, the least is the first. */
  get turn(): number {
    return mix(this.dueMs | 0, this.at);
  }

  arrive(ticket: Ticket, patienceMs: number): void {
    const withMet = (player: Player) => ({ ...player, met: this.#met.get(player.playerId) });
    const own = this.#met.size === 0 ? ticket : { ...ticket, players: ticket.players.map(withMet) };
    this.#waiting.set(ticket.ticketId, own);
    if (patienceMs < Number.POSITIVE_INFINITY)
      this.#givesUpAtMs.set(ticket.ticketId, ticket.enqueuedAtMs + patienceMs);
  }

  /** Removes those of some tickets that wait here, because another queue has matched them. */
  lose(ticketIds: readonly string[], nowMs: number): void {
    const lost = ticketIds.filter((ticketId) => this.#waiting.has(ticketId));
    for (const ticketId of lost) this.#leave(ticketId, 'elsewhere', nowMs);
    if (lost.length > 0) this.#ticked(nowMs);
  }

  /** @returns the tickets that are matched */
  tick(nowMs: number): readonly string[] {
    const { rulesAt = () => this.#queue.rules, running, observers } = this.#queue;
    this.tickedAtMs = nowMs;
    this.#giveUp(nowMs);
    running?.advance(nowMs);
    if (rulesAt(nowMs) !== this.#inForce) {
      this.#inForce = rulesAt(nowMs);
      // Searches are those of one definition.
      this.#kept.clear();
    }
    const odd = Math.round(nowMs / this.#tickMs) % 2 === 1;
    const taken: string[] = [];
    const waiting = [...this.#waiting.values()];
    for (const range of tickRanges(this.#layout, odd)) {
      const tickets = within(waiting, range);
      if (tickets.length === 0) continue;
      // A single bucket has the same range in every slot, and thus one memory.
      const name = rangeName(range);
      for (const observer of observers) observer.searching?.(name, tickets, nowMs);
      const plan = planTick({
        rules: this.#inForce,
        tickets,
        backfills: running && within(running.open, range),
        nowMs,
        memory: this.#memories.get(name),
        reasons: false,
        kept: getOrCreate(this.#kept, name, () => new KeptSearches()),
      });
      this.#memories.set(name, plan.memory);
      const gone = [...plan.matches, ...plan.fillings].flatMap(({ ticketIds }) => ticketIds);
      for (const observer of observers) observer.searched?.(name, tickets, new Set(gone), plan.memory, nowMs);
      this.ticks++;
      this.#apply(plan, nowMs);
      taken.push(...gone);
    }
    this.#ticked(nowMs);
    return taken;
  }

  #giveUp(nowMs: number): void {
    for (const [ticketId, atMs] of this.#givesUpAtMs) {
      if (atMs > nowMs) continue;
      this.#givesUpAtMs.delete(ticketId);
      if (this.#waiting.has(ticketId)) this.#leave(ticketId, 'cancelled', atMs);
    }
  }

  #apply({ matches, fillings, timedOut }: TickPlan, nowMs: number): void {
    const { running, observers } = this.#queue;
    const seconds = this.#recentSeconds;
    const games = seconds > 0 ? [...matches, ...fillings] : [];
    const records = games.flatMap((game) => meetingRecords(game, this.#waiting, seconds, nowMs));
    for (const { playerId, met } of records) this.#met.set(playerId, met);
    for (const game of matches) {
      const inGame = game.ticketIds.map((ticketId) => take(this.#waiting, ticketId));
      for (const observer of observers) observer.matched?.(game, inGame, nowMs);
      running?.begin(game, inGame, nowMs);
    }
    for (const filling of fillings) {
      const newcomers = filling.ticketIds.map((ticketId) => take(this.#waiting, ticketId));
      for (const observer of observers) observer.joined?.(filling, newcomers, nowMs);
      running?.fill(filling, newcomers, nowMs);
    }
    for (const ticketId of timedOut) this.#leave(ticketId, 'timedOut', nowMs);
  }

  #leave(ticketId: string, why: Unmatched, atMs: number): void {
    const ticket = take(this.#waiting, ticketId);
    for (const observer of this.#queue.observers) observer.left?.(ticket, why, atMs);
  }

  #ticked(nowMs: number): void {
    const left = [...this.#waiting.values()];
    for (const observer of this.#queue.observers) observer.ticked?.(nowMs, left);
  }
}

/** The tickets or running matches whose mean skill is in a range. */
function within<Group extends Pick<Ticket, 'players'>>(
  groups: readonly Group[],
  { from, to }: TickRange,
): readonly Group[] {
  if (from === undefined && to === undefined) return groups;
  const low = from === undefined ? Number.NEGATIVE_INFINITY : Number.parseFloat(from);
  const high = to === undefined ? Number.POSITIVE_INFINITY : Number.parseFloat(to);
  return groups.filter((group) => {
    const skill = meanSkill(group);
    return skill >= low && skill < high;
  });
}

function take(waiting: Map<string, Ticket>, ticketId: string): Ticket {
  const ticket = waiting.get(ticketId);
  if (ticket === undefined)
    throw new Error(`Expected a waiting ticket, got ${ticketId}: the plan names it twice`);
  waiting.delete(ticketId);
  return ticket;
}
