import { describe, expect, it } from 'vitest';
import type { MusterEvent } from '../../../lib/contract/events.ts';
import { toMatchView } from '../../../lib/service/domain/stored-match.ts';
import { LATE_MS, withoutErased } from '../../../lib/service/events/without-erased.ts';
import { match, NOW_MS } from '../../aws/samples.ts';

const about = { eventId: 'e', time: new Date(NOW_MS).toISOString(), queue: 'duel' };
const ticketEvent: MusterEvent = {
  type: 'TicketTimedOut',
  ...about,
  ticket: {
    ticketId: 't',
    queue: 'duel',
    status: 'TIMED_OUT',
    enqueuedAt: about.time,
    players: [
      { playerId: 'ann', skill: 1234, attributes: { clan: 'red' }, latencyMs: { eu: 3 } },
      { playerId: 'bob', skill: 7, avoid: ['ann', 'cy'] },
    ],
  },
};
const game = match('duel', 'm', ['ann', 'bob'], {
  teams: [
    { players: [{ playerId: 'ann', ticketId: 't', role: 'tank', attributes: { clan: 'red' } }] },
    { players: [{ playerId: 'bob', ticketId: 'u', attributes: { clan: 'blue' } }] },
  ],
  assignment: { address: 'game.example', tokens: { ann: 'token-of-ann', bob: 'token-of-bob' } },
});
const matchEvent: MusterEvent = { type: 'MatchAssigned', ...about, match: toMatchView(game) };

/** The players that were erased, at the time of the events by default, and who was asked about. */
function erased(...names: string[]) {
  return erasedAt(NOW_MS, ...names);
}

function erasedAt(lastAtMs: number, ...names: string[]) {
  const asked: string[] = [];
  const findErased = async (playerIds: readonly string[]) => {
    asked.push(...playerIds);
    return new Set(playerIds.filter((playerId) => names.includes(playerId)));
  };
  return { findErased, asked, lastAtMs: async () => lastAtMs };
}

describe('a webhook that has waited', () => {
  const late = NOW_MS + LATE_MS;

  it('is posted without the players who were erased while it waited', async () => {
    const ticket = await withoutErased(erased('ann'), ticketEvent, late);
    expect(ticket).toEqual({
      ...ticketEvent,
      ticket: {
        ...ticketEvent.ticket,
        players: [
          { playerId: 'erased', skill: 0 },
          { playerId: 'bob', skill: 7, avoid: ['cy'] },
        ],
      },
    });
    const found = await withoutErased(erased('ann'), matchEvent, late);
    expect(found).toEqual({
      ...matchEvent,
      match: {
        ...matchEvent.match,
        teams: [
          { players: [{ playerId: 'erased', ticketId: 't', role: 'tank' }] },
          { players: [{ playerId: 'bob', ticketId: 'u', attributes: { clan: 'blue' } }] },
        ],
        assignment: { address: 'game.example', tokens: { bob: 'token-of-bob' } },
      },
    });
  });

  it('does not say in its reason who was erased, or what is quoted of them', async () => {
    const reasonOf = async (event: MusterEvent, reason: string) => {
      const told =
        'ticket' in event
          ? { ...event, ticket: { ...event.ticket, reason } }
          : { ...event, match: { ...event.match, reason } };
      const posted = (await withoutErased(erased('ann'), told as MusterEvent, late)) as typeof told;
      return 'ticket' in posted ? posted.ticket.reason : posted.match.reason;
    };
    for (const event of [ticketEvent, matchEvent]) {
      expect(await reasonOf(event, 'ann is banned')).toBe('a player of it was erased');
      expect(await reasonOf(event, '#/players/0/attributes/clan: got "red"')).toBe(
        'a player of it was erased',
      );
      expect(await reasonOf(event, 'Hanna has left')).toBe('Hanna has left');
    }
  });

  it('is posted as it is when no player in it was erased', async () => {
    for (const event of [ticketEvent, matchEvent])
      expect(await withoutErased(erased('eve'), event, late)).toBe(event);
  });

  it('is not looked at when it is prompt', async () => {
    const players = erased('ann');
    expect(await withoutErased(players, matchEvent, late - 1)).toBe(matchEvent);
    expect(players.asked).toEqual([]);
  });

  it('is not looked at when nobody was being erased two hours before its event, or since', async () => {
    const hours = 3_600_000;
    const long = erasedAt(NOW_MS - 2 * hours - 1, 'ann');
    expect(await withoutErased(long, ticketEvent, late)).toBe(ticketEvent);
    expect(long.asked).toEqual([]);
    const just = erasedAt(NOW_MS - 2 * hours, 'ann');
    expect(JSON.stringify(await withoutErased(just, ticketEvent, late))).not.toContain('ann');
  });

  it('loses its avoid lists instead of looking up thousands of names', async () => {
    const players = Array.from({ length: 93 }, (_, n) => ({
      playerId: `p${n}`,
      skill: 1,
      avoid: Array.from({ length: 100 }, (_, other) => `a${n}-${other}`),
    }));
    const reason = 'p1 avoids a1-7';
    const large: MusterEvent = { ...ticketEvent, ticket: { ...ticketEvent.ticket, players, reason } };
    const gone = erased('p0');
    const { ticket } = (await withoutErased(gone, large, late)) as typeof large;
    expect(gone.asked).toHaveLength(93);
    expect(ticket.reason).toBe('a player of it was erased');
    expect(ticket.players).toEqual([
      { playerId: 'erased', skill: 0 },
      ...players.slice(1).map(({ avoid: _, ...player }) => player),
    ]);
  });
});
