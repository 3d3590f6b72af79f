import { describe, expect, it } from 'vitest';
import { removeStale } from '../../../lib/service/commits/stale-entries.ts';
import type { StoredTicket } from '../../../lib/service/domain/stored-ticket.ts';

const POOL = { pool: 'arena#1.0', poolOrder: 'order' };
const MINUTE = 60_000;

/** The ticket of an entry of its second wait, with some changes. */
const ticketOf = (changes: Partial<StoredTicket>): StoredTicket => ({
  ticketId: 't',
  queue: 'duel',
  status: 'QUEUED',
  enqueuedAt: new Date(0).toISOString(),
  players: [{ playerId: 'p', skill: 1 }],
  linked: 'post',
  returns: 1,
  ...changes,
});

/** Whether a look removes the entry: at any age, only if it is a minute old, or not. */
async function removalOf(ticket: StoredTicket | undefined, isMatch = false) {
  const removals: (number | undefined)[] = [];
  const deps = {
    tickets: {
      getMany: async () => new Map(ticket ? [['t', ticket]] : []),
      removeEntry: async (_: StoredTicket, putBeforeMs?: number) => {
        removals.push(putBeforeMs);
      },
    },
    matches: { getMany: async () => new Map(isMatch ? [['m', {} as never]] : []) },
  };
  const away = await removeStale(deps, [ticketOf({ entry: { ...POOL, n: 1 } })], 5 * MINUTE);
  if (removals.length === 0) return { removed: 'no', isAway: away.has('t') };
  const [before] = removals;
  return { removed: before === undefined ? 'yes' : `before ${before}`, isAway: away.has('t') };
}

describe('the entry of a second wait', () => {
  const matched = { status: 'MATCHED', matchId: 'm', queue: 'raid' } as const;

  it.each<[string, Partial<StoredTicket> | undefined, string]>([
    ['is QUEUED', {}, 'no'],
    ['is QUEUED with a match that has released it', { releasedFrom: 'm' }, 'no'],
    ['has not returned that often yet', { ...matched, returns: 0 }, 'no'],
    ['has never returned', { ...matched, returns: undefined as never }, 'no'],
    ['is claimed for a match that does not exist', matched, 'no'],
    ['has returned since', { returns: 2 }, 'yes'],
    ['has returned since, and has a match again', { ...matched, returns: 2 }, 'yes'],
    ['was cancelled', { status: 'CANCELLED' }, 'yes'],
    ['was cancelled with its match', { ...matched, status: 'CANCELLED' }, 'yes'],
    ['has timed out', { status: 'TIMED_OUT' }, 'yes'],
    ['has failed', { ...matched, status: 'FAILED' }, 'yes'],
    ['is of another post', { linked: 'other' }, 'yes'],
    ['waits in one queue', { linked: undefined as never }, 'yes'],
    ['is missing', undefined, `before ${4 * MINUTE}`],
  ])('whose ticket %s', async (_, changes, removed) => {
    const ticket = changes && ticketOf(changes);
    expect(await removalOf(ticket)).toEqual({ removed, isAway: removed === 'yes' });
  });

  it('whose ticket is in a match that exists is removed, unless the ticket is about to return', async () => {
    expect(await removalOf(ticketOf(matched), true)).toEqual({ removed: 'yes', isAway: true });
    const returning = ticketOf({ ...matched, returns: 0 });
    expect(await removalOf(returning, true)).toEqual({ removed: 'no', isAway: false });
  });
});
