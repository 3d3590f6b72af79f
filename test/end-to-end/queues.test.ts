import { describe, expect, it } from 'vitest';
import { eventually } from '../patience.ts';
import { definition } from '../service/definitions.ts';
import { player, testMuster } from './muster.ts';

const { api, cloud } = await testMuster();

describe.concurrent('a deleted queue', () => {
  it('rejects new tickets, but its waiting tickets are matched', async () => {
    const queue = await api.queue({ teamSize: 2 });
    const tickets = [await api.ticket(queue, [player(1), player(2)]), await api.ticket(queue, 3)];
    await api.ticket(queue, 4);
    expect((await api.delete(`/queues/${queue}`)).status).toBe(204);
    const refused = await api.post(`/queues/${queue}/tickets`, { ticketId: 'late', players: [player(5)] });
    expect(refused.status).toBe(404);
    for (const { ticketId } of tickets) await api.until(ticketId, 'COMPLETED');
  });

  it('lets its unmatched tickets time out, with a reason', async () => {
    const queue = await api.queue({ timeoutSeconds: 2 });
    const { ticketId } = await api.ticket(queue, 1);
    await api.delete(`/queues/${queue}`);
    const ticket = await api.until(ticketId, 'TIMED_OUT');
    expect(ticket.reason).toMatch(/no match within 2 s/);
    expect(ticket).not.toHaveProperty('matchId');
  });

  it('keeps its waiting tickets when it is created again', async () => {
    const queue = await api.queue();
    const before = await api.ticket(queue, 1);
    await api.delete(`/queues/${queue}`);
    const put = await api.put(`/queues/${queue}`, definition({ name: queue, timeoutSeconds: 3_600 }));
    expect(put.status).toBe(201);
    const after = await api.ticket(queue, 2);
    const { matchId } = await api.until(before.ticketId, 'COMPLETED');
    expect((await api.until(after.ticketId, 'COMPLETED')).matchId).toBe(matchId);
  });
});

it.concurrent('a changed definition cancels the waiting tickets that no longer fit, with a reason', async () => {
  const queue = await api.queue({ teamSize: 3 });
  const trio = await api.ticket(queue, [player(1), player(2), player(3)]);
  const solo = await api.ticket(queue, 1);
  await api.put(`/queues/${queue}`, definition({ name: queue, teamSize: 2, timeoutSeconds: 3_600 }));
  for (const { ticketId } of [trio, solo])
    expect((await api.get(`/tickets/${ticketId}?explain=true`)).body.reason).toMatch(/\w/);
  expect((await api.until(trio.ticketId, 'CANCELLED')).reason).toMatch(/no longer fits/);
  expect((await api.get(`/tickets/${solo.ticketId}`)).body.status).toBe('QUEUED');
});

describe.concurrent('stats', () => {
  it('are empty for an unused queue', async () => {
    const queue = await api.queue();
    expect((await api.get(`/queues/${queue}/stats`)).body).toEqual({
      queue,
      at: expect.any(String),
      arrivals: null,
      waiting: 0,
      waitingAt: null,
      oldestWaitSeconds: null,
      lastTickAt: null,
      tickOverdueSeconds: 0,
      tickMilliseconds: null,
      recentMatches: { count: 0, imbalanceMean: null, waitSecondsP50: null, waitSecondsP99: null },
      recentEnds: { tickets: 0, timedOutShare: null },
      outcomes: {
        since: expect.any(String),
        tickets: { matched: 0, timedOut: 0, cancelled: 0, returned: 0 },
        matches: { found: 0, requeued: 0, ended: 0 },
      },
      searchesCut: 0,
    });
  });

  it('count waiting players and recent matches', async () => {
    const queue = await api.queue();
    const pairs = [];
    for (const skill of [100, 1000]) {
      const [one] = [await api.ticket(queue, skill), await api.ticket(queue, skill + 10)];
      pairs.push(await api.until(one.ticketId, 'COMPLETED'));
    }
    const matches = await Promise.all(pairs.map(({ matchId }) => api.get(`/matches/${matchId}`)));
    const imbalances = matches.map(({ body }) => body.imbalance as number);
    await api.ticket(queue, 5);
    // Wait until the next tick has counted the tickets.
    const { body } = await eventually(async () => {
      const found = await api.get(`/queues/${queue}/stats`);
      expect(found.body.waiting).toBe(1);
      return found;
    });
    expect(body.waitingAt).toBe(body.lastTickAt);
    expect(Date.parse(body.lastTickAt) % 1_000).toBe(0);
    expect(body.recentMatches.count).toBe(2);
    expect(body.recentMatches.imbalanceMean).toBeCloseTo((imbalances[0]! + imbalances[1]!) / 2, 9);
    expect(body.recentMatches.waitSecondsP99).toBeGreaterThanOrEqual(body.recentMatches.waitSecondsP50);
  });
});

// test/service/ticks/dry-run.test.ts compares its matches with those of `muster match`.
describe.concurrent('a dry run', () => {
  it('names the invalid ticket at any position of the list, and may have no tickets', async () => {
    const queue = await api.queue();
    const enqueuedAt = '2026-01-01T00:00:00Z';
    const tickets = [1, 2].map((skill) => ({ ticketId: `t${skill}`, enqueuedAt, players: [player(skill)] }));
    const dryRun = async (body: unknown) => (await api.post(`/queues/${queue}/dry-run`, body)).body;
    const pointers = async (body: unknown) =>
      (await dryRun(body)).errors.map(({ pointer }: { pointer: string }) => pointer);
    const bad = [tickets[0], { ...tickets[1], ticketId: 't1', enqueuedAt: 'yesterday' }];
    expect(await pointers(bad)).toEqual(['#/1/enqueuedAt', '#/1/ticketId']);
    expect(await pointers({ tickets: bad, now: enqueuedAt })).toEqual([
      '#/tickets/1/enqueuedAt',
      '#/tickets/1/ticketId',
    ]);
    expect(await pointers({ tickets, now: 'soon' })).toEqual(['#/now']);
    expect(await pointers({ now: enqueuedAt })).toEqual(['#/tickets']);
    expect(await dryRun([])).toEqual({ queue, matches: [], waiting: [] });
  });
});

it('the log has no errors after the tests', () => {
  expect(cloud.logs.filter(({ line }) => /"level":"ERROR"|failed:|not authorized/.test(line))).toEqual([]);
});
