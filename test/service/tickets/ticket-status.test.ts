import { expect, it } from 'vitest';
import type { StoredMatch } from '../../../lib/service/domain/stored-match.ts';
import type { CurrentTicket, StoredTicket } from '../../../lib/service/domain/stored-ticket.ts';
import { type TicketStatusDeps, withMatchStatus } from '../../../lib/service/tickets/ticket-status.ts';

const proposed: StoredTicket = {
  ticketId: 't',
  queue: 'duel',
  status: 'MATCHED',
  enqueuedAt: '2026-01-01T00:00:00.000Z',
  players: [{ playerId: 'p', skill: 1 }],
  matchId: 'm',
};
const { matchId: _, ...unmatched } = proposed;

/** Stores with one ticket, and matches of these statuses. */
function holding(ticket: StoredTicket, matches: Record<string, StoredMatch['status']>): TicketStatusDeps {
  return {
    tickets: { get: async () => ticket },
    matches: {
      get: async (matchId: string) => ({ matchId, status: matches[matchId], reason: `why ${matchId}` }),
    },
  } as unknown as TicketStatusDeps;
}

it('a ticket of a match that failed to be placed is FAILED, with the reason', async () => {
  const seen = await withMatchStatus(holding(proposed, { m: 'FAILED' }), proposed);
  expect(seen).toEqual({ ...proposed, status: 'FAILED', reason: 'why m' });
});

it.each<[string, StoredTicket, Record<string, StoredMatch['status']>, Partial<CurrentTicket>]>([
  ['waits again', { ...unmatched, status: 'QUEUED' }, { m: 'FAILED' }, { status: 'QUEUED' }],
  [
    'is cancelled',
    { ...proposed, status: 'CANCELLED', reason: 'late' },
    { m: 'FAILED' },
    { status: 'CANCELLED', reason: 'late' },
  ],
  [
    'has another match',
    { ...proposed, matchId: 'n' },
    { m: 'FAILED', n: 'PLACING' },
    { status: 'PLACING', matchId: 'n' },
  ],
])(
  'a ticket whose match is dissolved between the two reads is not FAILED: it %s',
  async (_what, now, matches, told) => {
    expect(await withMatchStatus(holding(now, matches), proposed)).toMatchObject(told);
  },
);
