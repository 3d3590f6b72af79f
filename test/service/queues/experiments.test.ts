import { beforeEach, describe, expect, it } from 'vitest';
import { experimentView } from '../../../lib/contract/experiment-view.ts';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { block, blocksOf } from '../../../lib/experiments/schedule.ts';
import { deployDefinitions } from '../../../lib/service/definitions/deploy-definitions.ts';
import { restoreVersion } from '../../../lib/service/definitions/versions.ts';
import { countedBlock, definitionAt } from '../../../lib/service/domain/running-experiment.ts';
import { digestOf } from '../../../lib/service/domain/stored-definition.ts';
import { countUnmatched } from '../../../lib/service/events/count-unmatched.ts';
import { getExperiment } from '../../../lib/service/queues/experiment-results.ts';
import { deleteExperiment, putExperiment } from '../../../lib/service/queues/experiments.ts';
import { deleteQueue } from '../../../lib/service/queues/queue-definitions.ts';
import { getStats } from '../../../lib/service/queues/stats.ts';
import { cancelTicket } from '../../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { dispatch } from '../../../lib/service/ticks/dispatch.ts';
import { STORES, suiteName } from '../../aws/emulated-tables.ts';
import { ticket } from '../../aws/samples.ts';
import { definition, putQueue, queuesWithoutLadders } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';

const MINUTE_MS = 60_000;
/** One round in ten minutes, and a burn-in as long as the time-out. */
const EXPERIMENT = {
  name: 'patience',
  variants: [
    { name: 'today', changes: {} },
    { name: 'patient', changes: { release: { policy: 'periodic', everySeconds: 20 } } },
  ],
  blockMinutes: 5,
  days: 2 / 144,
};
/** Draws the same seed each time. */
const draw = () => 7;

