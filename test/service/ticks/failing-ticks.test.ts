import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { codeOf, useCode } from '../../../lib/rules/custom/code.ts';
import type { KeyRange } from '../../../lib/service/domain/buckets.ts';
import { Unreadable, UnreadableQueue } from '../../../lib/service/domain/unreadable.ts';
import type { RangeStore } from '../../../lib/service/ports/range-store.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { getStats } from '../../../lib/service/queues/stats.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { dispatch } from '../../../lib/service/ticks/dispatch.ts';
import { type TickDeps, tick } from '../../../lib/service/ticks/tick.ts';
import { WarmSearches } from '../../../lib/service/ticks/warm-searches.ts';
import { ticket } from '../../aws/samples.ts';
import { definition, putQueue } from '../definitions.ts';
import { Killed } from '../faults.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { Line, VirtualCloud } from '../virtual-cloud.ts';

type JournalPage = Parameters<RangeStore['journalUntilClosed']>;

/** The cells of a layout with two buckets. */
const CELLS = ['1.0', '1.1'];

/** Does something when a search begins. */
function searchesThat(begin: (range: KeyRange) => void): WarmSearches {
  const searches = new WarmSearches();
  const take = searches.take.bind(searches);
  searches.take = (definition, range) => {
    begin(range);
    return take(definition, range);
  };
  return searches;
}

