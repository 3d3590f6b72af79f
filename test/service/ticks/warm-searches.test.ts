import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { toEngineTicket } from '../../../lib/service/domain/stored-ticket.ts';
import { CheckedTickets } from '../../../lib/service/ticks/checked-tickets.ts';
import { PartOfPool } from '../../../lib/service/ticks/read-range.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import { WarmSearches } from '../../../lib/service/ticks/warm-searches.ts';
import { NOW_MS, ticket } from '../../aws/samples.ts';
import { definition } from '../definitions.ts';
import { TimedCloud } from '../timed-cloud.ts';

const LAYOUT = { version: 1, boundaries: [], fromMs: 0 };
/** Parties, whose bounds need a search. */
const QUEUE = definition({
  name: 'duo',
  teamSize: 2,
  release: { policy: 'option-value', waitCost: 20 },
  buckets: [],
  tickSeconds: 1,
});
const LOW = { to: '0000001000.000000' };
const HIGH = { from: '0000001000.000000' };

describe('the searches of a range', () => {
  it('are those of its last tick, but in no second tick at the same time', () => {
    const warm = new WarmSearches();
    const first = warm.take(QUEUE, LOW);
    expect(warm.take(QUEUE, LOW).searches).not.toBe(first.searches);
    expect(warm.take(QUEUE, HIGH).searches).not.toBe(first.searches);
    warm.return(first, 1);
    expect(warm.take(QUEUE, HIGH).searches).not.toBe(first.searches);
    expect(warm.take({ ...QUEUE, name: 'other' }, LOW).searches).not.toBe(first.searches);
    expect(warm.take(QUEUE, LOW).searches).toBe(first.searches);
  });

  it('are discarded with the definition that they are for, even when it comes back', () => {
    const warm = new WarmSearches();
    const first = warm.take(QUEUE, {});
    warm.return(first, 1);
    const changed: QueueDefinition = { ...QUEUE, teamSize: 3 };
    expect(warm.take(changed, {}).searches).not.toBe(first.searches);
    expect(warm.take(QUEUE, {}).searches).not.toBe(first.searches);
  });
});

describe('a function that keeps its searches', () => {
  it('keeps no more tickets than its limit, those of the ranges that it searched last', async () => {
    const { cloud, warm } = world(25);
    for (const name of ['a', 'b', 'c']) {
      await cloud.putQueue(recordOf({ ...QUEUE, name }));
      for (let i = 0; i < 10; i++)
        await cloud.fill([ticket(name, `${name}${i}`, [100 * i ** 3, 100 * i ** 3])]);
    }
    await run(cloud, warm, 'a', NOW_MS);
    await run(cloud, warm, 'b', NOW_MS);
    expect(warm.tickets).toBeGreaterThan(10);
    await run(cloud, warm, 'c', NOW_MS);
    await run(cloud, warm, 'b', NOW_MS + 1_000);
    expect(warm.tickets).toBeGreaterThan(10);
    expect(warm.tickets).toBeLessThanOrEqual(25);
    const before = warm.tickets;
    warm.take({ ...QUEUE, name: 'a' }, {});
    expect(warm.tickets).toBe(before);
    warm.take({ ...QUEUE, name: 'b' }, {});
    expect(warm.tickets).toBeLessThan(before);
  });

  it('keeps no more work than its limit, however few the tickets', async () => {
    const part = new PartOfPool(QUEUE, Number.POSITIVE_INFINITY);
    part.takes(toEngineTicket(ticket('a', 'one', [100, 100]), QUEUE));
    const { work } = part;
    expect(work).toBeGreaterThan(0);
    const { cloud, warm } = world(1_000, 2.5 * work);
    for (const name of ['a', 'b', 'c']) {
      await cloud.putQueue(recordOf({ ...QUEUE, name }));
      await cloud.fill([ticket(name, `${name}0`, [100, 100])]);
      await run(cloud, warm, name, NOW_MS);
    }
    expect(warm.tickets).toBe(2);
    const kept = (name: string) => warm.take({ ...QUEUE, name }, {}).searches.size;
    expect(['a', 'b', 'c'].map(kept)).toEqual([0, 1, 1]);
  });

  it('keeps nothing of a tick that fails, and the next one makes the match', async () => {
    const { cloud, warm } = world();
    await cloud.putQueue(recordOf(QUEUE));
    const tickets = [0, 1].map((i) => ticket('duo', `t${i}`, [1000, 1000]));
    await cloud.fill(tickets);
    let ids = 0;
    const failing = () => {
      // The first id is that of the lease, the second one that of the match.
      if (++ids === 2) throw new Error('stopped');
      return `id-${ids}`;
    };
    await expect(run(cloud, warm, 'duo', NOW_MS, failing)).rejects.toThrow('stopped');
    expect(warm.tickets).toBe(0);
    const later = await run(cloud, warm, 'duo', NOW_MS + 20_000);
    expect(later.outcome === 'searched' && later.matches).toHaveLength(1);
  });
});

function world(ticketsMax?: number, workMax?: number) {
  return { cloud: new TimedCloud(NOW_MS), warm: new WarmSearches(ticketsMax, workMax) };
}

function recordOf(of: QueueDefinition) {
  return { definition: of, version: 1, layouts: [LAYOUT], awakeUntilMs: 0, sentUntilMs: 0 };
}

const checked = new CheckedTickets();

function run(
  cloud: TimedCloud,
  searches: WarmSearches,
  queue: string,
  slotMs: number,
  newId = cloud.deps.newId,
) {
  cloud.time.nowMs = slotMs;
  const deps = { ...cloud.deps, newId, searches, checked };
  return cloud.time.run(() => tick(deps, { queue, slotMs, layout: 1, range: 0 }));
}
