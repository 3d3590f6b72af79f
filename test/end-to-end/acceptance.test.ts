import { describe, expect, it } from 'vitest';
import type { MatchView } from '../../lib/contract/match.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { TicketView } from '../../lib/contract/ticket.ts';
import { testMuster } from './muster.ts';
import { SECRET_NAME } from './receiver.ts';

const { api, bus, receiver, timeIsUp } = await testMuster();

function answer({ ticketId, matchId }: TicketView, accepted: boolean) {
  return api.put(`/tickets/${ticketId}/acceptance`, { accepted, matchId });
}

/** Two tickets whose match requires that they accept it. */
async function proposed(
  changes: Partial<QueueDefinition> = {},
): Promise<{ queue: string; one: TicketView; two: TicketView; match: MatchView }> {
  const queue = await api.queue({ acceptance: { timeoutSeconds: 600 }, ...changes });
  const tickets = [await api.ticket(queue, 1), await api.ticket(queue, 2)];
  const [one, two] = await Promise.all(
    tickets.map(({ ticketId }) => api.until(ticketId, 'REQUIRES_ACCEPTANCE')),
  );
  const { body: match } = await api.get(`/matches/${one!.matchId}`);
  return { queue, one: one!, two: two!, match };
}

async function event(type: string, matchOrTicketId: string) {
  return bus.first(
    ({ 'detail-type': is, detail }) => is === type && JSON.stringify(detail).includes(matchOrTicketId),
  );
}

describe.concurrent('acceptance', () => {
  it('continues the match when all tickets accept', async () => {
    const { one, two, match } = await proposed();
    expect(match).toMatchObject({ status: 'REQUIRES_ACCEPTANCE', acceptance: { accepted: [] } });
    expect(Date.parse(match.acceptance!.deadline)).toBe(Date.parse(match.createdAt) + 600_000);

    expect(await answer(one, true)).toMatchObject({
      status: 200,
      body: { status: 'REQUIRES_ACCEPTANCE' },
    });
    expect((await api.get(`/matches/${match.matchId}`)).body.acceptance.accepted).toEqual([one.ticketId]);
    expect((await answer(one, true)).status).toBe(200);
    expect(await answer(two, true)).toMatchObject({ status: 200, body: { status: 'COMPLETED' } });
    expect((await api.get(`/tickets/${one.ticketId}`)).body.status).toBe('COMPLETED');
    expect((await api.get(`/matches/${match.matchId}`)).body).not.toHaveProperty('acceptance');
    await event('MatchAccepted', match.matchId);
  });

  it('continues the match exactly once when all tickets accept at the same time', async () => {
    const { one, two, match } = await proposed();
    const answers = await Promise.all([answer(one, true), answer(two, true)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await api.until(one.ticketId, 'COMPLETED');
    await event('MatchAccepted', match.matchId);
  });

  it('sends an accepted match to the provisioner', async () => {
    receiver.answer('/place', (_, response) => response.end('{"address":"game.example"}'));
    const { one, two } = await proposed({
      provisioner: { type: 'http', url: receiver.url('/place'), secret: SECRET_NAME },
    });
    expect(receiver.at('/place')).toEqual([]);
    await answer(one, true);
    await answer(two, true);
    const { matchId } = await api.until(one.ticketId, 'COMPLETED');
    expect((await api.get(`/matches/${matchId}`)).body.assignment).toEqual({ address: 'game.example' });
  });

  it('cancels a ticket that declines, and matches the other again with its earlier wait', async () => {
    const { queue, one, two, match } = await proposed();
    await answer(one, true);
    const refusal = await answer(two, false);
    expect(refusal).toMatchObject({ status: 200, body: { status: 'CANCELLED' } });
    expect(refusal.body.reason).toContain(two.ticketId);
    const waiting = (await api.get(`/tickets/${one.ticketId}`)).body;
    expect(waiting).toMatchObject({ status: 'QUEUED', enqueuedAt: one.enqueuedAt });
    expect(waiting).not.toHaveProperty('matchId');
    expect((await api.get(`/matches/${match.matchId}`)).body).toMatchObject({
      status: 'FAILED',
      reason: expect.stringContaining(two.ticketId),
    });
    await event('MatchFailed', match.matchId);
    await event('TicketCancelled', two.ticketId);

    await api.ticket(queue, 3);
    const again = await api.until(one.ticketId, 'REQUIRES_ACCEPTANCE');
    expect(again.enqueuedAt).toBe(one.enqueuedAt);
    expect(again.matchId).not.toBe(match.matchId);
    // A late repetition of the acceptance of the first match does not count for this match.
    expect(await answer(one, true)).toMatchObject({
      status: 409,
      body: { ticketStatus: 'REQUIRES_ACCEPTANCE' },
    });
    const { body } = await api.get(`/matches/${again.matchId}`);
    expect(body.acceptance.accepted).toEqual([]);
  });

  it('cancels tickets that do not accept in time, and matches the others again', async () => {
    const { queue, one, two, match } = await proposed();
    await answer(one, true);
    await timeIsUp(match.matchId);
    const ended = await api.until(two.ticketId, 'CANCELLED');
    expect(ended.reason).toMatch(/not every ticket accepted by/);
    expect((await api.get(`/matches/${match.matchId}`)).body.status).toBe('FAILED');
    const other = await api.ticket(queue, 3);
    for (const { ticketId } of [one, other])
      await answer(await api.until(ticketId, 'REQUIRES_ACCEPTANCE'), true);
    const { enqueuedAt } = await api.until(one.ticketId, 'COMPLETED');
    expect(enqueuedAt).toBe(one.enqueuedAt);
  });

  it('rejects a late acceptance with status 409 unless it repeats an earlier one', async () => {
    const { one, two } = await proposed();
    await answer(one, true);
    await answer(two, true);
    expect(await answer(one, false)).toMatchObject({
      status: 409,
      body: { ticketStatus: 'COMPLETED' },
    });
    expect(await answer(one, true)).toMatchObject({ status: 200, body: { status: 'COMPLETED' } });
    const refused = await proposed();
    await answer(refused.one, false);
    expect(await answer(refused.one, false)).toMatchObject({
      status: 200,
      body: { status: 'CANCELLED' },
    });
    expect(await answer(refused.one, true)).toMatchObject({
      status: 409,
      body: { ticketStatus: 'CANCELLED' },
    });
    expect((await answer(refused.two, true)).status).toBe(409);
  });

  it('rejects the cancelling of a ticket that has to accept', async () => {
    const { one } = await proposed();
    expect(await api.delete(`/tickets/${one.ticketId}`)).toMatchObject({
      status: 409,
      body: { ticketStatus: 'REQUIRES_ACCEPTANCE' },
    });
  });
});