const { emulator, skipped } = STORES.find((store) => store.emulator === 'memory')!;
describe.skipIf(skipped !== undefined)(suiteName('an experiment on a queue', emulator, skipped), () => {
  let cloud: VirtualCloud;
  let queue: string;
  ownCloudForEachTest(emulator, (own) => {
    ({ cloud, queue } = own);
  });
  let joined = 0;
  beforeEach(async () => {
    joined = 0;
    await define();
  });

  const define = (changes: Partial<QueueDefinition> = {}) =>
    putQueue(
      cloud.deps.queues,
      definition({ name: queue, tickSeconds: 10, timeoutSeconds: 60, ...changes }),
      cloud.nowMs,
    );
  const begin = (changes: object = {}) =>
    putExperiment(cloud.deps.queues, queue, { ...EXPERIMENT, ...changes }, draw, cloud.nowMs);
  const view = async () =>
    experimentView.parse(JSON.parse(JSON.stringify(await getExperiment(cloud.deps, queue, cloud.nowMs))));
  const record = async () => (await cloud.deps.queues.get(queue))!;
  const join = async (skill = 1) => {
    const ticketId = `${queue}:${++joined}`;
    await enqueue(
      cloud.deps,
      queue,
      { ticketId, players: [{ playerId: `p-${ticketId}`, skill }] },
      cloud.nowMs,
    );
    return ticketId;
  };
  const until = async (atMs: number) => cloud.run(atMs - cloud.nowMs);
  /** The first moment of a block of this variant. */
  const blockOf = async (variant: number) => {
    const { schedule } = (await record()).experiment!;
    const all = Array.from({ length: blocksOf(schedule) }, (_, number) => block(schedule, number));
    return all.find((one) => one.variant === variant && one.fromMs >= cloud.nowMs)!;
  };
  it('begins at a whole minute that every function knows in time', async () => {
    cloud.nowMs = Math.ceil(cloud.nowMs / MINUTE_MS) * MINUTE_MS - 1_500;
    expect(await begin()).toBe('begun');
    const { schedule } = (await record()).experiment!;
    expect(schedule.startMs).toBe(cloud.nowMs + 1_500 + MINUTE_MS);
    expect(await view()).toMatchObject({
      state: 'running',
      inForce: null,
      rounds: { planned: 2, counted: 0 },
    });
    cloud.nowMs = schedule.startMs;
    const { name } = EXPERIMENT.variants[block(schedule, 0).variant]!;
    expect((await getStats(cloud.deps, queue, cloud.nowMs)).experiment).toMatchObject({ variant: name });
  });

  it('is the same when the request is repeated, and another one is refused while it runs', async () => {
    await begin();
    const before = await record();
    cloud.nowMs += 30_000;
    expect(await begin()).toBe('unchanged');
    expect((await record()).experiment).toEqual(before.experiment);
    await expect(begin({ name: 'other' })).rejects.toMatchObject({
      status: 409,
      message: expect.stringMatching(/experiment patience is running .* DELETE/),
    });
  });

  it('can be followed by another one after its end', async () => {
    await begin();
    cloud.nowMs += 30 * MINUTE_MS;
    expect(await view()).toMatchObject({ state: 'ended', inForce: null });
    expect(await begin({ name: 'other' })).toBe('begun');
  });

  it('is of a queue that exists, and valid for it', async () => {
    await expect(putExperiment(cloud.deps.queues, 'no-queue', EXPERIMENT, draw, 0)).rejects.toMatchObject({
      status: 404,
    });
    await expect(getExperiment(cloud.deps, queue, cloud.nowMs)).rejects.toMatchObject({ status: 404 });
    await expect(deleteExperiment(cloud.deps.queues, queue, cloud.nowMs)).rejects.toMatchObject({
      status: 404,
    });
    const same = EXPERIMENT.variants.map((one) => ({ ...one, changes: {} }));
    await expect(begin({ variants: same })).rejects.toMatchObject({ status: 400 });
  });

  it('takes a party that a rule of the queue forbids and that of a variant permits, until it ends', async () => {
    const rule = (max: number) => [{ name: 'Skill', type: 'within' as const, attribute: 'skill', max }];
    await define({ teamSize: 2, timeoutSeconds: 600, rules: rule(10) });
    const post = (name: string) => {
      const ticketId = `${queue}:${name}`;
      const players = [1, 50].map((skill, i) => ({ playerId: `p${i}-${ticketId}`, skill }));
      return enqueue(cloud.deps, queue, { ticketId, players }, cloud.nowMs);
    };
    await expect(post('before')).rejects.toMatchObject({ status: 400 });
    const variants = [
      { name: 'strict', changes: {} },
      { name: 'wide', changes: { rules: rule(100) } },
    ];
    await begin({ variants });
    expect(await post('during')).toMatchObject({ created: true });
    const { schedule } = (await record()).experiment!;
    await until(schedule.startMs + 11_000);
    expect((await cloud.deps.tickets.get(`${queue}:during`))!.status).toBe('QUEUED');
    await deleteExperiment(cloud.deps.queues, queue, cloud.nowMs);
    await until(cloud.nowMs + 21_000);
    expect((await cloud.deps.tickets.get(`${queue}:during`))!).toMatchObject({
      status: 'CANCELLED',
      reason: expect.stringMatching(/under the rule Skill/),
    });
  });

  it('has each tick search by the variant of its slot, however late the tick and old its record', async () => {
    await begin();
    const read = await record();
    const { schedule } = read.experiment!;
    const [control, variant] = [await blockOf(0), await blockOf(1)];
    expect(definitionAt(read, control.fromMs).release).toEqual({ policy: 'greedy' });
    expect(definitionAt(read, variant.fromMs).release).toMatchObject({ policy: 'periodic' });
    expect(definitionAt(read, variant.untilMs - 1).release).toMatchObject({ policy: 'periodic' });
    expect(definitionAt(read, schedule.startMs - 1)).toBe(read.definition);
    expect(definitionAt(read, schedule.startMs + 20 * MINUTE_MS)).toBe(read.definition);
  });

  it('matches by the variant in force and counts every wait in the block in which it began', async () => {
    await begin();
    const blocks = [await blockOf(0), await blockOf(1)];
    for (const { fromMs } of blocks.toSorted((a, b) => a.fromMs - b.fromMs)) {
      await until(fromMs + 2 * MINUTE_MS + 1_500);
      await join();
      await join();
    }
    await until((await record()).experiment!.schedule.startMs + 21 * MINUTE_MS);
    const { blocks: shown, players, rounds } = await view();
    expect({ players, rounds }).toEqual({ players: 4, rounds: { planned: 2, counted: 2 } });
    const [today, patient] = blocks.map(({ number }) => shown[number]!);
    expect(today).toMatchObject({ variant: 'today', players: 2 });
    expect(patient).toMatchObject({ variant: 'patient', players: 2 });
    expect(today!.waitSeconds).toBeLessThan(10);
    expect(patient!.waitSeconds).toBeGreaterThan(10);
  });

  it('counts a ticket in one block only, even when clocks differ by a second at a switch', async () => {
    await begin();
    const read = await record();
    const { fromMs, number } = await blockOf(1);
    for (const apartMs of [-1_000, 0, 1_000]) expect(countedBlock(read, fromMs + apartMs)).toBeUndefined();
    expect(countedBlock(read, fromMs + 61_000)).toMatchObject({ number });
  });

  it('counts matched, cancelled and timed-out players apart, and none of a burn-in', async () => {
    await begin();
    const { fromMs, number } = await blockOf(0);
    await until(fromMs + 10_000);
    await join(1);
    await join(1);
    await until(fromMs + 2 * MINUTE_MS);
    await join(1);
    await join(1);
    await cloud.run(12_000);
    const left = await join(1);
    await cloud.run(3_000);
    await cancelTicket(cloud.deps, left, cloud.nowMs);
    await cloud.run(3_000);
    await join(1);
    await cloud.run(70_000);
    const { startMs } = (await record()).experiment!.schedule;
    const totals = (await cloud.deps.experiments.totals({ queue, startMs }, [number])).get(number)!;
    expect(totals).toMatchObject({ matched: 2, cancelled: 1, timedOut: 1 });
    expect(Object.values(totals.waits).reduce((sum, one) => sum + one, 0)).toBe(4);
  });

  it('counts the whole wait of a ticket that times out, once for each delivery of its change', async () => {
    await begin();
    const { fromMs, number } = await blockOf(0);
    const enqueuedAtMs = fromMs + 2 * MINUTE_MS;
    const before = { ...ticket(queue, 'late', [1, 2]), enqueuedAt: new Date(enqueuedAtMs).toISOString() };
    const after = { ...before, status: 'TIMED_OUT' as const };
    const position = { table: 'tickets' as const, changeId: 'c', atMs: enqueuedAtMs + 62_000 };
    const replaced = { ...before, status: 'CANCELLED' as const, replacedBy: 'other' };
    const declined = { ...before, status: 'CANCELLED' as const, matchId: 'm' };
    await countUnmatched(
      cloud.deps,
      [after, replaced, declined, before].map((one) => ({ ...position, before, after: one })),
      cloud.nowMs,
    );
    const { startMs } = (await record()).experiment!.schedule;
    const totals = await cloud.deps.experiments.totals({ queue, startMs }, [number, number + 1]);
    expect([...totals.keys()]).toEqual([number]);
    expect(totals.get(number)).toEqual({
      matched: 0,
      cancelled: 0,
      timedOut: 2,
      waitSeconds: 124,
      imbalance: 0,
      waits: { 84: 2 },
    });
  });

  it("prevents changes of its queue's definition, including restored versions", async () => {
    await define({ timeoutSeconds: 50 });
    await define({ timeoutSeconds: 60 });
    await begin();
    const conflict = { status: 409, message: expect.stringMatching(/experiment patience is running/) };
    await expect(define({ timeoutSeconds: 90 })).rejects.toMatchObject(conflict);
    await expect(
      restoreVersion(queuesWithoutLadders(cloud.deps.queues), queue, 2, cloud.nowMs),
    ).rejects.toMatchObject(conflict);
    expect((await define()).outcome).toBe('unchanged');
    await deleteExperiment(cloud.deps.queues, queue, cloud.nowMs);
    expect((await define({ timeoutSeconds: 90 })).outcome).toBe('changed');
    expect(await view()).toMatchObject({ state: 'ended', reason: 'it was ended by a request' });
  });

  it('is a conflict for a deployment that changes the file of its queue', async () => {
    const notes: unknown[] = [];
    const deployments = {
      last: async () => undefined,
      note: async (one: unknown) => {
        notes.push(one);
      },
    };
    const file = (timeoutSeconds: number) => ({
      [queue]: JSON.stringify(definition({ name: queue, tickSeconds: 10, timeoutSeconds })),
    });
    const deploy = (wanted: Record<string, string>, before: Record<string, string> | undefined) =>
      deployDefinitions(
        { kinds: [queuesWithoutLadders(cloud.deps.queues)], deployments: deployments as never },
        {
          wanted: { queue: wanted },
          before: before && { queue: { [queue]: digestOf(JSON.parse(before[queue]!)) } },
          requestId: `request-${notes.length}`,
        },
        cloud.nowMs,
      );
    await deploy(file(60), undefined);
    await begin();
    expect(await deploy(file(60), file(60))).toMatchObject({ put: [], conflicts: [] });
    await expect(deploy(file(90), file(60))).rejects.toMatchObject({
      status: 409,
      message: expect.stringMatching(/experiment patience is running .* Nothing was changed/),
    });
    expect(await deploy({}, file(60))).toMatchObject({ deleted: [`queue ${queue}`] });
  });

  it('ends with its queue', async () => {
    await begin();
    const { untilMs, number } = await blockOf(1);
    await until(untilMs - MINUTE_MS);
    await deleteQueue(cloud.deps.queues, queue, cloud.nowMs);
    const closed = await record();
    expect(definitionAt(closed, cloud.nowMs)).toBe(closed.definition);
    await define();
    expect(await view()).toMatchObject({ state: 'stopped', reason: 'the queue was deleted', inForce: null });
    cloud.nowMs += 60 * MINUTE_MS;
    expect((await view()).blocks.map(({ block }) => block)).not.toContain(number);
  });

  it('is over when an earlier version has changed the definition, which knows no experiments', async () => {
    await begin();
    const old = await record();
    const { experiment: _, ...known } = old;
    const change = { version: 2, at: new Date(cloud.nowMs).toISOString() };
    await cloud.deps.queues.put({ ...known, version: old.version + 1, change });
    const now = await record();
    expect(now.experiment).toEqual(old.experiment);
    expect(definitionAt(now, now.experiment!.schedule.startMs)).toBe(now.definition);
    expect(await view()).toMatchObject({ state: 'stopped', reason: expect.stringContaining('version 1') });
    expect(await begin()).toBe('begun');
  });

  it('has ended as planned, even when the studio adopts the better variant afterwards', async () => {
    await begin();
    await until((await blockOf(1)).fromMs + 2 * MINUTE_MS);
    for (let i = 0; i < 2; i++) await join();
    await cloud.run(40 * MINUTE_MS);
    const before = await view();
    expect(before).toMatchObject({ state: 'ended', rounds: { counted: 2 }, players: 2 });
    await define({ release: { policy: 'periodic', everySeconds: 20 } });
    expect(await view()).toEqual(before);
    const after = await record();
    expect(definitionAt(after, cloud.nowMs)).toBe(after.definition);
    const { schedule } = after.experiment!;
    // A tick that is late for a slot of the last block.
    expect(definitionAt(after, schedule.startMs)).toBe(after.definition);
  });

  it('is stopped by a block of a variant whose waits exceed its limit, and by no block without changes', async () => {
    await begin({ stop: { waitP99Seconds: 25 } });
    const { schedule } = (await record()).experiment!;
    for (const number of [0, 1]) {
      const { fromMs, untilMs, variant } = block(schedule, number);
      await until(fromMs + 2 * MINUTE_MS);
      await join();
      await cloud.run(40_000);
      await join();
      await until(untilMs);
      const expected = variant === 1 ? 'stopped' : 'running';
      expect(await view()).toMatchObject({ state: expected });
      if (variant === 1) break;
    }
    const stopped = await view();
    expect(stopped.reason).toMatch(/variant patient was in force, one waited \d+ s or longer/);
    expect(stopped.inForce).toBeNull();
    const { state, reason } = stopped;
    const told = async () => (await getStats(cloud.deps, queue, cloud.nowMs)).experiment;
    expect(await told()).toEqual({ name: 'patience', state, reason });
    cloud.nowMs += 25 * 60 * MINUTE_MS;
    expect(await told()).toBeUndefined();
    expect(definitionAt(await record(), cloud.nowMs).release).toEqual({ policy: 'greedy' });
    expect((await dispatch(cloud.deps, cloud.nowMs)).stopped).toEqual([]);
  });
});
