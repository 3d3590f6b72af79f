import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { muster } from '../cli/muster.ts';
import { eventually } from '../patience.ts';
import { definition } from '../service/definitions.ts';
import { player, testMuster } from './muster.ts';

const { api, cloud, rows } = await testMuster();

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

  it('lets its unmatched tickets time out', async () => {
    const queue = await api.queue({ timeoutSeconds: 2 });
    const { ticketId } = await api.ticket(queue, 1);
    await api.delete(`/queues/${queue}`);
    await api.until(ticketId, 'TIMED_OUT');
  });

  it('keeps its waiting tickets when it is created again', async () => {
    const queue = await api.queue();
    const before = await api.ticket(queue, 1);
    await api.delete(`/queues/${queue}`);
    const put = await api.put(`/queues/${queue}`, definition({ name: queue }));
    expect(put.status).toBe(201);
    const after = await api.ticket(queue, 2);
    const { matchId } = await api.until(before.ticketId, 'COMPLETED');
    expect((await api.until(after.ticketId, 'COMPLETED')).matchId).toBe(matchId);
  });
});

describe.concurrent('an experiment over HTTP', () => {
  it('begins once, is read, keeps the definition from changing, and ends', async () => {
    const queue = await api.queue();
    const path = `/queues/${queue}/experiment`;
    const patient = { release: { policy: 'periodic', everySeconds: 20 } };
    const variants = [
      { name: 'today', changes: {} },
      { name: 'patient', changes: patient },
    ];
    const experiment = { name: 'patience', variants, blockMinutes: 5, days: 1 };
    expect((await api.get(path)).status).toBe(404);
    expect((await api.put(path, { ...experiment, blockMinutes: 1 })).status).toBe(400);
    const begun = await api.put(path, experiment);
    expect(begun).toMatchObject({ status: 201, body: { queue, state: 'running', players: 0, blocks: [] } });
    expect((await api.put(path, experiment)).status).toBe(200);
    expect((await api.get(path)).body).toEqual(begun.body);
    expect((await api.put(`/queues/${queue}`, definition({ name: queue, teamSize: 2 }))).status).toBe(409);
    expect((await api.delete(path)).status).toBe(204);
    expect((await api.delete(path)).status).toBe(204);
    expect((await api.get(path)).body).toMatchObject({ state: 'ended', inForce: null });
    expect((await api.get(`/queues/${queue}/stats`)).body.experiment).toMatchObject({ state: 'ended' });
  });
});

