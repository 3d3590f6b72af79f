import { type Filling, shapeOf } from '../engine/game-pool.ts';
import type { Constraints, Game, GameRules, Ticket } from '../engine/types.ts';
import type { CustomFailure, CustomFailures } from '../rules/custom/calls.ts';
import { kindsOf } from '../rules/measures.ts';
import { type Meetings, meetingsOf, noMeetings } from '../rules/met.ts';
import { compileRules } from '../rules/rule-states.ts';
import type { RuledPlayer } from '../rules/types.ts';
import { type Backfill, Backfills } from './backfills.ts';
import { fillWithBots } from './bots.ts';
import { choicesOf } from './choices/choices.ts';
import type { KeptSearches } from './kept-searches.ts';
import { type Coverage, type Estimates, estimatesOf, remember, type TickMemory } from './memory.ts';
import { inPercentiles, ofPercentiles } from './percentile.ts';
import { byArrival, type OutOfTime, type PoolFacts } from './policy.ts';
import { gameRulesOf, type QueueRules } from './queue-rules.ts';
import { policyOf } from './release.ts';
import { WaitingPool } from './waiting-pool.ts';
import { waitingReasons } from './waiting-reasons.ts';
import { type PoolAfter, WhatIf } from './what-if.ts';

export type { Filling } from '../engine/game-pool.ts';
export type { Backfill } from './backfills.ts';
export type { TickMemory } from './memory.ts';
export type { OutOfTime } from './policy.ts';
export { type BackfillPriority, gameRulesOf, type QueueRules } from './queue-rules.ts';

/** Games that a queue is expected to make within one time-out, until arrivals have been measured. */
const GAMES_BEFORE_TIMEOUT = 5;

/** What a tick plans with: all that it knows, so that the plan needs no I/O. */
export interface TickInput {
  readonly rules: QueueRules;
  /** The waiting tickets of the range of skill that is searched, in any order, with distinct ticket ids. */
  readonly tickets: readonly Ticket[];
  /** The running matches that ask for players, with distinct ids. @default none */
  readonly backfills?: readonly Backfill[] | undefined;
  readonly nowMs: number;
  /** The memory that the last tick of this range returned. Omit it at the first tick. */
  readonly memory?: TickMemory | undefined;
  /** The part of the arrivals that the tickets show. @default all arrivals of the bucket since its last tick */
  readonly coverage?: Coverage | undefined;
  /**
   * The memory of the whole queue, when it has several buckets. Rates, densities and ranks are then estimated from it, so
   * that a bucket's games do not depend on where its edges are. @default the memory of the bucket
   */
  readonly queueMemory?: TickMemory | undefined;
  /** false: no ticket times out, however old; the policy treats an overdue one as at its last chance. @default true */
  readonly timeouts?: boolean;
  /** false: reasons are empty strings and cost nothing. The id of a ticket: only its reason is computed. @default true */
  readonly reasons?: boolean | string;
  /**
   * Asked between two games and within searches. When it returns true, the plan ends soon, with the games made so far. Use it
   * for pools that are too large for one tick. Asked with a share, it tells whether that part of the time is over; it may
   * ignore the share. @default never out of time
   */
  readonly outOfTime?: OutOfTime;
  /** The meetings of players in earlier matches, for `recent` rules. @default those in the players' tickets */
  readonly meetings?: Meetings | undefined;
  /** The searches of earlier ticks of this range. @default none are kept */
  readonly kept?: KeptSearches | undefined;
}

/** What a tick does: the games to commit and the tickets to time out, and why the others wait. */
export interface TickPlan {
  /** In the order of release. No ticket is in two games, and no game has two tickets that share a player. */
  readonly matches: readonly Game[];
  /** Every ticket that keeps waiting, longest wait first, with the reason. */
  readonly waiting: readonly { readonly ticketId: string; readonly reason: string }[];
  /** Tickets past their time-out that are in no game, longest wait first. */
  readonly timedOut: readonly string[];
  /** In the order of release. No ticket is in two of them, or in one of them and a match. */
  readonly fillings: readonly Filling[];
  /** Every backfill that keeps waiting, longest wait first, with the reason. */
  readonly unfilled: readonly { readonly backfillId: string; readonly reason: string }[];
  /** Backfills past the time-out of the queue. They are not filled. */
  readonly timedOutBackfills: readonly string[];
  /** How many tickets wait on at their last chance although a game was not proved to be impossible. */
  readonly missedLastChances: number;
  /** The calls of the studio's functions that failed, and so refused their games. */
  readonly failures: readonly CustomFailure[];
  readonly memory: TickMemory;
}

/** What a tick releases: a game that begins, or the newcomers of one that is being played. */
export type Released = Game | Filling;

export function isFilling(released: Released): released is Filling {
  return 'increment' in released;
}

