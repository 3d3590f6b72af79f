import { describe, expect, it } from 'vitest';
import type { MatchView } from '../../lib/contract/match.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { TicketStatus } from '../../lib/contract/ticket.ts';
import { testMuster } from './muster.ts';

const { api, bus } = await testMuster();

const PLACE = { address: 'game-7.example', port: 7777, sessionId: 's-1', tokens: { ann: 'secret' } };

/** Two tickets in a new queue, and their match when it has the status. */
async function matched(
  provisioner: QueueDefinition['provisioner'],
  status: TicketStatus,
): Promise<{ match: MatchView; ticketIds: string[] }> {
  const queue = await api.queue({ ...(provisioner && { provisioner }) });
  const tickets = [await api.ticket(queue, 1), await api.ticket(queue, 2)];
  const ended = await Promise.all(tickets.map(({ ticketId }) => api.until(ticketId, status)));
  expect(ended[0]!.matchId).toBe(ended[1]!.matchId);
  const { body: match } = await api.get(`/matches/${ended[0]!.matchId}`);
  for (const ticket of ended) expect(ticket.reason).toBe(match.reason);
  return { match, ticketIds: tickets.map(({ ticketId }) => ticketId) };
}

function events(matchId: string): string[] {
  return bus.items
    .filter(({ detail }) => (detail as { match?: MatchView }).match?.matchId === matchId)
    .map((event) => event['detail-type']);
}

async function until(matchId: string, type: string): Promise<void> {
  await bus.until(() => events(matchId).includes(type));
}

describe.concurrent('no provisioner', () => {
  it.each([undefined, { type: 'none' } as const])(
    'completes a match immediately and accepts one later assignment: %j',
    async (provisioner) => {
      const { match } = await matched(provisioner, 'COMPLETED');
      expect(match).not.toHaveProperty('assignment');
      const put = (body: object) => api.put(`/matches/${match.matchId}/assignment`, body);
      const first = await put(PLACE);
      expect(first).toMatchObject({ status: 200, body: { ...match, assignment: PLACE } });
      expect(await put(PLACE)).toMatchObject({ status: 200, body: first.body });
      const other = await put({ ...PLACE, port: 7778 });
      expect(other.status).toBe(409);
      expect(other.body.matchStatus).toBe('COMPLETED');
      expect((await api.get(`/matches/${match.matchId}`)).body).toEqual(first.body);
      await until(match.matchId, 'MatchAssigned');
      expect(events(match.matchId)).toEqual(['MatchFound', 'MatchAssigned']);
    },
  );
});

describe.concurrent('external', () => {
  it('lets the studio PUT the assignment of a match that is PLACING', async () => {
    const { match, ticketIds } = await matched({ type: 'external' }, 'PLACING');
    const put = (body: object) => api.put(`/matches/${match.matchId}/assignment`, body);
    const first = await put(PLACE);
    expect(first).toMatchObject({
      status: 200,
      body: { ...match, status: 'COMPLETED', assignment: PLACE },
    });
    expect((await put(PLACE)).status).toBe(200);
    expect((await put({ address: 'elsewhere' })).status).toBe(409);
    for (const ticketId of ticketIds) await api.until(ticketId, 'COMPLETED');
    await until(match.matchId, 'MatchAssigned');
  });
});