describe.concurrent('a definition that changes while tickets are waiting', () => {
  it('applies to them from the next tick on', async () => {
    const queue = await api.queue({ teamSize: 2 });
    const tickets = [await api.ticket(queue, 1), await api.ticket(queue, 2)];
    await api.put(`/queues/${queue}`, definition({ name: queue, teamSize: 1 }));
    for (const { ticketId } of tickets) await api.until(ticketId, 'COMPLETED');
  });

  it('cancels the tickets that no longer fit, with a reason', async () => {
    const queue = await api.queue({ teamSize: 3 });
    const trio = await api.ticket(queue, [player(1), player(2), player(3)]);
    const solo = await api.ticket(queue, 1);
    await api.put(`/queues/${queue}`, definition({ name: queue, teamSize: 2 }));
    for (const { ticketId } of [trio, solo]) {
      expect((await api.get(`/tickets/${ticketId}?explain=true`)).body.reason).toMatch(/\w/);
    }
    const { reason } = await api.until(trio.ticketId, 'CANCELLED');
    expect(reason).toMatch(/no longer fits/);
    expect((await api.get(`/tickets/${solo.ticketId}`)).body.status).toBe('QUEUED');
  });

  it('loses no ticket when the buckets change', async () => {
    const queue = await api.queue({ buckets: [1000] });
    const before = await api.ticket(queue, 1400);
    await api.put(`/queues/${queue}`, definition({ name: queue, buckets: [500, 1500] }));
    const after = await api.ticket(queue, 1450);
    const { matchId } = await api.until(before.ticketId, 'COMPLETED');
    expect((await api.until(after.ticketId, 'COMPLETED')).matchId).toBe(matchId);
  });
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

describe('a dry run', () => {
  let folder: string | undefined;
  afterAll(() => folder && rm(folder, { recursive: true }));

  const rules = definition({
    name: 'dry',
    teamSize: 2,
    roles: { front: 1, back: 1 },
    imbalance: { alpha: 0.7, p: 1.5, q: 'inf' },
    beta: 0.3,
  });
  const tickets = Array.from({ length: 21 }, (_, i) => ({
    ticketId: `t${i}`,
    enqueuedAt: new Date(Date.UTC(2026, 0, 1, 12, 0, (i * 7) % 60)).toISOString(),
    players: Array.from({ length: i % 4 === 0 ? 2 : 1 }, (_, j) => ({
      playerId: `p${i}-${j}`,
      skill: ((i * 7919 + j * 31) % 1000) / 3,
      ...(i % 5 === 1 && j === 0 && { roles: ['front'] }),
    })),
  }));

  /** A search that has ended by itself. On a busy machine its time ends before. */
  const uncut = (path: string, body: object) =>
    eventually(async () => {
      const answer = await api.post(path, body);
      expect(answer.body).not.toHaveProperty('cut');
      return answer;
    });

  it.each([undefined, '2026-01-01T12:05:00Z'])(
    'returns the same bytes as `muster match` at %s',
    async (now) => {
      folder ??= await mkdtemp(join(tmpdir(), 'muster-dry-run-test-'));
      const files = { queue: join(folder, 'queue.json'), tickets: join(folder, 'tickets.json') };
      await writeFile(files.queue, JSON.stringify(rules));
      await writeFile(files.tickets, JSON.stringify(tickets));
      const { stdout } = await muster(
        'match',
        '--queue',
        files.queue,
        '--tickets',
        files.tickets,
        ...(now === undefined ? [] : ['--now', now]),
      );
      await api.put('/queues/dry', rules);
      const { status, body } = await uncut(
        '/queues/dry/dry-run',
        now === undefined ? tickets : { tickets, now },
      );
      expect(status).toBe(200);
      expect(body.matches.length).toBeGreaterThan(2);
      expect(body.waiting.length).toBeGreaterThan(0);
      expect(JSON.stringify(body)).toBe(JSON.stringify(JSON.parse(stdout)));
    },
  );

  it('stores nothing', async () => {
    await api.put('/queues/dry', rules);
    const before = await Promise.all([rows('tickets'), rows('matches'), rows('queues')]);
    await api.post('/queues/dry/dry-run', tickets);
    const stored = (await rows('tickets')).filter(({ queue }) => queue === 'dry');
    expect(stored).toEqual([]);
    expect((await rows('matches')).filter(({ queue }) => queue === 'dry')).toEqual([]);
    expect((await rows('queues')).length).toBe(before[2]!.length);
  });

  it('names the invalid ticket at any position of the list', async () => {
    await api.put('/queues/dry', rules);
    const bad = [tickets[0], { ...tickets[1], ticketId: 't0', enqueuedAt: 'yesterday' }];
    const pointers = async (body: unknown) =>
      (await api.post('/queues/dry/dry-run', body)).body.errors.map(
        ({ pointer }: { pointer: string }) => pointer,
      );
    expect(await pointers(bad)).toEqual(['#/1/enqueuedAt', '#/1/ticketId']);
    expect(await pointers({ tickets: bad, now: '2026-01-01T00:00:00Z' })).toEqual([
      '#/tickets/1/enqueuedAt',
      '#/tickets/1/ticketId',
    ]);
    expect(await pointers({ tickets, now: 'soon' })).toEqual(['#/now']);
    expect(await pointers({ now: '2026-01-01T00:00:00Z' })).toEqual(['#/tickets']);
  });

  it('without tickets returns no matches', async () => {
    await api.put('/queues/dry', rules);
    expect((await api.post('/queues/dry/dry-run', [])).body).toEqual({
      queue: 'dry',
      matches: [],
      waiting: [],
    });
  });
});

it('the log has no errors after the tests', () => {
  expect(cloud.logs.filter(({ line }) => /"level":"ERROR"|failed:|not authorized/.test(line))).toEqual([]);
});
