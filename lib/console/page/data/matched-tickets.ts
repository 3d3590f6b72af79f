import type { MatchView } from '../../../contract/match.ts';
import { getOrCreate } from '../../../vocabulary/get-or-create.ts';
import { meanOf } from './measures.ts';
import { service } from './service.ts';

/** A ticket that was matched, without its names. */
export interface MatchedTicket {
  readonly ticketId: string;
  readonly skills: readonly number[];
  /** The roles that its players play, in the order of the teams. */
  readonly roles: readonly string[];
  readonly region: string | undefined;
  /** The one kind of team that its players accept; undefined when they accept several. */
  readonly side: string | undefined;
  readonly enqueuedAtMs: number;
  readonly waitSeconds: number;
}

/** As many tickets as one request returns. */
const TICKETS_PER_UPDATE = 50;
const TICKETS_MAX = 500;

/**
 * Adds tickets of the latest matches to those that are known. At most one request.
 *
 * @param asked the ids that were asked for, which are not asked for again; those of older matches leave it
 * @returns the oldest first
 */
export async function withMatchedTickets(
  known: readonly MatchedTicket[],
  asked: Set<string>,
  matches: readonly MatchView[],
  abort: AbortSignal,
): Promise<readonly MatchedTicket[]> {
  const all = new Map(matches.toReversed().flatMap((match) => ticketIdsOf(match).map((id) => [id, match])));
  for (const id of asked) if (!all.has(id)) asked.delete(id);
  const wanted = new Map([...all].filter(([id]) => !asked.has(id)).slice(0, TICKETS_PER_UPDATE));
  if (wanted.size === 0) return known;
  const tickets = await service.tickets([...wanted.keys()], abort);
  for (const id of wanted.keys()) asked.add(id);
  const added = tickets.map(({ ticketId, players, enqueuedAt }): MatchedTicket => {
    const match = wanted.get(ticketId)!;
    const seats = match.teams.flatMap((team) => team.players).filter((seat) => seat.ticketId === ticketId);
    const enqueuedAtMs = Date.parse(enqueuedAt);
    return {
      ticketId,
      skills: players.map(({ skill }) => skill),
      roles: seats.flatMap(({ role }) => role ?? []),
      region: match.region,
      side: players[0]?.teams?.length === 1 ? players[0].teams[0] : undefined,
      enqueuedAtMs,
      waitSeconds: Math.max(0, (Date.parse(match.createdAt) - enqueuedAtMs) / 1_000),
    };
  });
  return [...known, ...added].sort((a, b) => a.enqueuedAtMs - b.enqueuedAtMs).slice(-TICKETS_MAX);
}

/** The tickets of a match, each once. */
export function ticketIdsOf({ teams }: MatchView): string[] {
  return [...new Set(teams.flatMap(({ players }) => players.flatMap(({ ticketId }) => ticketId ?? [])))];
}

/** The waits of a group of tickets. */
export interface GroupWaits {
  readonly of: string;
  readonly tickets: number;
  readonly p50: number;
  readonly p99: number;
}

/** Waits by skill (in five groups of equal size), party size, role and region; each sorted, groups of one value are omitted. */
export function waitsByGroup(
  tickets: readonly MatchedTicket[],
): readonly { readonly by: string; readonly groups: readonly GroupWaits[] }[] {
  const sorted = tickets
    .map((ticket) => ({ ticket, skill: meanOf(ticket.skills) }))
    .sort((a, b) => a.skill - b.skill);
  const parts = Math.min(SKILL_GROUPS, sorted.length);
  const bySkill = new Map<string, number[]>();
  for (let part = 0; part < parts; part++) {
    const group = sorted.slice(
      Math.floor((part * sorted.length) / parts),
      Math.floor(((part + 1) * sorted.length) / parts),
    );
    const range = `${Math.round(group[0]!.skill)} to ${Math.round(group.at(-1)!.skill)}`;
    const waits = getOrCreate(bySkill, range, () => []);
    waits.push(...group.map(({ ticket }) => ticket.waitSeconds));
  }
  return [
    { by: 'skill', groups: Array.from(bySkill, ([of, seconds]) => groupWaits(of, seconds)) },
    { by: 'party size', groups: grouped(tickets, ({ skills }) => [countOf(skills.length)]) },
    { by: 'role', groups: grouped(tickets, ({ roles }) => [...new Set(roles)]) },
    { by: 'region', groups: grouped(tickets, ({ region }) => (region === undefined ? [] : [region])) },
  ].filter(({ groups }) => groups.length > 1);
}

const SKILL_GROUPS = 5;

function countOf(size: number): string {
  return size === 1 ? 'alone' : `party of ${size}`;
}

function grouped(
  tickets: readonly MatchedTicket[],
  keysOf: (ticket: MatchedTicket) => readonly string[],
): GroupWaits[] {
  const waits = new Map<string, number[]>();
  for (const ticket of tickets)
    for (const key of keysOf(ticket)) getOrCreate(waits, key, () => []).push(ticket.waitSeconds);
  return Array.from(waits, ([of, seconds]) => groupWaits(of, seconds)).sort((a, b) => (a.of < b.of ? -1 : 1));
}

function groupWaits(of: string, seconds: readonly number[]): GroupWaits {
  const sorted = seconds.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!;
  return { of, tickets: sorted.length, p50: at(0.5), p99: at(0.99) };
}