/**
 * Plans one tick: which games are made now, which tickets keep waiting and why, and which time out.
 *
 * Pure: the same input gives the same output to the byte. First the tickets past their time-out are removed or,
 * with `fill: 'bots'`, get a game with their nearest neighbours and bots. Then the release policy chooses games.
 *
 * @example
 * ```ts
 * import { planTick, type QueueRules } from './plan.ts';
 *
 * const rules: QueueRules = {
 *   teamSize: 1,
 *   imbalance: { alpha: 1, p: 1, q: 2 },
 *   release: { policy: 'greedy' },
 *   tickSeconds: 2,
 *   timeoutSeconds: 300,
 * };
 * const skills = { ann: 1500, bob: 1510, cy: 1900 };
 * const tickets = Object.entries(skills).map(([ticketId, skill]) => ({
 *   ticketId,
 *   enqueuedAtMs: 0,
 *   players: [{ playerId: ticketId, skill }],
 * }));
 * const { matches, waiting, timedOut, memory } = planTick({ rules, tickets, nowMs: 2000 });
 * matches.map(({ ticketIds }) => ticketIds); // => [['ann', 'bob']]
 * waiting.map(({ ticketId }) => ticketId); // => ['cy']
 * timedOut; // => []
 * // Pass the memory to the next tick of the same range.
 * planTick({ rules, tickets: tickets.slice(2), nowMs: 4000, memory }).matches; // => []
 * ```
 */
export function planTick(input: TickInput): TickPlan {
  const games = planGames(input);
  for (;;) {
    const step = games.next();
    if (step.done) return step.value;
  }
}

/**
 * The same, one game after another: each is yielded as soon as it is released, so that it can be committed
 * while the search continues.
 * @returns the plan, with all games that were yielded
 */
export function* planGames(input: TickInput): Generator<Released, TickPlan> {
  const { rules, nowMs, backfills: asked = [], timeouts = true, reasons = true } = input;
  let isOutOfTime = false;
  const outOfTime: OutOfTime = (share) => {
    if (share !== undefined) return isOutOfTime || (input.outOfTime?.(share) ?? false);
    isOutOfTime ||= input.outOfTime?.() ?? false;
    return isOutOfTime;
  };
  const memory = remember(input.memory, input.tickets, nowMs, input.coverage, choicesOf(rules));
  const ofSkills = estimatesOf(input.queueMemory ?? memory, expectedRate(rules));
  const percentiles = rules.skillScale === 'percentile';
  const tickets = percentiles ? inPercentiles(input.tickets, ofSkills) : input.tickets;
  const backfilled = percentiles ? inPercentiles(asked, ofSkills) : asked;
  const timeoutMs = 1000 * rules.timeoutSeconds;
  const isLate = (ticket: Ticket) => timeouts && nowMs - ticket.enqueuedAtMs >= timeoutMs;
  const late = tickets.filter(isLate).sort(byArrival);
  const gameRules = gameRulesOf(rules);
  const meetings = input.meetings ?? (rules.rules ? meetingsOf(playersOf(tickets, backfilled)) : noMeetings);
  const moment: Moment = { ...input, meetings, gameRules, outOfTime, failures: new Map() };
  const constraints = constraintsOf(moment, rules.rules, tickets);
  // With percentiles every ticket has other skills at each tick, so that nothing kept is of use.
  const kept = percentiles ? undefined : input.kept;
  const pool = new WaitingPool(gameRules, tickets, nowMs, constraints, kept, outOfTime);
  const isOver = ({ requestedAtMs }: Backfill) => timeouts && nowMs - requestedAtMs >= timeoutMs;
  const { games: matches, timedOut } = yield* endLate(late, pool, rules, gameRules, outOfTime);

  const poolAfter: PoolAfter = (some, change) => {
    const applied = rules.rules?.filter((rule) => !change.without.includes(rule));
    const changed = constraintsOf({ ...moment, nowMs: change.nowMs }, applied, some);
    return new WaitingPool(gameRules, some, change.nowMs, changed, undefined, outOfTime);
  };
  const whatIf = new WhatIf(rules, nowMs, meetings, poolAfter, outOfTime);
  const policy = policyOf(rules.release);
  const facts = factsOf(input, percentiles ? ofPercentiles(ofSkills) : ofSkills, pool, gameRules, timeoutMs);
  const backfills =
    backfilled.length === 0
      ? undefined
      : new Backfills(
          backfilled.filter((backfill) => !isOver(backfill)),
          pool,
          policy,
          facts,
          nowMs,
          rules.backfill?.priority ?? 'normal',
          whatIf,
        );
  if (backfills) yield* backfills.fill('before', outOfTime);
  const held = new Map<string, string>();
  for (const candidate of policy.candidates(pool, facts, nowMs)) {
    if (outOfTime()) break;
    const verdict = policy.release(candidate, facts, nowMs);
    if (verdict.release) {
      const game = pool.take(candidate);
      matches.push(game);
      yield game;
    } else if (reasons !== false) {
      for (const { ticketId } of candidate.tickets) {
        if (!held.has(ticketId)) held.set(ticketId, verdict.reason);
      }
    }
  }
  // A pool whose search was cut short says nothing about the games that it still has.
  const isComplete = input.coverage === undefined && !outOfTime();
  if (backfills) yield* backfills.fill('after', outOfTime);
  const reasonOf = reasons && waitingReasons({ pool, held, policy, facts, backfills, whatIf, nowMs });
  const wanted = ({ ticketId }: Ticket) => reasons === true || reasons === ticketId;
  return {
    matches,
    fillings: backfills?.filled ?? [],
    unfilled: backfills?.unfilled(reasons === true) ?? [],
    missedLastChances: pool.missed,
    failures: [...moment.failures.values()],
    timedOutBackfills: backfilled.filter(isOver).map(({ backfillId }) => backfillId),
    waiting: pool.byAge
      .filter((ticket) => pool.isWaiting(ticket))
      .map((ticket) => ({
        ticketId: ticket.ticketId,
        reason: reasonOf && wanted(ticket) ? reasonOf(ticket) : '',
      })),
    timedOut,
    memory: isComplete ? { ...memory, searchedAtMs: nowMs } : memory,
  };
}

