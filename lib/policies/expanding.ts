import { shapeOf } from '../engine/game-pool.ts';
import type { Ticket } from '../engine/types.ts';
import type { ExpandingOptions } from '../vocabulary/release-options.ts';
import {
  type Candidate,
  type CandidateSource,
  meanSkill,
  type Policy,
  type PoolFacts,
  takesAnyone,
} from './policy.ts';

/**
 * Mutual windows that widen: a game is released when every ticket is within the tolerance of every other one.
 * A ticket's tolerance grows with its own age. The ticket that has waited longest is served first, with its
 * nearest neighbours.
 *
 * FlexMatch's expansions translate one to one: `tolerance` is the rule's initial value, and each expansion step
 * is one of `steps`.
 */
export function expanding(options: ExpandingOptions): Policy {
  return {
    candidates: (pool, facts, nowMs) => amongTolerantNeighbours(pool, facts, nowMs, options),
    release({ tickets }, _facts, nowMs) {
      const [low, high] = spanOf(tickets);
      for (const ticket of tickets) {
        const tolerance = toleranceAt(nowMs - ticket.enqueuedAtMs, options);
        const skill = meanSkill(ticket);
        const distance = Math.max(high - skill, skill - low);
        if (distance > tolerance) {
          const seconds = secondsUntil(distance, nowMs - ticket.enqueuedAtMs, options);
          const until = seconds === undefined ? '' : ` It accepts that in ${seconds} s.`;
          return {
            release: false,
            reason: `Ticket ${ticket.ticketId} accepts a skill distance of ${rounded(tolerance)} now; in the match found it is ${rounded(distance)}.${until}`,
          };
        }
      }
      return { release: true };
    },
    reason(ticket, _facts, nowMs) {
      const ageMs = nowMs - ticket.enqueuedAtMs;
      const tolerance = toleranceAt(ageMs, options);
      const step = options.steps?.find(({ waitSeconds }) => ageMs < 1000 * waitSeconds);
      const seconds = step ? Math.ceil(step.waitSeconds - ageMs / 1000) : GROWN_IN_SECONDS;
      const later = toleranceAt(ageMs + 1000 * seconds, options);
      return (
        'Too few waiting players accept its skill and have a skill it accepts. After ' +
        `${Math.floor(ageMs / 1000)} s it accepts a skill distance of ${rounded(tolerance)}` +
        `${later > tolerance ? `, and of ${rounded(later)} in ${seconds} s` : ''}.`
      );
    },
  };
}

/** Reasons say what a growing tolerance is after this time. */
const GROWN_IN_SECONDS = 10;

/** A distance in skill, to four digits: growing tolerances have many. */
const rounded = (distance: number): number => Number(distance.toPrecision(4));

/** The whole seconds until a ticket of this age accepts a distance; undefined if it never does. */
function secondsUntil(distance: number, ageMs: number, options: ExpandingOptions): number | undefined {
  const { tolerance, steps = [], growthPerSecond = 0 } = options;
  const grown = growthPerSecond > 0 ? [(distance - tolerance) / growthPerSecond] : [];
  return [...steps.map(({ waitSeconds }) => waitSeconds), ...grown]
    .map((waitSeconds) => Math.ceil(waitSeconds - ageMs / 1000))
    .find((seconds) => seconds > 0 && toleranceAt(ageMs + 1000 * seconds, options) >= distance);
}

/** The tolerance of a ticket of this age. It never decreases with age. */
function toleranceAt(ageMs: number, options: ExpandingOptions): number {
  const { tolerance, steps, growthPerSecond = 0, toleranceMax = Number.POSITIVE_INFINITY } = options;
  let reached = tolerance + (growthPerSecond * ageMs) / 1000;
  for (const step of steps ?? []) if (ageMs >= 1000 * step.waitSeconds) reached = step.tolerance;
  return Math.min(reached, toleranceMax);
}

/**
 * For each ticket, in order of waiting time, longest first: the best game among its nearest neighbours. A
 * neighbour is included only if it and all tickets included before accept each other.
 */
function* amongTolerantNeighbours(
  pool: CandidateSource,
  { rules }: PoolFacts,
  nowMs: number,
  options: ExpandingOptions,
): Iterable<Candidate> {
  const sorted = pool.bySkill.filter((ticket) => pool.isWaiting(ticket));
  const place = new Map(sorted.map((ticket, at) => [ticket, at]));
  const skills = Float64Array.from(sorted, meanSkill);
  const tolerances = Float64Array.from(sorted, (ticket) => toleranceAt(nowMs - ticket.enqueuedAtMs, options));
  const solos = takesAnyone(rules) && sorted.every(({ players }) => players.length === 1);
  const { seats, seatsMin } = shapeOf(rules);
  // With parties, roles or sides a game needs more candidates, because parties may not fit and seats may stay empty.
  const timesSeats =
    typeof rules.teams === 'object' ? 12 : pool.hasRules ? 6 : rules.roles === undefined ? 2 : 4;
  const enough = solos && !pool.hasRules ? seats : timesSeats * seats;

  for (const anchor of pool.byAge) {
    if (pool.isOver()) return;
    const at = place.get(anchor);
    if (at === undefined || !pool.isWaiting(anchor)) continue;
    const group = groupAround(at, enough);
    if (group === undefined) continue;
    const candidate = pool.gameAmong(group, anchor);
    if (candidate !== undefined) yield candidate;
  }

  function groupAround(at: number, wanted: number): Ticket[] | undefined {
    const group = [sorted[at]];
    let players = sorted[at].players.length;
    // All members accept skills in [acceptedLow, acceptedHigh]; the members' skills span [low, high].
    let acceptedLow = skills[at] - tolerances[at];
    let acceptedHigh = skills[at] + tolerances[at];
    let low = skills[at];
    let high = skills[at];
    let below = at - 1;
    let above = at + 1;
    while (players < wanted && !pool.isOver()) {
      const toBelow = below >= 0 ? skills[at] - skills[below] : Number.POSITIVE_INFINITY;
      const toAbove = above < sorted.length ? skills[above] - skills[at] : Number.POSITIVE_INFINITY;
      if (toBelow === Number.POSITIVE_INFINITY && toAbove === Number.POSITIVE_INFINITY) break;
      const next = toBelow <= toAbove ? below-- : above++;
      const skill = skills[next];
      if (skill < acceptedLow) {
        below = -1;
        continue;
      }
      if (skill > acceptedHigh) {
        above = sorted.length;
        continue;
      }
      if (!pool.isWaiting(sorted[next]) || !pool.mayMeet(sorted[at], sorted[next])) continue;
      if (Math.max(high - skill, skill - low) > tolerances[next]) continue;
      group.push(sorted[next]);
      players += sorted[next].players.length;
      acceptedLow = Math.max(acceptedLow, skill - tolerances[next]);
      acceptedHigh = Math.min(acceptedHigh, skill + tolerances[next]);
      low = Math.min(low, skill);
      high = Math.max(high, skill);
    }
    return players >= seatsMin ? group : undefined;
  }
}

function spanOf(tickets: readonly Ticket[]): [low: number, high: number] {
  const skills = tickets.map(meanSkill);
  return [Math.min(...skills), Math.max(...skills)];
}
