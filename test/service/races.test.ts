import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { layoutAt, tickRanges } from '../../lib/service/domain/buckets.ts';
import type { Delivery } from '../../lib/service/domain/delivery.ts';
import type { QueueRecord } from '../../lib/service/domain/queue-record.ts';
import type { TickMessage } from '../../lib/service/domain/tick-message.ts';
import { deliver } from '../../lib/service/events/notify.ts';
import { checkDeadline } from '../../lib/service/placement/deadline.ts';
import { answerMatch } from '../../lib/service/tickets/acceptance.ts';
import { enqueue } from '../../lib/service/tickets/enqueue.ts';
import { tick } from '../../lib/service/ticks/tick.ts';
import { isOdd } from '../../lib/service/waking/schedule.ts';
import { suiteName, USE_CASE_STORE } from '../aws/emulated-tables.ts';
import { NOW_MS, ticket } from '../aws/samples.ts';
import { definition, putQueue } from './definitions.ts';
import { ownCloudForEachTest } from './own-cloud.ts';
import type { Line, VirtualCloud } from './virtual-cloud.ts';

const { emulator, skipped } = USE_CASE_STORE;
describe.skipIf(skipped !== undefined)(suiteName('what happens at once', emulator, skipped), () => {
  let cloud: VirtualCloud;
  let queue: string;
  ownCloudForEachTest(emulator, (own) => {
    ({ cloud, queue } = own);
  });

  const id = (name: string) => `${queue}:${name}`;
  const define = (changes: Partial<QueueDefinition>) =>
    putQueue(cloud.deps.queues, definition({ name: queue, timeoutSeconds: 300, ...changes }), cloud.nowMs);
  const join = (name: string, skill: number) => {
    const { ticketId, players } = ticket(queue, id(name), skill);
    return enqueue(cloud.deps, queue, { ticketId, players }, cloud.nowMs);
  };
  const record = async () => (await cloud.deps.queues.get(queue))!;
  /** The ticks of a slot, one for each range of the layout in force. */
  const ticksOf = (read: QueueRecord, slotMs: number): TickMessage[] => {
    const layout = layoutAt(read.layouts, slotMs);
    return tickRanges(layout, isOdd(read, slotMs)).map(({ index }) => ({
      queue,
      slotMs,
      layout: layout.version,
      range: index,
    }));
  };
  /** Runs all ticks of the next even or odd slot. */
  const searchSlot = async (odd: boolean) => {
    const { definition: rules, ...rest } = await record();
    const step = rules.tickSeconds * 1_000;
    let slotMs = Math.ceil(cloud.nowMs / step) * step;
    if ((slotMs / step) % 2 !== Number(odd)) slotMs += step;
    cloud.nowMs = slotMs;
    return searchAll(ticksOf({ definition: rules, ...rest }, slotMs));
  };
  const searchAll = async (messages: readonly TickMessage[]) => {
    const found: string[][] = [];
    for (const message of messages) {
      const result = await tick(cloud.deps, message);
      if (result.outcome === 'searched') found.push(...result.matches.map(({ ticketIds }) => [...ticketIds]));
    }
    return found;
  };

  describe('with two buckets', () => {
    it('matches neighbours across the edge on the next tick, and those of one bucket at once', async () => {
      await define({ buckets: [1000] });
      await join('low', 100);
      await join('below', 999.5);
      await join('above', 1000.5);
      await join('low2', 101);
      cloud.nowMs += 1_000;
      expect(await searchSlot(false)).toEqual([[id('low'), id('low2')]]);
      expect(await searchSlot(true)).toEqual([[id('above'), id('below')]]);
    });

    it('puts a ticket on the edge into the upper bucket', async () => {
      await define({ buckets: [1000] });
      await join('edge', 1000);
      await join('above', 1000.5);
      await join('below', 999.999);
      cloud.nowMs += 1_000;
      expect(await searchSlot(false)).toEqual([[id('above'), id('edge')]]);
    });

    it('does not search an odd slot while a tick of the previous even slot is running', async () => {
      await define({ buckets: [1000] });
      await join('a', 1);
      cloud.nowMs += 2_000;
      const read = await record();
      const even = ticksOf(read, cloud.nowMs);
      const odd = ticksOf(read, cloud.nowMs + 1_000);
      expect([even.length, odd.length]).toEqual([2, 1]);
      const during = cloud.on(
        justBefore('Query', () => tick(cloud.deps, odd[0]!)),
        () => tick(cloud.deps, even[1]!),
      );
      expect(await during).toMatchObject({ outcome: 'searched' });
      expect(itsResult).toMatchObject({ outcome: 'dropped', why: 'the previous tick is still running' });
    });
  });

  describe('when the buckets change', () => {
    it('still finds tickets that were written under an older layout', async () => {
      await define({ buckets: [1000] });
      await join('old', 900);
      await define({ buckets: [500] });
      await define({ buckets: [400, 800] });
      const { layouts } = await record();
      expect(layouts.map(({ version }) => version)).toEqual([1, 2, 3]);
      cloud.nowMs = layouts.at(-1)!.fromMs + 1_000;
      await join('new', 901);
      expect(await searchSlot(false)).toEqual([[id('new'), id('old')]]);
    });

    /** Two tickets, and ticks of the last slot of the old layout and of the first of the new one. */
    const changed = async () => {
      await define({ buckets: [1000] });
      await join('a', 1);
      await join('b', 2);
      const before = await record();
      await define({ buckets: [500, 600] });
      const { layouts, ...rest } = await record();
      const beginMs = Math.ceil(layouts[1]!.fromMs / 2_000) * 2_000;
      cloud.nowMs = beginMs;
      return {
        before,
        old: ticksOf(before, beginMs - 2_000)[0]!,
        next: ticksOf({ layouts, ...rest }, beginMs)[0]!,
      };
    };

    it('searches under the new layout seconds later, without a pause', async () => {
      const { old, next } = await changed();
      expect(cloud.nowMs).toBeLessThan(NOW_MS + 10_000);
      cloud.nowMs -= 1_000;
      expect(await tick(cloud.deps, old)).toMatchObject({ outcome: 'searched' });
      await join('c', 3);
      await join('d', 4);
      cloud.nowMs += 1_000;
      expect(await searchAll([next])).toEqual([[id('c'), id('d')]]);
    });

    it('lets no tick of the old layout search once one of the new has', async () => {
      const { before, old, next } = await changed();
      expect(await tick(cloud.deps, next)).toMatchObject({ outcome: 'searched' });
      expect(await tick(cloud.deps, old)).toEqual({
        outcome: 'dropped',
        why: 'its slot is already searched',
      });
      // Nor does a tick whose function has not read the new layout.
      const queues = { ...cloud.deps.queues, get: async () => before };
      const unaware = ticksOf(before, next.slotMs)[0]!;
      expect(await tick({ ...cloud.deps, queues }, unaware)).toEqual({
        outcome: 'dropped',
        why: 'its slot is already searched',
      });
    });

    it('waits for a running tick of the old layout', async () => {
      const { old, next } = await changed();
      const during = cloud.on(
        justBefore('Query', () => tick(cloud.deps, next)),
        () => tick(cloud.deps, old),
      );
      expect(await during).toMatchObject({ outcome: 'searched' });
      expect(itsResult).toMatchObject({
        outcome: 'dropped',
        why: 'a tick of an older bucket layout is still running',
      });
    });
  });

  describe('the message of a slot', () => {
    it('becomes one for each range of the layout in force, and searches the first', async () => {
      await define({ buckets: [500, 600] });
      await join('a', 1);
      await join('b', 2);
      cloud.tickMessages.length = 0;
      cloud.nowMs += 2_000;
      const message = { queue, slotMs: cloud.nowMs };
      expect(await searchAll([message])).toEqual([[id('a'), id('b')]]);
      const sent = cloud.tickMessages.map(({ what }) => what);
      expect(sent).toEqual([1, 2].map((range) => ({ ...message, layout: 1, range })));
      cloud.tickMessages.length = 0;
      expect(await tick(cloud.deps, message)).toMatchObject({
        outcome: 'dropped',
        why: 'its slot is already searched',
      });
      cloud.tickMessages.length = 0;
      for (const one of sent) expect(await tick(cloud.deps, one)).toMatchObject({ outcome: 'searched' });
      expect(cloud.tickMessages).toEqual([]);
    });

    it('is dropped for a range that the slot has no more since the interval between ticks changed', async () => {
      await define({ buckets: [500, 600], tickSeconds: 1 });
      cloud.nowMs = Math.ceil(cloud.nowMs / 4_000) * 4_000 + 2_000;
      const messages = ticksOf(await record(), cloud.nowMs);
      await define({ buckets: [500, 600], tickSeconds: 2 });
      const ranges = ticksOf(await record(), cloud.nowMs);
      expect([messages.length, ranges.length]).toEqual([3, 2]);
      expect(await tick(cloud.deps, messages[2]!)).toEqual({
        outcome: 'dropped',
        why: 'its slot no longer has this range',
      });
    });
  });

  describe('when two tickets of a match answer at the same time', () => {
    const found = async () => {
      await define({ acceptance: { timeoutSeconds: 20 }, teamSize: 2 });
      for (const name of ['a', 'b', 'c', 'd']) await join(name, 1);
      cloud.nowMs += 1_000;
      expect(await searchSlot(false)).toHaveLength(1);
      return (await cloud.deps.tickets.get(id('a')))!.matchId!;
    };
    const answer = (name: string, matchId: string, accepted: boolean) =>
      answerMatch(cloud.deps, id(name), { accepted, matchId }, cloud.nowMs);
    const statusOf = async (name: string) => (await cloud.deps.tickets.get(id(name)))!.status;

    it('accepts a decline although another ticket accepts just before it is written', async () => {
      const matchId = await found();
      const refused = await cloud.on(
        justBefore('UpdateItem', () => answer('a', matchId, true)),
        () => answer('b', matchId, false),
      );
      expect(refused.status).toBe('CANCELLED');
      expect(await statusOf('a')).toBe('QUEUED');
      expect((await cloud.deps.matches.get(matchId))!.status).toBe('FAILED');
    });

    it('ends the match at its deadline although another ticket accepts at that moment', async () => {
      const matchId = await found();
      cloud.nowMs += 20_000;
      const ended = await cloud.on(
        justBefore('UpdateItem', () => answer('a', matchId, true)),
        () => checkDeadline(cloud.deps, matchId, cloud.nowMs),
      );
      expect(ended).toBe('ended');
      expect(await Promise.all(['a', 'b'].map(statusOf))).toEqual(['QUEUED', 'CANCELLED']);
    });
  });

  describe('when deliveries to a receiver that is down arrive at the same time', () => {
    const url = () => `https://${queue}.example/`;
    const delivery = (eventId: string): Delivery => ({
      event: {
        eventId,
        type: 'TicketQueued',
        queue,
        time: new Date(0).toISOString(),
        ticket: { players: [] },
      } as never,
      url: url(),
      slowSinceMs: cloud.nowMs,
    });
    const wasDown = async () => {
      await define({ webhooks: [{ url: url(), secret: 'shared/s' }] });
      for (let i = 0; i < 5; i++) await cloud.deps.receivers.addFailure(url(), cloud.nowMs - 60_000);
      await cloud.deps.receivers.markDown(url(), cloud.nowMs - 1, cloud.nowMs);
      cloud.answer = () => ({ outcome: 'unreachable', error: 'no response' });
    };
    const outcomes = (results: readonly { outcome: string }[]) =>
      results.map(({ outcome }) => outcome).sort();

    it('posts one of them and postpones the others', async () => {
      await wasDown();
      let posts = 0;
      cloud.answer = () => {
        posts += 1;
        return { outcome: 'unreachable', error: 'no response' };
      };
      const all = await Promise.all(['a', 'b', 'c', 'd'].map((id) => deliver(cloud.deps, delivery(id))));
      expect(outcomes(all)).toEqual(['postponed', 'postponed', 'postponed', 'tried']);
      expect(posts).toBe(1);
      expect(cloud.deliveries).toHaveLength(4);
      expect(cloud.deliveries.map(({ what }) => what.failed)).toEqual([0, 0, 0, 0]);
    });

    it('postpones a delivery when another one has been chosen just before', async () => {
      await wasDown();
      const late = await cloud.on(
        justBefore('UpdateItem', () => deliver(cloud.deps, delivery('a'))),
        () => deliver(cloud.deps, delivery('b')),
      );
      expect(itsResult).toMatchObject({ outcome: 'tried', down: { failures: 6 } });
      expect(late).toMatchObject({ outcome: 'postponed' });
    });

    it('does not mark a receiver as down that has responded while another post to it failed', async () => {
      await define({ webhooks: [{ url: url(), secret: 'shared/s' }] });
      for (let i = 0; i < 4; i++) await cloud.deps.receivers.addFailure(url(), cloud.nowMs);
      cloud.answer = () => ({ outcome: 'responded', status: 503, body: '' });
      await cloud.on(
        justBefore('UpdateItem', async () => {
          cloud.answer = () => ({ outcome: 'responded', status: 204, body: '' });
          return deliver(cloud.deps, delivery('a'));
        }),
        () => deliver(cloud.deps, delivery('b')),
      );
      expect(itsResult).toEqual({ outcome: 'done' });
      expect(await cloud.deps.receivers.get(url())).toEqual({ failures: 1 });
    });
  });

  let itsResult: unknown;
  /** A line that runs a task just before the first call of this name. */
  const justBefore = (call: string, task: () => Promise<unknown>): Line => {
    let happened = false;
    return async (what, effect) => {
      if (what === call && !happened) {
        happened = true;
        itsResult = await cloud.on((_, go) => go(), task);
      }
      return effect();
    };
  };
});
