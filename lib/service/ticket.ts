import * as z from 'zod';
import type { Player, Ticket } from '../engine/types.ts';
import { type FieldProblem, invalid, parseWith } from './problem.ts';
import { LIMITS, type QueueDefinition, queueName } from './queue-definition.ts';

/** FlexMatch's names, so that a studio that migrates knows them. */
export const TICKET_STATUSES = [
  'QUEUED',
  'REQUIRES_ACCEPTANCE',
  'PLACING',
  'COMPLETED',
  'CANCELLED',
  'TIMED_OUT',
  'FAILED',
] as const;
export type TicketStatus = (typeof TICKET_STATUSES)[number];

const FINAL: readonly TicketStatus[] = ['COMPLETED', 'CANCELLED', 'TIMED_OUT', 'FAILED'];
export const isFinal = (status: TicketStatus): boolean => FINAL.includes(status);

export const id = z
  .string()
  .regex(/^[A-Za-z0-9_.:@=+-]{1,128}$/, 'Expected 1 to 128 of the characters A–Z a–z 0–9 _ . : @ = + -');

export const player = z
  .strictObject({
    playerId: id,
    skill: z
      .number()
      .min(0)
      .max(LIMITS.skillMax)
      .meta({ description: 'Any scale; imbalance has the same unit' }),
    roles: z
      .array(z.string().min(1).max(32))
      .min(1)
      .refine((roles) => new Set(roles).size === roles.length, 'Expected each role once')
      .exactOptional()
      .meta({ description: 'Roles the player accepts; left out: every role of the queue' }),
  })
  .meta({ id: 'Player' });

const players = z
  .array(player)
  .min(1)
  .max(LIMITS.teamSizeMax)
  .meta({ description: 'A party; its players play on one team or not at all' });

/** What a client POSTs. The client chooses the id, so that a repeated request is one ticket. */
export const newTicket = z.strictObject({ ticketId: id, players }).meta({ id: 'NewTicket' });
export type NewTicket = z.output<typeof newTicket>;

/** A ticket of a tickets file, as `muster match` and dry runs read it. */
export const fileTicket = z
  .strictObject({ ticketId: id, enqueuedAt: z.iso.datetime({ offset: true }), players })
  .meta({ id: 'FileTicket' });

/** A ticket as the service tells of it. */
export const ticketView = z
  .object({
    ticketId: id,
    queue: queueName,
    status: z.enum(TICKET_STATUSES),
    enqueuedAt: z.iso.datetime(),
    players,
    matchId: z.string().optional().meta({ description: 'From the match on' }),
    reason: z
      .string()
      .optional()
      .meta({ description: 'While waiting: why not matched yet; on a bad end: why' }),
  })
  .meta({ id: 'Ticket' });
export type TicketView = z.output<typeof ticketView>;

/** A ticket as it is stored. Once it has a match, its status is the match's: see `ticket-status.ts`. */
export interface StoredTicket {
  readonly ticketId: string;
  readonly queue: string;
  readonly status: TicketStatus;
  /** ISO 8601, milliseconds, UTC. */
  readonly enqueuedAt: string;
  readonly players: readonly Player[];
  readonly matchId?: string;
  readonly reason?: string;
}

export function toView(ticket: StoredTicket): TicketView {
  const { ticketId, queue, status, enqueuedAt, matchId, reason } = ticket;
  return {
    ticketId,
    queue,
    status,
    enqueuedAt,
    players: ticket.players.map(({ playerId, skill, roles }) => ({
      playerId,
      skill,
      ...(roles && { roles: [...roles] }),
    })),
    ...(matchId !== undefined && { matchId }),
    ...(reason !== undefined && { reason }),
  };
}

export function toEngineTicket(ticket: {
  ticketId: string;
  enqueuedAt: string;
  players: readonly Player[];
}): Ticket {
  return {
    ticketId: ticket.ticketId,
    enqueuedAtMs: Date.parse(ticket.enqueuedAt),
    players: ticket.players,
  };
}

/**
 * Reads what a client POSTs to a queue.
 * @throws Problem (400) that names every field at fault
 */
export function parseNewTicket(body: unknown, definition: QueueDefinition): NewTicket {
  const ticket = parseWith(newTicket, body, 'The ticket');
  const problems = misfits(ticket.players, definition);
  if (problems.length > 0) throw invalid('The ticket', problems);
  return ticket;
}

/**
 * Reads a tickets file: ids are unique, and every ticket fits the queue.
 * @throws Problem (400) that names every field at fault
 */
export function parseTicketsFile(body: unknown, definition: QueueDefinition, what: string): Ticket[] {
  const tickets = parseWith(z.array(fileTicket), body, what);
  const seen = new Set<string>();
  const problems = tickets.flatMap((ticket, i) => {
    const found = misfits(ticket.players, definition).map(({ pointer, detail }) => ({
      pointer: `#/${i}${pointer.slice(1)}`,
      detail,
    }));
    if (seen.has(ticket.ticketId)) {
      found.push({
        pointer: `#/${i}/ticketId`,
        detail: `Expected each ticketId once, got ${ticket.ticketId} again`,
      });
    }
    seen.add(ticket.ticketId);
    return found;
  });
  if (problems.length > 0) throw invalid(what, problems);
  return tickets.map(toEngineTicket);
}

/** Why a party cannot play this queue at all; empty when it can. */
export function misfits(players: readonly Player[], definition: QueueDefinition): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (players.length > definition.teamSize) {
    problems.push({
      pointer: '#/players',
      detail: `Expected at most ${definition.teamSize} players (teamSize), got ${players.length}`,
    });
  }
  const seen = new Set<string>();
  for (const [i, { playerId, roles }] of players.entries()) {
    if (seen.has(playerId)) {
      problems.push({
        pointer: `#/players/${i}/playerId`,
        detail: `Expected each player once in a ticket, got ${playerId} again`,
      });
    }
    seen.add(playerId);
    for (const [j, role] of (roles ?? []).entries()) {
      if (definition.roles === undefined || !Object.hasOwn(definition.roles, role)) {
        const known = definition.roles
          ? Object.keys(definition.roles).join(', ')
          : 'none: this queue has no roles';
        problems.push({
          pointer: `#/players/${i}/roles/${j}`,
          detail: `Expected a role of queue ${definition.name} (${known}), got ${role}`,
        });
      }
    }
  }
  if (problems.length === 0 && definition.roles && !seatable(players, definition.roles)) {
    problems.push({
      pointer: '#/players',
      detail:
        'Expected a party whose players can fill places of one team together; the roles they accept leave too few',
    });
  }
  return problems;
}

/** Whether every player can have a place in one team: bipartite matching by augmenting paths. */
function seatable(players: readonly Player[], roles: Readonly<Record<string, number>>): boolean {
  const places = Object.entries(roles).flatMap(([role, count]) => Array<string>(count).fill(role));
  const taken: (number | undefined)[] = places.map(() => undefined);
  const seat = (player: number, tried: Set<number>): boolean =>
    places.some((role, place) => {
      const accepted = players[player]!.roles;
      if (tried.has(place) || (accepted && !accepted.includes(role))) return false;
      tried.add(place);
      const holder = taken[place];
      if (holder !== undefined && !seat(holder, tried)) return false;
      taken[place] = player;
      return true;
    });
  return players.every((_, player) => seat(player, new Set()));
}
