import { describe, expect, it } from 'vitest';
import type { MatchView } from '../../../lib/contract/match.ts';
import type { Caller } from '../../../lib/contract/routes.ts';
import { matchFor } from '../../../lib/service/players/own-match.ts';
import { checkOwnTicket } from '../../../lib/service/players/own-ticket.ts';
import type { StoredTicket } from '../../../lib/service/tickets/stored-ticket.ts';

const player = (playerId: string): Caller => ({ scope: 'player', playerId });

describe('a ticket', () => {
  const ticket: StoredTicket = {
    ticketId: 't',
    queue: 'q',
    status: 'QUEUED',
    enqueuedAt: '2026-01-01T00:00:00.000Z',
    players: [
      { playerId: 'ann', skill: 1 },
      { playerId: 'bob', skill: 2 },
    ],
  };
  const stored = { tickets: { get: async (id: string) => (id === 't' ? ticket : undefined) } };
  const problemOf = (ticketId: string, caller: Caller) =>
    checkOwnTicket(stored, ticketId, caller).then(
      () => undefined,
      (problem) => problem.toDocument(),
    );

  it('is open to each player in it', async () => {
    expect(await problemOf('t', player('ann'))).toBeUndefined();
    expect(await problemOf('t', player('bob'))).toBeUndefined();
  });

  it('gives any other player the same response as a missing ticket', async () => {
    const unknown = await problemOf('nothing', player('eve'));
    const other = await problemOf('t', player('eve'));
    expect(other).toEqual({ ...unknown, detail: unknown.detail.replace('nothing', 't') });
    expect(other.status).toBe(404);
  });

  it('is not read for a trusted caller', async () => {
    const unread = { tickets: { get: () => Promise.reject(new Error('read')) } };
    await expect(checkOwnTicket(unread, 't', { scope: 'backend' })).resolves.toBeUndefined();
  });
});

describe('a match', () => {
  const match: MatchView = {
    matchId: 'm',
    queue: 'q',
    status: 'COMPLETED',
    createdAt: '2026-01-01T00:00:00.000Z',
    teams: [
      { players: [{ playerId: 'ann', ticketId: 't' }] },
      {
        players: [
          { playerId: 'cy', ticketId: 'u' },
          { playerId: 'bot-1', bot: true },
        ],
      },
    ],
    imbalance: 0,
    teamGap: 0,
    skillSpread: 0,
    priority: 0,
    lowerBound: 0,
    optimal: false,
    assignment: { address: 'game.example', tokens: { ann: 'secret-a', cy: 'secret-c' } },
  };

  it('is complete for a trusted caller', () => {
    expect(matchFor({ scope: 'backend' }, match)).toBe(match);
  });

  it('shows a player in it everything except the tokens of other players', () => {
    const { assignment, ...rest } = matchFor(player('ann'), match);
    expect(assignment).toEqual({ address: 'game.example', tokens: { ann: 'secret-a' } });
    expect(rest).toEqual((({ assignment: _, ...others }) => others)(match));
    expect(match.assignment?.tokens).toHaveProperty('cy');
  });

  it('shows no token to a player in it who has none', () => {
    const tokens = { cy: 'secret-c' };
    const seen = matchFor(player('ann'), { ...match, assignment: { address: 'a', tokens } });
    expect(seen.assignment).toEqual({ address: 'a', tokens: {} });
  });

  it.each(['eve', 'bot-1', '__proto__', 'constructor'])(
    'does not exist for %s, who is not in it',
    (playerId) => {
      expect(() => matchFor(player(playerId), match)).toThrow(
        expect.objectContaining({ status: 404, message: expect.stringContaining('There is no match "m"') }),
      );
    },
  );
});
