import { COOLDOWN_LIMITS } from '../../lib/contract/cooldown.ts';
import type { StoredMatch } from '../../lib/service/domain/stored-match.ts';
import type { StoredTicket } from '../../lib/service/domain/stored-ticket.ts';
import type { CooldownStore } from '../../lib/service/ports/cooldown-store.ts';

/** What a studio has said about who has left its matches. */
export class ChaosLeavers {
  /** By match and player: whether a request that named the player got its response. */
  readonly #named = new Map<string, boolean>();

  /** A request names players who have left a match. */
  name(matchId: string, playerIds: readonly string[], isAnswered: boolean): void {
    for (const playerId of playerIds) {
      const key = keyOf(matchId, playerId);
      this.#named.set(key, isAnswered || this.#named.get(key) === true);
    }
  }

  /** Those of the offences that must be there, and those that may be. */
  get known(): ReadonlyMap<string, boolean> {
    return this.#named;
  }
}

/**
 * Whoever has declined or not answered a match has one offence of it, unless its queue doubted that it heard its players;
 * whoever was named as its leaver has one, and nobody has another.
 */
export async function offenceViolations(
  cooldowns: CooldownStore,
  queue: string,
  outcome: {
    readonly tickets: readonly StoredTicket[];
    readonly matches: ReadonlyMap<string, StoredMatch>;
    /** Until when the queue doubts that it hears its players: their silence is no offence. */
    readonly heldUntilMs: number;
    readonly leavers: ChaosLeavers;
  },
): Promise<string[]> {
  const found: string[] = [];
  const declined = new Set(declinesOf(outcome.matches));
  const people = new Set(outcome.tickets.flatMap(({ players }) => players.map(({ playerId }) => playerId)));
  const records = await cooldowns.of(queue, [...people]);
  const noted = new Map<string, number>();
  for (const [playerId, { offences }] of records)
    for (const { kind, matchId } of offences) {
      const key = `${kind} ${keyOf(matchId, playerId)}`;
      noted.set(key, (noted.get(key) ?? 0) + 1);
    }
  for (const [key, times] of noted) {
    const [kind, ...named] = key.split(' ');
    const isDue =
      kind === 'decline' ? declined.has(named.join(' ')) : outcome.leavers.known.has(named.join(' '));
    if (times !== 1 || !isDue) found.push(`the offence ${key} is noted ${times} times, expected: ${isDue}`);
  }
  const isFull = (key: string) =>
    (records.get(key.split(' ')[1]!)?.offences.length ?? 0) >= COOLDOWN_LIMITS.timesMax;
  const isExcused = (key: string) => {
    const { declined, acceptBy = '' } = outcome.matches.get(key.split(' ')[0]!)!;
    return declined === undefined && Date.parse(acceptBy) < outcome.heldUntilMs;
  };
  for (const key of declined)
    if (!noted.has(`decline ${key}`) && !isExcused(key) && !isFull(key))
      found.push(`the decline ${key} is not noted`);
  for (const [key, isAnswered] of outcome.leavers.known)
    if (isAnswered && !noted.has(`leave ${key}`) && !isFull(key))
      found.push(`the leaver ${key} is not noted`);
  return found;
}

/** By match and player: who has declined, or has not accepted in time. */
function* declinesOf(matches: ReadonlyMap<string, StoredMatch>): Generator<string> {
  for (const { matchId, teams, cancelled, reasonCode, accepted, declined } of matches.values()) {
    if (cancelled === undefined || reasonCode === 'PLAYER_LEFT') continue;
    for (const [seat, { playerId, bot }] of teams.flatMap(({ players }) => players).entries()) {
      const isGuilty = reasonCode === 'DECLINED' ? declined?.includes(seat) : !accepted?.includes(seat);
      if (isGuilty && !bot) yield keyOf(matchId, playerId);
    }
  }
}

function keyOf(matchId: string, playerId: string): string {
  return `${matchId} ${playerId}`;
}
