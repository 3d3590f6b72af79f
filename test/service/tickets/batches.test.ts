import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { answerMatch } from '../../../lib/service/tickets/acceptance.ts';
import { cancelTicket } from '../../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { type BatchOutcome, enqueueBatch } from '../../../lib/service/tickets/enqueue-batch.ts';
import { getTicket, getTickets } from '../../../lib/service/tickets/read-tickets.ts';
import { suiteName, USE_CASE_STORE } from '../../aws/emulated-tables.ts';
import { ticket } from '../../aws/samples.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';

const { emulator, skipped } = USE_CASE_STORE;
describe.skipIf(skipped !== undefined)(suiteName('tickets in batches', emulator, skipped), () => {
  let cloud: VirtualCloud;
  let queue: string;
  ownCloudForEachTest(emulator, (own) => {
    ({ cloud, queue } = own);
  });

  const id = (name: string) => `${queue}:${name}`;
  const define = (changes: Partial<QueueDefinition> = {}) =>
    putQueue(cloud.deps.queues, definition({ name: queue, timeoutSeconds: 300, ...changes }), cloud.nowMs);
  const body = (name: string, ...skills: number[]) => {
    const { ticketId, players } = ticket(queue, id(name), skills.length === 0 ? [1] : skills);
    return { ticketId, players };
  };
  const post = (...bodies: unknown[]) => enqueueBatch(cloud.deps, queue, { tickets: bodies }, cloud.nowMs);
  const statusOf = (one: BatchOutcome) =>
    one.outcome === 'enqueued'
      ? one.created
        ? 201
        : 200
      : one.outcome === 'refused'
        ? one.problem.status
        : 503;
  const names = (found: readonly { ticketId: string }[]) =>
    found.map(({ ticketId }) => ticketId.slice(queue.length + 1));
  /** The result of a task, and its calls to ports. */
  const calling = async <T>(task: () => Promise<T>) => {
    const calls: string[] = [];
    const result = await cloud.on((what, effect) => {
      calls.push(what);
      return effect();
    }, task);
    return { calls, result };
  };

  it('are stored with one read of the queue, a put for each and one wake-up', async () => {
    await define();
    const bodies = Array.from({ length: 50 }, (_, i) => body(`t${i}`, i));
    const { calls, result } = await calling(() => post(...bodies));
    expect(result.map(statusOf)).toEqual(bodies.map(() => 201));
    expect(names(result as { ticketId: string }[])).toEqual(bodies.map((_, i) => `t${i}`));
    const counts = Object.groupBy(calls, (call) => call);
    expect(counts.PutItem).toHaveLength(50);
    expect(counts['send ticks']).toHaveLength(1);
    expect(calls).toHaveLength(50 + 1 + 3);
  });

  it('get the same results as if posted alone, whatever faults the others have', async () => {
    await define({ teamSize: 2 });
    await enqueue(cloud.deps, queue, body('there'), cloud.nowMs);
    await enqueue(cloud.deps, queue, body('gone'), cloud.nowMs);
    await cancelTicket(cloud.deps, id('gone'), cloud.nowMs);
    const posted = [
      body('there'),
      { ...body('bad'), colour: 'red' },
      body('there', 7),
      body('new'),
      null,
      body('party', 1, 2, 3),
      body('gone'),
      { players: [] },
    ];
    const results = await post(...posted);
    expect(results.map(statusOf)).toEqual([200, 400, 409, 201, 400, 400, 409, 400]);
    expect(results[6]).toMatchObject({ problem: { extensions: { code: 'TICKET_ENDED' } } });
    expect(results.map(({ ticketId }) => ticketId)).toEqual(
      posted.map((one) => (one as { ticketId?: string } | null)?.ticketId ?? null),
    );
    for (const [i, one] of posted.entries()) {
      const alone = await enqueue(cloud.deps, queue, one, cloud.nowMs).catch((error) => error);
      const result = results[i]!;
      if (result.outcome === 'refused') expect(result.problem.toDocument()).toEqual(alone.toDocument());
      else expect(result).toMatchObject({ ticket: alone.ticket });
    }
    expect(await cloud.deps.tickets.get(id('bad'))).toBeUndefined();
  });

  it('of the same id in one batch are one ticket, in their order', async () => {
    await define();
    const results = await post(body('a'), body('a', 5), body('b'), body('a'));
    expect(results.map(statusOf)).toEqual([201, 409, 201, 200]);
  });

  it('may be posted again', async () => {
    await define();
    const bodies = [body('a'), body('b')];
    await post(...bodies);
    expect((await post(...bodies, body('c'))).map(statusOf)).toEqual([200, 200, 201]);
  });

  it('are matched', async () => {
    await define();
    await post(body('a'), body('b'));
    await cloud.run(2_000);
    const found = await getTickets(cloud.deps, [id('a'), id('b')]);
    expect(found.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED']);
  });

  it('fail alone when the store is busy for one of them', async () => {
    await define();
    const tickets = {
      ...cloud.deps.tickets,
      create: (...args: Parameters<typeof cloud.deps.tickets.create>) =>
        args[0].ticketId === id('b')
          ? Promise.reject(new StoreBusy('no'))
          : cloud.deps.tickets.create(...args),
    };
    const bodies = [body('a'), body('b'), body('c')];
    const results = await enqueueBatch({ ...cloud.deps, tickets }, queue, { tickets: bodies }, cloud.nowMs);
    expect(results.map(statusOf)).toEqual([201, 503, 201]);
    expect(cloud.tickMessages.length).toBeGreaterThan(0);
  });

  it('get 503 when they wait and their queue could not be woken, and the batch can be repeated', async () => {
    await define();
    const ticks = { send: () => Promise.reject(new StoreBusy('no')) };
    const bodies = { tickets: [body('a'), null, body('b')] };
    const results = await enqueueBatch({ ...cloud.deps, ticks }, queue, bodies, cloud.nowMs);
    expect(results.map(statusOf)).toEqual([503, 400, 503]);
    expect((await post(...bodies.tickets)).map(statusOf)).toEqual([200, 400, 200]);
  });

  it.each([
    ['nothing', {}, ['#/tickets']],
    ['no tickets', { tickets: [] }, ['#/tickets']],
    ['51 tickets', { tickets: Array(51).fill({}) }, ['#/tickets']],
    ['tickets that are no list', { tickets: { 0: {} } }, ['#/tickets']],
    ['an unknown field', { tickets: [{}], queue: 'q' }, ['#/queue']],
  ])('are rejected as a whole with %s', async (_, batch, pointers) => {
    await define();
    const refusal = await enqueueBatch(cloud.deps, queue, batch, cloud.nowMs).catch((error) => error);
    expect(refusal).toMatchObject({ status: 400, errors: pointers.map((pointer) => ({ pointer })) });
  });

  it('are rejected as a whole when the queue is missing', async () => {
    await expect(enqueueBatch(cloud.deps, 'nobody', { tickets: [{}] }, cloud.nowMs)).rejects.toMatchObject({
      status: 404,
    });
  });

  describe('read', () => {
    it('are in the requested order, each once, without missing ones', async () => {
      await define();
      await post(...['a', 'b', 'c'].map((name, i) => body(name, 100 * i)));
      const { calls, result } = await calling(() =>
        getTickets(cloud.deps, ['c', 'nobody', 'a', 'c', 'b'].map(id)),
      );
      expect(names(result)).toEqual(['c', 'a', 'b']);
      expect(calls).toEqual(['BatchGetItem']);
    });

    it('take two requests for 50 matched tickets', async () => {
      await define();
      const bodies = Array.from({ length: 50 }, (_, i) => body(`t${i}`, i));
      await post(...bodies);
      await cloud.run(2_000);
      const { calls, result } = await calling(() =>
        getTickets(
          cloud.deps,
          bodies.map(({ ticketId }) => ticketId),
        ),
      );
      expect(new Set(result.map(({ status }) => status))).toEqual(new Set(['COMPLETED']));
      expect(calls.length).toBeLessThanOrEqual(2);
    });

    it('have the status that each has when it is read alone', async () => {
      await define({ acceptance: { timeoutSeconds: 60 }, provisioner: { type: 'external' } });
      const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
      for (const pair of [['a', 'b'], ['c', 'd'], ['e', 'f'], ['g']]) {
        await post(...pair.map((name) => body(name)));
        await cloud.run(2_000);
      }
      const matchOf = async (name: string) => (await cloud.deps.tickets.get(id(name)))!.matchId!;
      const answer = async (name: string, accepted: boolean) =>
        answerMatch(cloud.deps, id(name), { accepted, matchId: await matchOf(name) }, cloud.nowMs);
      await answer('a', true);
      await answer('b', true);
      await answer('c', false);
      const together = await getTickets(cloud.deps, all.map(id));
      const alone = await Promise.all(all.map((name) => getTicket(cloud.deps, id(name))));
      expect(together).toEqual(alone);
      expect(new Set(together.map(({ status }) => status))).toEqual(
        new Set(['PLACING', 'CANCELLED', 'QUEUED', 'REQUIRES_ACCEPTANCE']),
      );
    });
  });
});
