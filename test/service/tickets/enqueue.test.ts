import { describe, expect, it } from 'vitest';
import type { StoredTicket } from '../../../lib/service/domain/stored-ticket.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { definition } from '../definitions.ts';

/** A queue whose tickets are stored as JSON. */
function intake() {
  const stored = new Map<string, string>();
  const record = {
    definition: definition({ teamSize: 2 }),
    version: 1,
    layouts: [{ version: 1, boundaries: [], fromMs: 0 }],
    awakeUntilMs: Number.MAX_SAFE_INTEGER,
  };
  const deps = {
    queues: { get: async () => record } as never,
    matches: { get: async () => undefined } as never,
    meetings: { of: async () => new Map() },
    ticks: { send: async () => {} },
    cooldowns: undefined as never,
    presence: undefined as never,
    clock: undefined as never,
    ladders: undefined as never,
    ratings: undefined as never,
    tickets: {
      create: async (ticket: StoredTicket) => {
        const existing = stored.get(ticket.ticketId);
        if (existing !== undefined) return { created: false, existing: JSON.parse(existing) };
        stored.set(ticket.ticketId, JSON.stringify(ticket));
        return { created: true };
      },
    } as never,
  };
  return (body: unknown) => enqueue(deps, 'duel', body, 1_000);
}

describe('a ticket that is posted again', () => {
  it.each([
    ['the same body', '[{"playerId":"a","skill":1}]', '[{"playerId":"a","skill":1}]'],
    ['its fields in another order', '[{"playerId":"a","skill":1}]', '[{"skill":1,"playerId":"a"}]'],
    ['a number in other words', '[{"playerId":"a","skill":100}]', '[{"playerId":"a","skill":1e2}]'],
    ['a skill of minus nought', '[{"playerId":"a","skill":-0}]', '[{"playerId":"a","skill":-0}]'],
    [
      'a number with many digits',
      '[{"playerId":"a","skill":1.2345678901234567e-80}]',
      '[{"playerId":"a","skill":1.2345678901234567e-80}]',
    ],
  ])('with %s is the same ticket', async (_, first, again) => {
    const post = intake();
    const { ticket } = await post({ ticketId: 't', players: JSON.parse(first) });
    const answer = await post({ ticketId: 't', players: JSON.parse(again) });
    expect(answer.created).toBe(false);
    expect(JSON.stringify(answer.ticket)).toBe(JSON.stringify(ticket));
  });

  it.each([
    ['another skill', '[{"playerId":"a","skill":0.30000000000000004}]'],
    ['another player', '[{"playerId":"b","skill":0.3}]'],
    ['one player more', '[{"playerId":"a","skill":0.3},{"playerId":"b","skill":0.3}]'],
  ])('with %s is rejected', async (_, again) => {
    const post = intake();
    await post({ ticketId: 't', players: [{ playerId: 'a', skill: 0.3 }] });
    await expect(post({ ticketId: 't', players: JSON.parse(again) })).rejects.toMatchObject({ status: 409 });
  });
});
