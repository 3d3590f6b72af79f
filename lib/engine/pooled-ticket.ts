import type { RoleTable } from './roles.ts';
import type { Ticket } from './types.ts';

/** A waiting ticket with what the searches need of it, computed once. */
export interface PooledTicket {
  readonly ticket: Ticket;
  /** The players of the party. */
  readonly size: number;
  readonly skills: Float64Array;
  /** The party's place in the pool's order: its mean skill; ties go by ticketId. */
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** The sum of squared deviations of its players from their mean. */
  readonly spread: number;
  /** The roles each player accepts; empty in a queue without roles. */
  readonly masks: Uint8Array;
}

/** @throws RangeError when the party is empty or larger than a team, or a skill is not a number ≥ 0. */
export function poolTicket(ticket: Ticket, teamSize: number, roles: RoleTable | undefined): PooledTicket {
  const size = ticket.players.length;
  if (size < 1 || size > teamSize) {
    throw new RangeError(
      `Expected ticket ${ticket.ticketId} to have 1 to ${teamSize} players, got ${size}: a party is never split`,
    );
  }
  const skills = new Float64Array(size);
  let total = 0;
  for (let i = 0; i < size; i++) {
    const { playerId, skill } = ticket.players[i];
    if (!(Number.isFinite(skill) && skill >= 0)) {
      throw new RangeError(
        `Expected the skill of player ${playerId} to be a finite number ≥ 0, got ${skill}`,
      );
    }
    skills[i] = skill;
    total += skill / size;
  }
  const mean = size === 1 ? skills[0] : total;
  let spread = 0;
  for (const skill of skills) spread += (skill - mean) ** 2;
  return {
    ticket,
    size,
    skills,
    mean,
    low: Math.min(...skills),
    high: Math.max(...skills),
    spread,
    masks: roles ? Uint8Array.from(ticket.players, (player) => roles.maskOf(player)) : noMasks,
  };
}

const noMasks = new Uint8Array(0);

/** The pool's order: mean skill, then ticketId by code units. */
export function bySkill(a: PooledTicket, b: PooledTicket): number {
  return a.mean - b.mean || (a.ticket.ticketId < b.ticket.ticketId ? -1 : 1);
}
