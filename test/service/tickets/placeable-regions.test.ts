import { describe, expect, it } from 'vitest';
import { misfits } from '../../../lib/service/tickets/misfits.ts';
import { parseTicketsFile } from '../../../lib/service/tickets/parse-tickets.ts';
import { matchOffline } from '../../../lib/service/ticks/offline.ts';
import { definition } from '../definitions.ts';

const eu = 'https://eu.example.com/gameserverallocation';
const near = { asia: 20, eu: 140 };
const ticket = (ticketId: string, latencyMs: Record<string, number>) => ({
  ticketId,
  enqueuedAt: '2026-01-01T00:00:00Z',
  players: [{ playerId: `player-${ticketId}`, skill: 1500, latencyMs }],
});
const queue = (allocator: string | Record<string, string>) =>
  definition({
    rules: [{ name: 'Ping', type: 'latency', max: 150 }],
    provisioner: { type: 'agones', allocator, certificate: 'muster/cert' },
  });
const regionsOf = (allocator: string | Record<string, string>, latencies: Record<string, number>[]) => {
  const tickets = latencies.map((latencyMs, i) => ticket(`t${i}`, latencyMs));
  const of = queue(allocator);
  return matchOffline(of, parseTicketsFile(tickets, of, 'The file')).matches.map(({ region }) => region);
};

describe('a queue whose provisioner names regions', () => {
  it('matches in those regions alone, though others are nearer', () => {
    expect(regionsOf(eu, [near, near])).toEqual(['asia']);
    expect(regionsOf({ eu }, [near, near])).toEqual(['eu']);
    expect(regionsOf({ eu, asia: eu }, [near, near])).toEqual(['asia']);
  });

  it('refuses a party that reaches none of them, alone or together', () => {
    const only = { players: ticket('a', { asia: 20 }).players };
    expect(misfits(only, queue({ eu }))).toEqual([
      {
        pointer: '#/players/0/latencyMs',
        detail:
          'Expected the latency to at least one region in which the provisioner of queue duel can place matches (eu), got only asia',
      },
    ]);
    expect(misfits(only, queue(eu))).toEqual([]);
    const party = [ticket('a', { asia: 20, eu: 30 }), ticket('b', { asia: 20, us: 30 })];
    const players = party.flatMap((one) => one.players);
    const two = (allocator: Record<string, string>) => ({ ...queue(allocator), teamSize: 2 });
    expect(misfits({ players }, two({ eu, us: eu }))).toHaveLength(1);
    expect(misfits({ players }, two({ eu, us: eu, asia: eu }))).toEqual([]);
  });
});