/** Times out the tickets past their time-out or, with `fill: 'bots'`, fills their games. */
function* endLate(
  late: readonly Ticket[],
  pool: WaitingPool,
  { fill }: QueueRules,
  gameRules: GameRules,
  outOfTime: OutOfTime,
): Generator<Game, { games: Game[]; timedOut: string[] }> {
  const games: Game[] = [];
  const timedOut: string[] = [];
  for (const ticket of late) {
    if (!pool.isWaiting(ticket)) continue;
    // The next tick can still fill its game. Timing it out here would deny it that game.
    if (fill === 'bots' && outOfTime()) break;
    const game = fill === 'bots' ? fillWithBots(pool, ticket, gameRules) : undefined;
    // The search for its game was cut short, which does not mean that there is none.
    if (game === undefined && fill === 'bots' && outOfTime()) break;
    if (game !== undefined) {
      games.push(game);
      yield game;
    } else {
      timedOut.push(ticket.ticketId);
      pool.drop(ticket);
    }
  }
  return { games, timedOut };
}

/** The moment of a search: of this tick, or a later one. */
interface Moment extends Pick<TickInput, 'rules' | 'nowMs' | 'backfills' | 'outOfTime'> {
  readonly gameRules: GameRules;
  readonly meetings: Meetings;
  readonly failures: CustomFailures;
}

/** Some rules of the queue for searches at a moment; undefined when nothing limits who may play together. */
function constraintsOf(
  { rules, nowMs, meetings, gameRules, failures, backfills = [], outOfTime }: Moment,
  applied: QueueRules['rules'],
  tickets: readonly Ticket[],
): (() => Constraints) | undefined {
  const isAvoiding = ({ avoid }: RuledPlayer) => avoid !== undefined && avoid.length > 0;
  const groups: readonly { readonly players: readonly RuledPlayer[] }[] = [...tickets, ...backfills];
  const hasAvoid = groups.some(({ players }) => players.some(isAvoiding));
  const { seats, seatsMin, teamSizes } = shapeOf(gameRules);
  const moment = {
    nowMs,
    seats,
    seatsMin,
    kinds: kindsOf(rules.teams),
    teams: teamSizes.length,
    teamSize: Math.max(...teamSizes),
    meetings,
    outOfTime,
    failures,
  };
  return compileRules({ ...rules, rules: applied }, moment, hasAvoid);
}

function playersOf(tickets: readonly Ticket[], backfills: readonly Backfill[]): readonly RuledPlayer[] {
  return [...tickets, ...backfills].flatMap((group): readonly RuledPlayer[] => group.players);
}

/** The rate in players per second at which a few games form within one time-out; used until arrivals are measured. */
function expectedRate(rules: QueueRules): number {
  return (GAMES_BEFORE_TIMEOUT * shapeOf(gameRulesOf(rules)).seats) / rules.timeoutSeconds;
}

function factsOf(
  { rules, memory: before, coverage, nowMs }: TickInput,
  estimates: Estimates,
  pool: WaitingPool,
  gameRules: GameRules,
  timeoutMs: number,
): PoolFacts {
  let waitingPlayers = 0;
  let oldestEnqueuedAtMs = nowMs;
  for (const { players, enqueuedAtMs } of pool.waiting) {
    waitingPlayers += players.length;
    oldestEnqueuedAtMs = Math.min(oldestEnqueuedAtMs, enqueuedAtMs);
  }
  return {
    rules: gameRules,
    timeoutMs,
    tickMs: 1000 * rules.tickSeconds,
    previousTickMs: Math.max(
      before?.tickedAtMs ?? oldestEnqueuedAtMs,
      coverage?.sinceMs ?? Number.MIN_SAFE_INTEGER,
    ),
    searchedAtMs: coverage === undefined ? before?.searchedAtMs : undefined,
    waitingPlayers,
    oldestEnqueuedAtMs,
    ...estimates,
  };
}
