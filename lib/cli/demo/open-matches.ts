import type { MatchView } from '../../contract/match.ts';
import type { Player } from '../../engine/types.ts';
import type { ServiceClient } from '../client.ts';
import { Failure } from '../failure.ts';
import type { Told } from './estimates.ts';

export interface WaitingTicket {
  readonly players: readonly Player[];
  readonly enqueuedAtMs: number;
  readonly told?: Told | undefined;
}

/** What becomes of matches after they are found, as the backend sees it. */
export interface GamesSeen {
  /** Matches that wait for acceptance or for a server, with those of their tickets that are the backend's, by `matchId`. */
  readonly open: Map<string, ReadonlyMap<string, WaitingTicket>>;
  /** Whether a match was no game yet when it was found: it had to be accepted, or needed a server. */
  hasSteps: boolean;
  /** The matches whose game can start. */
  started: number;
  /** The matches that failed, by `reasonCode`. */
  readonly failed: Map<string, number>;
}

/** The maximum of open matches that are looked at each time. */
const LOOKS_MAX = 10;

export function noGames(): GamesSeen {
  return { open: new Map(), hasSteps: false, started: 0, failed: new Map() };
}

/** The parts of what a backend sees of a queue that change with its matches. */
interface Seen {
  readonly waiting: Map<string, WaitingTicket>;
  playersMatched: number;
  readonly games: GamesSeen;
}

/** Notes what has become of a match. The tickets of one that failed are waiting again, until the service says otherwise. */
export function noteGame(
  { matchId, status, reasonCode }: Pick<MatchView, 'matchId' | 'status' | 'reasonCode'>,
  tickets: ReadonlyMap<string, WaitingTicket>,
  seen: Seen,
): void {
  const { open, failed } = seen.games;
  open.delete(matchId);
  if (status === 'COMPLETED') seen.games.started++;
  else if (status !== 'FAILED') {
    seen.games.hasSteps = true;
    open.set(matchId, tickets);
  } else {
    const reason = reasonCode ?? 'FAILED';
    failed.set(reason, (failed.get(reason) ?? 0) + 1);
    for (const [ticketId, ticket] of tickets) {
      seen.waiting.set(ticketId, ticket);
      seen.playersMatched -= ticket.players.length;
    }
  }
}

/** Accepts a match for the players of these tickets, who all want to play. Another player may have declined meanwhile. */
export async function acceptAll(
  client: Pick<ServiceClient, 'accept'>,
  matchId: string,
  ticketIds: Iterable<string>,
): Promise<void> {
  for (const ticketId of ticketIds) {
    try {
      await client.accept(ticketId, matchId);
    } catch (error) {
      if (error instanceof Failure && error.status === 409) return;
      throw error;
    }
  }
}

/**
 * Looks at open matches in turn.
 * @param placing called for a match that waits for its server, each time
 */
export async function lookAtOpenMatches(
  client: Pick<ServiceClient, 'match'>,
  seen: Seen,
  placing: (match: MatchView) => void,
): Promise<void> {
  for (const [matchId, tickets] of [...seen.games.open].slice(0, LOOKS_MAX)) {
    const match = await client.match(matchId);
    noteGame(match, tickets, seen);
    if (match.status === 'PLACING') placing(match);
  }
}

/** `3 failed (2 NOT_ACCEPTED, 1 DECLINED)`; undefined when none has. */
export function failuresText(all: readonly GamesSeen[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { failed } of all)
    for (const [reason, count] of failed) counts.set(reason, (counts.get(reason) ?? 0) + count);
  if (counts.size === 0) return undefined;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const reasons = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return `${total} failed (${reasons.map(([reason, count]) => `${count} ${reason}`).join(', ')})`;
}
