import { describe, expect, it } from 'vitest';
import { ParsedTickets } from '../../lib/aws/parsed-tickets.ts';
import { ticket } from './samples.ts';

const item = (ticketId: string, changes: Record<string, unknown> = {}) => ({
  ticketId,
  pool: 'duel#1#0',
  poolOrder: '1',
  enqueuedAt: 1,
  players: `["${ticketId}",1]`,
  ...changes,
});

describe('parsed tickets', () => {
  it('are used again for an equal item of the same queue', () => {
    const parsed = new ParsedTickets();
    const ann = ticket('duel', 'ann', 1);
    parsed.set(item('ann'), ann);
    expect(parsed.get(item('ann'), 'duel')).toBe(ann);
    expect(parsed.get(item('ann'), 'arena')).toBeUndefined();
    expect(parsed.get(item('bob'), 'duel')).toBeUndefined();
  });

  it.each([
    { enqueuedAt: 2 },
    { enqueuedAt: '2026-01-01T12:00:00.000Z' },
    { players: '["ann",2]' },
    { poolOrder: '2' },
    { players: undefined },
    { more: 1 },
    { players: [{ playerId: 'ann', skill: 1 }] },
  ])('are not used for an item that differs: %j', (changes) => {
    const parsed = new ParsedTickets();
    parsed.set(item('ann'), ticket('duel', 'ann', 1));
    expect(parsed.get(item('ann', changes), 'duel')).toBeUndefined();
  });

  it('are not used for an item that has lost an attribute', () => {
    const parsed = new ParsedTickets();
    parsed.set(item('ann', { more: 1 }), ticket('duel', 'ann', 1));
    expect(parsed.get(item('ann'), 'duel')).toBeUndefined();
  });

  it('are never more than the limit, and those read last are kept', () => {
    const parsed = new ParsedTickets(100);
    for (let i = 0; i < 1_000; i++) {
      parsed.set(item(`t${i}`), ticket('duel', `t${i}`, 1));
      expect(parsed.get(item('t0'), 'duel')).toBeDefined();
      expect(parsed.size).toBeLessThanOrEqual(100);
    }
    expect(parsed.get(item('t970'), 'duel')).toBeDefined();
    expect(parsed.get(item('t500'), 'duel')).toBeUndefined();
  });

  it('have no more letters than the limit, however large they are', () => {
    const parsed = new ParsedTickets(1_000, 100_000);
    const players = 'x'.repeat(10_000);
    let seen = 0;
    for (let i = 0; i < 100; i++) {
      parsed.set(item(`t${i}`, { players }), ticket('duel', `t${i}`, 1));
      seen = Math.max(seen, parsed.size);
    }
    expect(seen).toBeGreaterThanOrEqual(8);
    expect(seen).toBeLessThanOrEqual(12);
    expect(parsed.get(item('t99', { players }), 'duel')).toBeDefined();
  });
});
