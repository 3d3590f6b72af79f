import type { MatchView } from '../../../contract/match.ts';
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

/** Adds tickets of the latest matches to those that are known. At most one request. @returns the oldest first */
export async function withMatchedTickets(
  known: readonly MatchedTicket[],
  matches: readonly MatchView[],
  abort: AbortSignal,
): Promise<readonly MatchedTicket[]> {
  const ids = new Set(known.map(({ ticketId }) => ticketId));
  const wanted = new Map<string, MatchView>();
  for (const match of matches.toReversed()) {
    const theirs = ticketIdsOf(match).filter((ticketId) => !ids.has(ticketId));
    if (wanted.size + theirs.length > TICKETS_PER_UPDATE) break;
    for (const ticketId of theirs) wanted.set(ticketId, match);
  }
  if (wanted.size === 0) return known;
  const tickets = await service.tickets([...wanted.keys()], abort);
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
  const bySkill = Array.from({ length: parts }, (_, part): GroupWaits => {
    const group = sorted.slice(
      Math.floor((part * sorted.length) / parts),
      Math.floor(((part + 1) * sorted.length) / parts),
    );
    const range = `${Math.round(group[0]!.skill)} to ${Math.round(group.at(-1)!.skill)}`;
    return groupWaits(
      range,
      group.map(({ ticket }) => ticket.waitSeconds),
    );
  });
  return [
    { by: 'skill', groups: bySkill },
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
  for (const ticket of tickets) {
    for (const key of keysOf(ticket)) {
      if (!waits.has(key)) waits.set(key, []);
      waits.get(key)!.push(ticket.waitSeconds);
    }
  }
  return Array.from(waits, ([of, seconds]) => groupWaits(of, seconds)).sort((a, b) => (a.of < b.of ? -1 : 1));
}

function groupWaits(of: string, seconds: readonly number[]): GroupWaits {
  const sorted = seconds.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]!;
  return { of, tickets: sorted.length, p50: at(0.5), p99: at(0.99) };
}
