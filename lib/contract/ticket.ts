import * as z from 'zod';
import type { Player, Ticket } from '../engine/types.ts';
import { type FieldProblem, fieldProblems, invalid } from './problem.ts';
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
  const { ticket, problems } = readTicket(newTicket, body, definition);
  if (ticket === undefined) throw invalid('The ticket', problems);
  return ticket;
}

/**
 * Reads a tickets file: ids are unique, and every ticket fits the queue.
 * @param pointer where the list of tickets is in what the user gave
 * @throws Problem (400) that names every field at fault
 */
export function parseTicketsFile(
  body: unknown,
  definition: QueueDefinition,
  what: string,
  pointer = '#',
): Ticket[] {
  if (!Array.isArray(body)) throw invalid(what, [{ pointer, detail: 'Expected a list of tickets' }]);
  const seen = new Set<unknown>();
  const read = body.map((item) => readTicket(fileTicket, item, definition));
  const problems = read.flatMap((one, i) => {
    const ticketId = body[i]?.ticketId;
    const again = seen.has(ticketId);
    if (ticketId !== undefined) seen.add(ticketId);
    return [
      ...one.problems,
      ...(again
        ? [{ pointer: '#/ticketId', detail: `Expected each ticketId once, got ${ticketId} again` }]
        : []),
    ].map((problem) => ({ ...problem, pointer: `${pointer}/${i}${problem.pointer.slice(1)}` }));
  });
  if (problems.length > 0) throw invalid(what, problems);
  return read.map(({ ticket }) => toEngineTicket(ticket!));
}

/** A ticket in the form a schema gives it, or everything that is wrong with it. */
function readTicket<T extends z.ZodType<NewTicket>>(
  schema: T,
  body: unknown,
  definition: QueueDefinition,
): { ticket?: z.output<T>; problems: FieldProblem[] } {
  const result = schema.safeParse(body);
  if (result.success) {
    const problems = misfits(result.data.players, definition);
    return problems.length > 0 ? { problems } : { ticket: result.data, problems };
  }
  const party = legible.safeParse(body);
  return {
    problems: [
      ...fieldProblems(result.error.issues),
      ...(party.success ? clashes(party.data.players, definition) : []),
    ],
  };
}

/** What can be read of the players of a ticket that is not valid, to name the rest of its faults too. */
const legible = z.object({
  players: z.array(
    z
      .object({
        playerId: z.string().optional().catch(undefined),
        roles: z.array(z.string()).optional().catch(undefined),
      })
      .catch({}),
  ),
});

/** Why a party cannot play this queue at all; empty when it can. */
export function misfits(players: readonly Player[], definition: QueueDefinition): FieldProblem[] {
  const problems = clashes(players, definition);
  if (players.length > definition.teamSize) {
    problems.unshift({
      pointer: '#/players',
      detail: `Expected at most ${definition.teamSize} players (teamSize), got ${players.length}`,
    });
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

/** Players that are there twice, and roles that are not the queue's. */
function clashes(
  players: readonly { playerId?: string | undefined; roles?: readonly string[] | undefined }[],
  { name, roles: known }: QueueDefinition,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const seen = new Set<string>();
  for (const [i, { playerId, roles }] of players.entries()) {
    if (playerId !== undefined && seen.has(playerId)) {
      problems.push({
        pointer: `#/players/${i}/playerId`,
        detail: `Expected each player once in a ticket, got ${playerId} again`,
      });
    }
    if (playerId !== undefined) seen.add(playerId);
    for (const [j, role] of (roles ?? []).entries()) {
      if (known !== undefined && Object.hasOwn(known, role)) continue;
      const theirs = known ? Object.keys(known).join(', ') : 'none: this queue has no roles';
      problems.push({
        pointer: `#/players/${i}/roles/${j}`,
        detail: `Expected a role of queue ${name} (${theirs}), got ${role}`,
      });
    }
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
