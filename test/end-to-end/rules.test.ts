import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { NewTicket } from '../../lib/contract/ticket.ts';
import { eventually } from '../patience.ts';
import { player, testMuster } from './muster.ts';

const { api, bus } = await testMuster();

/** A queue whose matches are in one region and within five levels. */
const ranked: Partial<QueueDefinition> = {
  attributes: { level: { type: 'number', min: 1, max: 50 } },
  rules: [
    { name: 'Ping', type: 'latency', max: 80 },
    { name: 'Level', type: 'within', attribute: 'level', max: 5 },
  ],
};

function of(skill: number, level: number, latencyMs: Record<string, number>): NewTicket['players'] {
  return [{ ...player(skill), attributes: { level }, latencyMs }];
}

describe.concurrent('a queue with rules', () => {
  it('matches the players that its rules permit, in a region that all of them reach', async () => {
    const queue = await api.queue(ranked);
    const near = await api.ticket(queue, of(1000, 10, { east: 30, west: 70 }));
    const tooHigh = await api.ticket(queue, of(1001, 20, { east: 20, west: 20 }));
    const tooFar = await api.ticket(queue, of(1002, 10, { south: 20, west: 90 }));
    const partner = await api.ticket(queue, of(1400, 14, { east: 60, west: 20 }));
    const { matchId } = await api.until(near.ticketId, 'COMPLETED');
    expect((await api.until(partner.ticketId, 'COMPLETED')).matchId).toBe(matchId);
    const match = (await api.get(`/matches/${matchId}`)).body;
    expect(match.region).toBe('east');
    expect(match.rules).toEqual({});
    const players = match.teams.flatMap((team: { players: object[] }) => team.players);
    expect(players).toContainEqual(expect.objectContaining({ attributes: { level: 14 } }));
    const found = await bus.first(
      ({ 'detail-type': type, detail }) => type === 'MatchFound' && JSON.stringify(detail).includes(matchId!),
    );
    expect(found.detail).toMatchObject({ match: { region: 'east' } });
    for (const { ticketId } of [tooHigh, tooFar]) {
      const { status, body } = await api.get(`/tickets/${ticketId}?explain=true`);
      expect({ status, ticket: body.status }).toEqual({ status: 200, ticket: 'QUEUED' });
      expect(body.players[0].latencyMs).toBeDefined();
    }
  });

  it('names the rule that keeps a ticket waiting', async () => {
    const queue = await api.queue(ranked);
    const low = await api.ticket(queue, of(1000, 1, { east: 30 }));
    await api.ticket(queue, of(1000, 40, { east: 30 }));
    // A search that was cut short names no rule.
    await eventually(async () => {
      const { body } = await api.get(`/tickets/${low.ticketId}?explain=true`);
      expect(body.reason).toContain('rule Level');
    });
  });

  it('never matches two players when one avoids the other', async () => {
    const queue = await api.queue();
    const [a, b, c] = [player(1000), player(1001), player(1300)];
    const first = await api.ticket(queue, [{ ...a, avoid: [b.playerId] }]);
    const second = await api.ticket(queue, [b]);
    const third = await api.ticket(queue, [c]);
    await api.until(third.ticketId, 'COMPLETED');
    const left = await Promise.all([first, second].map(({ ticketId }) => api.get(`/tickets/${ticketId}`)));
    expect(left.map(({ body }) => body.status).sort()).toEqual(['COMPLETED', 'QUEUED']);
  });
});
