import type { Ticket } from '../engine/types.ts';
import { KeptSearches } from '../policies/kept-searches.ts';
import { planTick, type QueueRules, type TickMemory } from '../policies/plan.ts';
import { meanSkill } from '../policies/policy.ts';
import { rangeName, type TickRange, tickRanges } from '../service/domain/buckets.ts';
import type { Arrival } from './arrivals.ts';
import type { WaitCalibration } from './calibration.ts';
import type { Observer } from './observer.ts';
import type { RunningMatches } from './running-matches.ts';

export interface SimulationOptions {
  readonly rules: QueueRules & { readonly buckets?: 'auto' | readonly number[] | undefined };
  /**
   * The rules in force at a moment, when they change: as definitions do in the service, at the next tick. They differ from `rules`
   * in what decides about games, not in its times and buckets. @default `rules`, always
   */
  readonly rulesAt?: ((nowMs: number) => QueueRules) | undefined;
  /** The pool of a ticket: tickets of different pools are never searched together, as in two queues. @default one pool */
  readonly poolOf?: ((ticket: Ticket) => string) | undefined;
  /** In the order of arrival. Read lazily. */
  readonly arrivals: Iterable<Arrival>;
  readonly observers: readonly Observer[];
  /** Estimates the waits of tickets, and compares them with what comes. */
  readonly calibration?: WaitCalibration | undefined;
  /** The matches that are being played and ask for players. @default matches are forgotten when they are released */
  readonly running?: RunningMatches | undefined;
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
  /** Searches so far; each bucket is searched separately. */
  readonly ticks: number;
}

/**
 * Plays a queue in virtual time with the tick of the service itself: the same engine, policies, estimates and
 * buckets.
 *
 * Ticks are due at the multiples of `tickSeconds` since the epoch, as in the service, and only while tickets
 * wait. Between two ticks there are only arrivals, cancellations and what happens in running matches. A generator that yields after each tick, so that
 * the caller can show progress or stop. Memory grows with the waiting tickets.
 */
export function* simulate(options: SimulationOptions): Generator<Progress, void> {
  const { rules, rulesAt = () => rules, poolOf, running, calibration, atEnd = 'drain' } = options;
  const observers = calibration === undefined ? options.observers : [...options.observers, calibration];
  const arrivals = options.arrivals[Symbol.iterator]();
  const tickMs = 1000 * rules.tickSeconds;
  const waiting = new Map<string, Ticket>();
  /** Of the tickets that will give up, with some of those that have left since. */
  const givesUpAtMs = new Map<string, number>();
  const { buckets = 'auto' } = rules;
  // Simulated pools are rarely so large that the service would split their bucket.
  const layout = { version: 1, boundaries: buckets === 'auto' ? [] : buckets, fromMs: 0 };
  const memories = new Map<string, TickMemory>();
  const kept = new Map<string, KeptSearches>();
  let inForce: QueueRules = rules;
  let next = arrivals.next();
  let players = 0;
  let ticks = 0;
  let nowMs = Number.NEGATIVE_INFINITY;

  while (next.done !== true || (atEnd === 'drain' && waiting.size > 0)) {
    const fromMs = waiting.size === 0 && next.done !== true ? next.value.ticket.enqueuedAtMs : nowMs + 1;
    nowMs = Math.ceil(fromMs / tickMs) * tickMs;
    while (next.done !== true && next.value.ticket.enqueuedAtMs <= nowMs) {
      const { ticket, patienceMs } = next.value;
      waiting.set(ticket.ticketId, ticket);
      if (patienceMs < Number.POSITIVE_INFINITY)
        givesUpAtMs.set(ticket.ticketId, ticket.enqueuedAtMs + patienceMs);
      players += ticket.players.length;
      next = arrivals.next();
    }
    for (const [ticketId, atMs] of givesUpAtMs) {
      if (atMs > nowMs) continue;
      const ticket = waiting.get(ticketId);
      givesUpAtMs.delete(ticketId);
      if (ticket === undefined) continue;
      waiting.delete(ticketId);
      for (const observer of observers) observer.cancelled(ticket, atMs);
    }
    running?.advance(nowMs);
    if (rulesAt(nowMs) !== inForce) {
      inForce = rulesAt(nowMs);
      // Searches are those of one definition.
      kept.clear();
    }
    const odd = Math.round(nowMs / tickMs) % 2 === 1;
    for (const { range, pool, tickets } of poolsOf([...waiting.values()], tickRanges(layout, odd), poolOf)) {
      // A single bucket has the same range in every slot, and thus one memory.
      const name = rangeName(range) + pool;
      calibration?.ask(name, tickets, nowMs);
      const { matches, fillings, timedOut, memory } = planTick({
        rules: inForce,
        tickets,
        backfills: running && within(running.open, range),
        nowMs,
        memory: memories.get(name),
        reasons: false,
        kept: keptOf(kept, name),
      });
      memories.set(name, memory);
      const gone = new Set([...matches, ...fillings].flatMap(({ ticketIds }) => ticketIds));
      calibration?.searched(name, tickets, gone, memory, nowMs);
      ticks++;
      for (const game of matches) {
        const inGame = game.ticketIds.map((ticketId) => take(waiting, ticketId));
        for (const observer of observers) observer.matched(game, inGame, nowMs);
        running?.begin(game, inGame, nowMs);
      }
      for (const filling of fillings) {
        const newcomers = filling.ticketIds.map((ticketId) => take(waiting, ticketId));
        for (const observer of observers) observer.joined(filling, newcomers, nowMs);
        running?.fill(filling, newcomers, nowMs);
      }
      for (const ticketId of timedOut) {
        const ticket = take(waiting, ticketId);
        for (const observer of observers) observer.timedOut(ticket, nowMs);
      }
    }
    const left = [...waiting.values()];
    for (const observer of observers) observer.ticked(nowMs, left);
    yield { nowMs, players, ticks };
  }
}

/** The tickets that are searched together: of one range and one pool, at least one. */
function* poolsOf(
  waiting: readonly Ticket[],
  ranges: readonly TickRange[],
  poolOf: (ticket: Ticket) => string = () => '',
): Generator<{ readonly range: TickRange; readonly pool: string; readonly tickets: readonly Ticket[] }> {
  for (const range of ranges)
    for (const [pool, tickets] of Map.groupBy(within(waiting, range), poolOf)) yield { range, pool, tickets };
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

function keptOf(kept: Map<string, KeptSearches>, range: string): KeptSearches {
  let searches = kept.get(range);
  if (searches === undefined) {
    searches = new KeptSearches();
    kept.set(range, searches);
  }
  return searches;
}

function take(waiting: Map<string, Ticket>, ticketId: string): Ticket {
  const ticket = waiting.get(ticketId);
  if (ticket === undefined)
    throw new Error(`Expected a waiting ticket, got ${ticketId}: the plan names it twice`);
  waiting.delete(ticketId);
  return ticket;
}
