import { sortedBy } from '../collections/sort-skills.ts';
import type { Player, Ticket } from '../types.ts';

/** A waiting ticket with the values that searches need, computed once. */
export interface PooledTicket {
  readonly ticket: Ticket;
  /** The players of the party. */
  readonly size: number;
  readonly skills: Float64Array;
  /** The mean skill of its players, by which the pool is ordered; ties go by ticketId. */
  readonly mean: number;
  /** The least and the greatest skill of its players. */
  readonly low: number;
  readonly high: number;
  /** The sum of squared deviations of its players from their mean. */
  readonly spread: number;
}

/**
 * The values of a ticket of at most `teamSize` players.
 * @throws RangeError when the party is empty or larger than a team, or a skill is neither 0 nor from 1e-100 to 1e100.
 */
export function poolTicket(ticket: Ticket, teamSize: number): PooledTicket {
  const size = ticket.players.length;
  if (size < 1 || size > teamSize) {
    throw new RangeError(
      `Expected ticket ${ticket.ticketId} to have 1 to ${teamSize} players, got ${size}: a party is never split`,
    );
  }
  const skills = new Float64Array(size);
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  for (let i = 0; i < size; i++) {
    const skill = skillOf(ticket.players[i]);
    skills[i] = skill;
    if (skill < low) low = skill;
    if (skill > high) high = skill;
  }
  const mean = meanOf(skills, low);
  let spread = 0;
  for (let i = 0; i < size; i++) spread += (skills[i] - mean) ** 2;
  return { ticket, size, skills, mean, low, high, spread };
}

/**
 * The skill of the player of a one-player ticket.
 * @throws RangeError when it is neither 0 nor from 1e-100 to 1e100.
 */
export function soloSkill({ players }: Ticket): number {
  return skillOf(players[0]);
}

function skillOf({ playerId, skill }: Player): number {
  if (!(skill === 0 || (skill >= skillMin && skill <= skillMax))) {
    throw new RangeError(
      `Expected the skill of player ${playerId} to be 0 or from ${skillMin} to ${skillMax}, got ${skill}`,
    );
  }
  return skill;
}

/**
 * The range of skills other than 0. Two of them differ by 1e-116 or more, or not at all, so that squares of differences and
 * their sums are neither 0 nor ∞.
 */
const skillMin = 1e-100;
const skillMax = 1e100;

/**
 * The mean of skills of which `low` is the least. The sum is relative to `low`, so a party of equal skills has exactly that
 * mean. A rounded mean could differ from it by more than the bounds of a search allow.
 */
function meanOf(skills: Float64Array, low: number): number {
  let above = 0;
  for (let i = 0; i < skills.length; i++) above += skills[i] - low;
  return low + above / skills.length;
}

/** The pool's order: mean skill, then ticketId by code units. */
export function bySkill(a: PooledTicket, b: PooledTicket): number {
  return a.mean - b.mean || (a.ticket.ticketId < b.ticket.ticketId ? -1 : 1);
}

/** The tickets in the pool's order. */
export function sortBySkill<T extends PooledTicket>(tickets: readonly T[]): T[] {
  return sortedBy(tickets, ({ mean }) => mean, bySkill);
}
