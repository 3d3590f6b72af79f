import { describe, expect, it } from 'vitest';
import { loggedIdsOf } from '../../../lib/aws/match-message.ts';
import type { Change } from '../../../lib/service/events/publish.ts';
import { traceOf } from '../../../lib/service/events/trace.ts';
import { match, NOW_MS, ticket } from '../../aws/samples.ts';

const at = { changeId: 'c-1', atMs: NOW_MS };
const secret = { playerId: 'ann-of-wonderland', skill: 1234, attributes: { clan: 'red-dragons' } };

describe('the line of the log for an event', () => {
  it('names the tickets, the match and what has become of them, and nothing about players', () => {
    const after = match('duel', 'm-1', ['t-1', 't-2'], {
      status: 'FAILED',
      reasonCode: 'DECLINED',
      cancelled: ['t-1'],
    });
    const found: Change = {
      ...at,
      table: 'matches',
      before: match('duel', 'm-1', ['t-1', 't-2'], { status: 'REQUIRES_ACCEPTANCE' }),
      after,
    };
    expect(traceOf(found)).toEqual({
      event: 'MatchFailed',
      eventId: expect.any(String),
      queue: 'duel',
      matchId: 'm-1',
      ticketIds: ['t-1', 't-2'],
      status: 'FAILED',
      reasonCode: 'DECLINED',
    });
    const own = { ...ticket('duel', 't-1', 1), players: [secret] };
    const ended: Change = {
      ...at,
      table: 'tickets',
      before: own,
      after: { ...own, status: 'TIMED_OUT', reason: 'no match within 60 s', reasonCode: 'NO_MATCH_IN_TIME' },
    };
    const line = traceOf(ended);
    expect(line).toMatchObject({ event: 'TicketTimedOut', ticketIds: ['t-1'], status: 'TIMED_OUT' });
    expect(JSON.stringify([line, traceOf(found)])).not.toMatch(/ann|1234|red-dragons|\.0/);
  });

  it('is missing for a change that is no event', () => {
    const own = ticket('duel', 't-1', 1);
    const claimed: Change = { ...at, table: 'tickets', before: own, after: { ...own, status: 'MATCHED' } };
    expect(traceOf(claimed)).toBeUndefined();
  });
});

describe('the fields of the log for a message about a match', () => {
  it('are its id and those of its tickets, if the message has them', () => {
    const teams = [{ players: [{ ticketId: 't-1' }, { bot: true }] }, { players: [{ ticketId: 't-2' }] }];
    const event = { detail: { match: { matchId: 'm-1', teams } } };
    expect(loggedIdsOf('m-1', event)).toEqual({ matchId: 'm-1', ticketIds: ['t-1', 't-2'] });
    expect(loggedIdsOf('m-1', { matchId: 'm-1' })).toEqual({ matchId: 'm-1' });
    expect(loggedIdsOf('m-1', { detail: { match: { matchId: 'm-1', teams: 'many' } } })).toEqual({
      matchId: 'm-1',
    });
  });
});
