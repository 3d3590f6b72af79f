import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { assignMatch } from '../../../lib/service/placement/assign-match.ts';
import { deleteQueue } from '../../../lib/service/queues/queue-definitions.ts';
import { answerMatch } from '../../../lib/service/tickets/acceptance.ts';
import { cancelTicket } from '../../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { getTicket } from '../../../lib/service/tickets/read-tickets.ts';
import { suiteName, USE_CASE_STORE } from '../../aws/emulated-tables.ts';
import { ticket } from '../../aws/samples.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';

const { emulator, skipped } = USE_CASE_STORE;
describe.skipIf(skipped !== undefined)(suiteName('reading a ticket', emulator, skipped), () => {
  let cloud: VirtualCloud;
  let queue: string;
  ownCloudForEachTest(emulator, (own) => {
    ({ cloud, queue } = own);
  });

  const id = (name: string) => `${queue}:${name}`;
  const define = (changes: Partial<QueueDefinition> = {}) =>
    putQueue(cloud.deps.queues, definition({ name: queue, timeoutSeconds: 300, ...changes }), cloud.nowMs);
  const join = (name: string) => {
    const { ticketId, players } = ticket(queue, id(name), 1);
    return enqueue(cloud.deps, queue, { ticketId, players }, cloud.nowMs);
  };
  const answer = (name: string, matchId: string, accepted = true) =>
    answerMatch(cloud.deps, id(name), { accepted, matchId }, cloud.nowMs);
  const matchOf = async (name: string) => (await cloud.deps.tickets.get(id(name)))!.matchId!;
  /** A match of `a` and `b`. */
  const found = async (changes: Partial<QueueDefinition>) => {
    await define(changes);
    await join('a');
    await join('b');
    await cloud.run(2_000);
    return matchOf('a');
  };

  /** Polls for 20 s; after the third wait something happens. */
  const poll = async (
    name: string,
    options: { seen?: 'QUEUED' | 'REQUIRES_ACCEPTANCE' | 'PLACING' } = {},
    event: () => Promise<unknown> = async () => {},
  ) => {
    const calls: string[] = [];
    const startMs = cloud.nowMs;
    const found = await cloud.on(
      async (what, effect) => {
        calls.push(what);
        const result = await effect();
        if (what === 'sleep' && calls.filter((call) => call === 'sleep').length === 3)
          await cloud.on((_, go) => go(), event);
        return result;
      },
      () => getTicket(cloud.deps, id(name), { waitMs: 20_000, ...options }),
    );
    return { status: found.status, matchId: found.matchId, waitedMs: cloud.nowMs - startMs, calls };
  };

  describe('with waitSeconds', () => {
    it('returns when the status changes or the time is up', async () => {
      await define();
      await join('a');
      expect(await poll('a')).toMatchObject({ status: 'QUEUED', waitedMs: 20_000 });
      const cancelled = await poll('a', {}, () => cancelTicket(cloud.deps, id('a'), cloud.nowMs));
      expect(cancelled).toMatchObject({ status: 'CANCELLED', waitedMs: 500 });
      expect(await poll('a')).toMatchObject({ status: 'CANCELLED', waitedMs: 0 });
    });

    it('returns immediately while the party has to accept its match', async () => {
      await found({ acceptance: { timeoutSeconds: 60 } });
      expect(await poll('a')).toMatchObject({ status: 'REQUIRES_ACCEPTANCE', waitedMs: 0 });
      const seen = await poll('a', { seen: 'REQUIRES_ACCEPTANCE' });
      expect(seen).toMatchObject({ status: 'REQUIRES_ACCEPTANCE', waitedMs: 0 });
    });

    it('waits for the next status once the party has accepted', async () => {
      const matchId = await found({ acceptance: { timeoutSeconds: 60 } });
      await answer('a', matchId);
      const waiting = await poll('a');
      expect(waiting).toMatchObject({ status: 'REQUIRES_ACCEPTANCE', waitedMs: 20_000 });
      expect(waiting.calls.filter((call) => call === 'sleep').length).toBeLessThan(30);
      const accepted = await poll('a', {}, () => answer('b', matchId));
      expect(accepted).toMatchObject({ status: 'COMPLETED', waitedMs: 500 });
    });

    it('returns when the match of a party that has accepted is dissolved', async () => {
      const matchId = await found({ acceptance: { timeoutSeconds: 60 } });
      await answer('a', matchId);
      const dissolved = await poll('a', {}, () => answer('b', matchId, false));
      expect(dissolved).toMatchObject({ status: 'QUEUED', waitedMs: 500 });
    });

    it('returns when the next match has to be accepted, although the status is the same', async () => {
      const matchId = await found({ acceptance: { timeoutSeconds: 60 } });
      await answer('a', matchId);
      const rematched = await poll('a', { seen: 'REQUIRES_ACCEPTANCE' }, async () => {
        await answer('b', matchId, false);
        await join('c');
        await cloud.run(2_000);
      });
      expect(rematched.status).toBe('REQUIRES_ACCEPTANCE');
      expect(rematched.matchId).not.toBe(matchId);
      expect(rematched.waitedMs).toBeLessThan(20_000);
    });

    it('returns immediately when the status differs from the one that the client has seen', async () => {
      const matchId = await found({ provisioner: { type: 'external' } });
      expect(await poll('a', { seen: 'QUEUED' })).toMatchObject({ status: 'PLACING', waitedMs: 0 });
      const placed = await poll('a', { seen: 'PLACING' }, () =>
        assignMatch(cloud.deps, matchId, { address: 'game.example' }),
      );
      expect(placed).toMatchObject({ status: 'COMPLETED', waitedMs: 500 });
    });
  });

  it('costs one read of the table and gives no reason for a waiting ticket', async () => {
    await define();
    await join('a');
    const calls: string[] = [];
    const read = await cloud.on(
      (what, effect) => {
        calls.push(what);
        return effect();
      },
      () => getTicket(cloud.deps, id('a')),
    );
    expect(calls).toEqual(['GetItem']);
    expect(read).not.toHaveProperty('reason');
  });

  it('explains on request why a ticket is waiting', async () => {
    await define();
    await join('a');
    const { reason } = await getTicket(cloud.deps, id('a'), { explain: true });
    expect(reason).toMatch(/needs 2 players/);
    await deleteQueue(cloud.deps.queues, queue, cloud.nowMs);
    const closed = await getTicket(cloud.deps, id('a'), { explain: true });
    expect(closed.reason).toMatch(/needs 2 players.* takes no more tickets\.$/);
    await cancelTicket(cloud.deps, id('a'), cloud.nowMs);
    expect((await getTicket(cloud.deps, id('a'), { explain: true })).reason).toBe('cancelled by the client');
  });
});
