import type { StoredMatch } from '../../lib/service/domain/stored-match.ts';
import type { StoredTicket } from '../../lib/service/domain/stored-ticket.ts';
import type { Change } from '../../lib/service/events/publish.ts';
import type { CooldownStore } from '../../lib/service/ports/cooldown-store.ts';
import type { MatchStore } from '../../lib/service/ports/match-store.ts';

/** What players were told about their answers: each by its match. */
export class ChaosAnswers {
  readonly ready = new Map<string, Set<string>>();
  readonly declined = new Map<string, Set<string>>();

  tell(matchId: string, playerIds: readonly string[], isAccept: boolean): void {
    const told = isAccept ? this.ready : this.declined;
    told.set(matchId, new Set([...(told.get(matchId) ?? []), ...playerIds]));
  }
}

/**
 * Nobody who was told to be ready gets a cooldown, or is cancelled although nobody of the party is at fault. A decline that was
 * confirmed has its consequences. No match advances before all have accepted, and each follows its answers.
 */
export async function answerViolations(
  deps: { readonly matches: MatchStore; readonly cooldowns: CooldownStore },
  queue: string,
  outcome: {
    readonly tickets: readonly StoredTicket[];
    readonly matches: ReadonlyMap<string, StoredMatch>;
    readonly changes: readonly Change[];
    readonly told: ChaosAnswers;
  },
): Promise<string[]> {
  const { changes, tickets, told } = outcome;
  const found: string[] = [];
  const people = new Set(tickets.flatMap(({ players }) => players.map(({ playerId }) => playerId)));
  const records = await deps.cooldowns.of(queue, [...people]);
  const isNoted = (playerId: string, matchId: string) =>
    records.get(playerId)?.offences.some((one) => one.kind === 'decline' && one.matchId === matchId) === true;
  const asked = changes.flatMap(({ table, before, after }) =>
    table === 'matches' && before === undefined && after.status === 'REQUIRES_ACCEPTANCE' ? [after] : [],
  );
  for (const { matchId, teams } of asked as StoredMatch[]) {
    const match = outcome.matches.get(matchId);
    if (match === undefined) continue;
    const answers = await deps.matches.answers(matchId);
    const seats = teams.flatMap(({ players }) => players);
    const humans = seats.flatMap(({ bot }, seat) => (bot ? [] : [seat]));
    const haveAll = answers?.status === 'OPEN' && humans.every((seat) => answers.accepted.includes(seat));
    const hasAdvanced = changes.some(
      ({ table, after }) =>
        table === 'matches' &&
        after.matchId === matchId &&
        (after.status === 'PLACING' || after.status === 'COMPLETED'),
    );
    if (hasAdvanced && !haveAll) found.push(`match ${matchId} has advanced without all of its players`);
    const expected = haveAll ? 'PLAYER_LEFT' : answers?.status === 'DECLINED' ? 'DECLINED' : 'NOT_ACCEPTED';
    if (!hasAdvanced && match.reasonCode !== expected)
      found.push(`match ${matchId} is ${match.status} ${match.reasonCode}, its answers say ${expected}`);
    const declined = told.declined.get(matchId) ?? new Set();
    const guilty = new Set(
      humans.flatMap((seat) => {
        const isGuilty =
          expected === 'DECLINED' ? answers?.declined?.includes(seat) : !answers?.accepted.includes(seat);
        return isGuilty ? [seats[seat]!.playerId] : [];
      }),
    );
    for (const playerId of told.ready.get(matchId) ?? []) {
      const ticketId = seats.find((seat) => seat.playerId === playerId)!.ticketId!;
      const party = seats.filter((seat) => seat.ticketId === ticketId).map((seat) => seat.playerId);
      if (guilty.has(playerId) && expected !== 'DECLINED')
        found.push(`${playerId} was told to be ready for match ${matchId}, and counts as silent`);
      if (isNoted(playerId, matchId) && !guilty.has(playerId))
        found.push(`${playerId} was told to be ready for match ${matchId}, and has a cooldown for it`);
      if (expected !== 'PLAYER_LEFT' && match.cancelled?.includes(ticketId))
        if (!party.some((one) => guilty.has(one)))
          found.push(`ticket ${ticketId} was cancelled with match ${matchId} although all of it were ready`);
    }
    for (const playerId of declined) {
      const ticketId = seats.find((seat) => seat.playerId === playerId)!.ticketId;
      const ticket = tickets.find((one) => one.ticketId === ticketId);
      if (!guilty.has(playerId))
        found.push(`${playerId} was told to have declined match ${matchId}, which is ${match.reasonCode}`);
      if (ticket?.status !== 'CANCELLED')
        found.push(`${playerId} has declined match ${matchId}, and its ticket is ${ticket?.status}`);
    }
  }
  return found;
}