describe('a queue whose search fails', () => {
  let cloud: VirtualCloud;
  let queue: string;
  /** What happens when a tick begins to search, after it has read its tickets. */
  let search: 'works' | 'throws' | 'is stopped' | 'is throttled';

  ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue } = own);
  });
  beforeEach(() => {
    search = 'works';
  });
  afterEach(() => useCode(undefined));

  const define = (changes: Partial<QueueDefinition> = {}) =>
    putQueue(
      cloud.deps.queues,
      definition({ name: queue, teamSize: 1, tickSeconds: 1, timeoutSeconds: 60, ...changes }),
      cloud.nowMs,
    );
  const join = async (name: string, ...skills: number[]) => {
    const { ticketId, players } = ticket(queue, `${queue}:${name}`, skills);
    await enqueue(cloud.deps, queue, { ticketId, players }, cloud.nowMs);
  };
  const statusOf = async (name: string) => (await cloud.deps.tickets.get(`${queue}:${name}`))?.status;

  /** The tick of a slot that begins now. */
  const tickNow = async (changes: Partial<TickDeps> = {}) => {
    let dead = false;
    const line: Line = async (what, effect) => {
      if (dead) throw new Killed(what);
      return effect();
    };
    const searches = searchesThat(() => {
      if (search === 'throws') throw new Error('this pool cannot be searched');
      if (search === 'is throttled') throw new StoreBusy('throttled');
      dead = search === 'is stopped';
      if (dead) throw new Killed('the search');
    });
    const slotMs = Math.floor(cloud.nowMs / 1_000) * 1_000;
    const deps = { ...cloud.deps, searches, ...changes };
    return cloud.on(line, () => tick(deps, { queue, slotMs })).catch((error: Error) => error);
  };
  /** What the ticks of so many seconds do, one letter each: S searched, F failed, - set aside, d dropped. */
  const ticksOf = async (seconds: number) => {
    let all = '';
    for (let i = 0; i < seconds; i++) {
      cloud.nowMs += 1_000;
      const result = await tickNow();
      all +=
        result instanceof Error ? 'F' : { searched: 'S', 'set-aside': '-', dropped: 'd' }[result.outcome];
    }
    return all;
  };

  it('ends overdue tickets before the search, so that a search in which it is stopped leaves none waiting', async () => {
    await define();
    await join('late', 1_000);
    cloud.nowMs += 61_000;
    await join('new', 2_000);
    search = 'is stopped';
    expect(await tickNow()).toBeInstanceOf(Killed);
    expect([await statusOf('late'), await statusOf('new')]).toEqual(['TIMED_OUT', 'QUEUED']);
  });

  it('is set aside after three failures in a row, with pauses that grow to a minute', async () => {
    await define({ timeoutSeconds: 3_000 });
    await join('a', 1_000);
    search = 'throws';
    const pause = (seconds: number) => `${'-'.repeat(seconds - 1)}F`;
    expect(await ticksOf(3)).toBe('FFF');
    expect(await ticksOf(255)).toBe([5, 10, 20, 40, 60, 60, 60].map(pause).join(''));
  });

  it('is set aside while the code does not have the function of its rule, and loses nothing', async () => {
    await define({ rules: [{ name: 'Votes', type: 'custom', function: 'judged' }] });
    await join('a', 1_000);
    await join('b', 1_000);
    useCode(codeOf({ other: () => true }));
    expect(await ticksOf(3)).toBe('---');
    const { setAside } = await getStats(cloud.deps, queue, cloud.nowMs);
    expect(setAside?.reason).toBe(
      'Expected a function of the deployed code, got judged for rule Votes: the code exports other',
    );
    expect([await statusOf('a'), await statusOf('b')]).toEqual(['QUEUED', 'QUEUED']);
    useCode(codeOf({ judged: () => true }));
    expect(await ticksOf(1)).toBe('S');
    expect([await statusOf('a'), await statusOf('b')]).toEqual(['MATCHED', 'MATCHED']);
    expect((await getStats(cloud.deps, queue, cloud.nowMs)).setAside).toBeUndefined();
  });

  it('searches again when a tick after a pause succeeds', async () => {
    await define();
    await join('a', 1_000);
    search = 'throws';
    expect(await ticksOf(4)).toBe('FFF-');
    search = 'works';
    expect(await ticksOf(8)).toBe('---SSSSS');
    expect((await getStats(cloud.deps, queue, cloud.nowMs)).setAside).toBeUndefined();
    // The count begins again.
    search = 'throws';
    expect(await ticksOf(4)).toBe('FFF-');
  });

  it('searches again at once when its definition is changed', async () => {
    await define();
    await join('a', 1_000);
    search = 'throws';
    expect(await ticksOf(4)).toBe('FFF-');
    search = 'works';
    await define({ beta: 3 });
    expect(await ticksOf(2)).toBe('SS');
  });

  it('lets tickets time out while it is set aside, including those whose games bots would fill', async () => {
    for (const fill of ['none', 'bots'] as const) {
      await define({ fill });
      search = 'throws';
      await join(`${fill}-old`, 1_000);
      cloud.nowMs += 40_000;
      await join(`${fill}-new`, 2_000);
      expect(await ticksOf(3)).toBe('FFF');
      cloud.nowMs += 16_000;
      // The pause of five seconds is over, so this one searches.
      expect(await ticksOf(1)).toBe('F');
      await join(`${fill}-later`, 3_000);
      expect(await ticksOf(1)).toBe('-');
      const status = await Promise.all(['old', 'new', 'later'].map((name) => statusOf(`${fill}-${name}`)));
      expect(status).toEqual(['TIMED_OUT', 'QUEUED', 'QUEUED']);
      await define({ fill, beta: 1 });
      search = 'works';
      await ticksOf(1);
    }
  });

  it('reports the pause in its statistics', async () => {
    await define();
    await join('a', 1_000);
    search = 'throws';
    await ticksOf(4);
    const lastMs = Math.floor(cloud.nowMs / 1_000) * 1_000 - 1_000;
    const { setAside, waiting } = await getStats(cloud.deps, queue, cloud.nowMs);
    expect(waiting).toBe(1);
    expect(setAside).toEqual({
      failedTicks: 3,
      lastFailureAt: new Date(lastMs).toISOString(),
      retryAt: new Date(lastMs + 5_000).toISOString(),
      reason:
        '3 ticks in a row have not succeeded; the last one failed; the log of the function tick has the error',
    });
  });

  it.each(['the next tick', 'dispatch'])('counts ticks that are stopped, found by %s', async (finder) => {
    await define({ tickSeconds: 20, timeoutSeconds: 3_000 });
    await join('a', 1_000);
    search = 'is stopped';
    let all = '';
    for (let i = 0; i < 4; i++) {
      cloud.nowMs += 20_000 - (cloud.nowMs % 20_000);
      const result = await tickNow();
      all +=
        result instanceof Killed ? 'K' : 'outcome' in result && result.outcome === 'set-aside' ? '-' : '?';
      cloud.nowMs += 11_000;
      if (finder === 'dispatch') await dispatch(cloud.deps, cloud.nowMs);
    }
    // The pause of five seconds is over before the fourth.
    expect(all).toBe('KKKK');
    search = 'works';
    // The next slot, ten seconds after the fourth began: its pause takes as long.
    cloud.nowMs -= 2_000;
    const { outcome } = (await tickNow()) as { outcome: string };
    expect(outcome).toBe(finder === 'dispatch' ? 'set-aside' : 'dropped');
  });

  it('does not count a store that is throttled', async () => {
    await define();
    await join('a', 1_000);
    search = 'is throttled';
    expect(await ticksOf(5)).toBe('FFFFF');
    search = 'throws';
    expect(await ticksOf(4)).toBe('FFF-');
  });

  it('gives its lease back before Lambda stops it, although the store is slow and the pool is large', async () => {
    await define({ timeoutSeconds: 3_000 });
    for (let i = 0; i < 200; i++) await join(`${i}`, 1_000 + i);
    // Every call takes this long, one after another.
    const slow: Line = async (_, effect) => {
      cloud.nowMs += 45;
      return effect();
    };
    cloud.nowMs += 1_000;
    const startMs = Math.floor(cloud.nowMs / 1_000) * 1_000;
    const slotMs = startMs;
    const first = await cloud.on(slow, () => tick(cloud.deps, { queue, slotMs }));
    if (first.outcome !== 'searched') throw new Error(first.why);
    expect(first.matches.length).toBeGreaterThan(10);
    expect(first.metrics.isCut).toBe(true);
    expect(cloud.nowMs - startMs).toBeLessThan(10_000);
    const crashed = await cloud.deps.ranges.crashed(queue, ['1.0'], cloud.nowMs + 60_000);
    expect(crashed).toEqual(new Map());
    // The next tick continues.
    const next = await tick(cloud.deps, { queue, slotMs: Math.floor(cloud.nowMs / 1_000) * 1_000 });
    if (next.outcome !== 'searched') throw new Error(next.why);
    expect(first.matches.length + next.matches.length).toBe(100);
  });

  it('reports the last chances that the time of the tick was too short for', async () => {
    await define({ release: { policy: 'option-value', waitCost: 1 } });
    await join('a', 1_000);
    await join('b', 1_000);
    cloud.nowMs += 58_500;
    const searches = searchesThat(() => (cloud.nowMs += 60_000));
    const ticked = await tickNow({ searches });
    if (ticked instanceof Error || ticked.outcome !== 'searched') throw ticked;
    expect(ticked.metrics).toMatchObject({ isCut: true, missedLastChances: 2 });
    const report = (await cloud.deps.ranges.reports(queue, ['1.0'])).get('1.0');
    const missed = report?.counted?.flatMap(({ counts }) => counts.missed ?? []);
    expect(missed).toEqual([2]);
  });

  it('is not searched, and has no failed ticks, while its definition is one of a later version', async () => {
    const get = async () => {
      throw new UnreadableQueue(queue, 'it is of a later version');
    };
    const result = await tickNow({ queues: { ...cloud.deps.queues, get } });
    expect(result).toEqual({ outcome: 'dropped', why: 'this version cannot read its queue' });
  });

  it('lets tickets time out while the journal of a tick that was stopped is one of a later version', async () => {
    await define();
    await join('old', 1_000);
    search = 'is stopped';
    expect(await tickNow()).toBeInstanceOf(Killed);
    search = 'works';
    const later = {
      ranges: {
        ...cloud.deps.ranges,
        journalUntilClosed: async (...[queue, owner, page, nowMs]: JournalPage) => {
          if (page === 0) throw new Unreadable('page 0 of the journal cannot be read');
          return cloud.deps.ranges.journalUntilClosed(queue, owner, page, nowMs);
        },
      },
    };
    cloud.nowMs += 40_000;
    await join('new', 2_000);
    cloud.nowMs += 21_000;
    const result = await tickNow(later);
    expect(result).toMatchObject({ outcome: 'set-aside', metrics: { timedOut: 1, waiting: 1 } });
    expect([await statusOf('old'), await statusOf('new')]).toEqual(['TIMED_OUT', 'QUEUED']);
    const { setAside } = await getStats(cloud.deps, queue, cloud.nowMs);
    expect(setAside?.reason).toMatch(/cannot read its journal: page 0 of the journal/);
    // The lease has stayed, so a version that can read the journal settles it.
    expect(await cloud.deps.ranges.crashed(queue, ['1.0'], cloud.nowMs)).toHaveProperty('size', 1);
    cloud.nowMs += 1_000;
    expect(await tickNow()).toMatchObject({ outcome: 'searched' });
  });

  it('has its other crashed ticks settled by dispatch, which reports the one that it cannot read', async () => {
    await define({ buckets: [1_500], timeoutSeconds: 3_000 });
    await join('low', 1_000);
    await join('high', 2_000);
    const slotMs = Math.floor(cloud.nowMs / 2_000) * 2_000;
    for (const range of [0, 1]) {
      let isDead = false;
      const line: Line = async (what, effect) => {
        if (isDead) throw new Killed(what);
        return effect();
      };
      const searches = searchesThat(() => {
        isDead = true;
        throw new Killed('the search');
      });
      const message = { queue, slotMs, layout: 1, range };
      await cloud.on(line, () => tick({ ...cloud.deps, searches }, message)).catch(() => {});
    }
    cloud.nowMs += 20_000;
    const left = await cloud.deps.ranges.crashed(queue, CELLS, cloud.nowMs);
    expect(left.size).toBe(2);
    const [bad] = left.keys();
    const ranges = {
      ...cloud.deps.ranges,
      journalUntilClosed: async (...[name, owner, page, nowMs]: JournalPage) => {
        if (owner === bad && page === 0) throw new Unreadable('page 0 of the journal cannot be read');
        return cloud.deps.ranges.journalUntilClosed(name, owner, page, nowMs);
      },
    };
    const { failed } = await dispatch({ ...cloud.deps, ranges }, cloud.nowMs);
    expect(failed).toMatchObject([{ error: { message: 'page 0 of the journal cannot be read' } }]);
    expect([...(await cloud.deps.ranges.crashed(queue, CELLS, cloud.nowMs)).keys()]).toEqual([bad]);
  });

  it.each(['throws', 'is stopped'] as const)(
    'is set aside in the ranges of even slots whose search %s, and searched in those of odd slots',
    async (how) => {
      await define({ buckets: [1_500], timeoutSeconds: 3_000 });
      await join('low', 1_000);
      let outcomes = '';
      for (let i = 0; i < 16; i++) {
        cloud.nowMs = Math.floor(cloud.nowMs / 1_000 + 1) * 1_000;
        // A tick that was stopped ends with its lease.
        if (how === 'is stopped') cloud.nowMs += 10_000;
        let isDead = false;
        const line: Line = async (what, effect) => {
          if (isDead) throw new Killed(what);
          return effect();
        };
        const searches = searchesThat(({ to }) => {
          if (to === undefined) return;
          isDead = how === 'is stopped';
          throw new Killed('the search of the low range');
        });
        const message = { queue, slotMs: cloud.nowMs, layout: 1, range: 0 };
        const result = await cloud
          .on(line, () => tick({ ...cloud.deps, searches }, message))
          .catch(() => ({ outcome: 'failed' as const }));
        const kind = (cloud.nowMs / 1_000) % 2 === 0 ? 'E' : 'o';
        outcomes += `${kind}${{ failed: 'F', searched: 'S', 'set-aside': '-', dropped: 'd' }[result.outcome]}`;
      }
      expect(outcomes).toMatch(
        how === 'throws' ? /^(oS)?EFoSEFoSEFoSE-oSE-oSEFoSE-oSE-/ : /^(oS)?(EFoS){6}E-oS/,
      );
    },
  );

  it('leaves the other ranges of its queue alone', async () => {
    await define({ buckets: [1_500], timeoutSeconds: 3_000 });
    await join('low', 1_000);
    await join('high', 2_000);
    const searches = searchesThat(({ from, to }) => {
      if (from === undefined && to !== undefined) throw new Error('the low range cannot be searched');
    });
    const outcomes: string[] = [];
    for (let i = 0; i < 6; i++) {
      cloud.nowMs += 2_000;
      const slotMs = Math.floor(cloud.nowMs / 2_000) * 2_000;
      for (const range of [0, 1]) {
        const result = await tick({ ...cloud.deps, searches }, { queue, slotMs, layout: 1, range }).catch(
          (error: Error) => ({ outcome: error.message }),
        );
        outcomes.push(`${range} ${result.outcome}`);
      }
    }
    expect(outcomes.filter((one) => one.startsWith('1'))).toEqual(Array(6).fill('1 searched'));
    expect(outcomes.filter((one) => one === '0 the low range cannot be searched')).toHaveLength(4);
    expect(outcomes.filter((one) => one === '0 set-aside')).toHaveLength(2);
  });
});
