import { describe, expect, it } from 'vitest';
import type { StoredMatch } from '../../../lib/service/domain/stored-match.ts';
import type { CurrentTicket } from '../../../lib/service/domain/stored-ticket.ts';
import { revisionOf } from '../../../lib/service/watching/messages.ts';

describe('the revision of a ticket', () => {
  it('grows with each change that its players see, and is highest once it has ended without a match', () => {
    const state = (status: string, match: Partial<StoredMatch> | undefined, returns?: number) => {
      const matchId = match && { matchId: 'm' };
      return { ticket: { status, returns, ...matchId } as CurrentTicket, match: match as StoredMatch };
    };
    const assignment = { address: 'game:1' };
    const ended = { endedAt: '2026-01-01T00:00:00.000Z' };
    const life = [
      state('QUEUED', undefined),
      state('REQUIRES_ACCEPTANCE', {}),
      state('PLACING', {}),
      state('PLACING', { roster: 1 }),
      state('PLACING', { roster: 7 }),
      // The match was not placed.
      state('QUEUED', undefined, 1),
      state('REQUIRES_ACCEPTANCE', {}, 1),
      state('COMPLETED', {}, 1),
      state('COMPLETED', { assignment }, 1),
      state('COMPLETED', { assignment, roster: 1 }, 1),
      state('COMPLETED', { assignment, roster: 2 }, 1),
      state('COMPLETED', { assignment, roster: 2, ...ended }, 1),
    ].map((one) => revisionOf(one));
    expect(life).toEqual([...new Set(life)].sort((a, b) => a - b));
    for (const status of ['CANCELLED', 'TIMED_OUT', 'FAILED'])
      expect(revisionOf(state(status, undefined, 1_000))).toBeGreaterThan(life.at(-1)!);
  });

  it('is that of the pool also when the message names the match that the ticket has come back from', () => {
    const ticket = { status: 'QUEUED', returns: 1 } as CurrentTicket;
    const match = { status: 'FAILED', roster: 3 } as StoredMatch;
    expect(revisionOf({ ticket, match })).toBe(revisionOf({ ticket }));
  });
});
