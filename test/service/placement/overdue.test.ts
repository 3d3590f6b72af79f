import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { assignMatch } from '../../../lib/service/placement/assign-match.ts';
import { answerMatch } from '../../../lib/service/tickets/acceptance.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { dispatch } from '../../../lib/service/ticks/dispatch.ts';
import { suiteName, USE_CASE_STORE } from '../../aws/emulated-tables.ts';
import { ticket } from '../../aws/samples.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';

const { emulator, skipped } = USE_CASE_STORE;
describe.skipIf(skipped !== undefined)(
  suiteName('a match whose messages are lost', emulator, skipped),
  () => {
    let cloud: VirtualCloud;
    let queue: string;
    ownCloudForEachTest(emulator, (own) => {
      ({ cloud, queue } = own);
    });

    const id = (name: string) => `${queue}:${name}`;
    const matchOf = async (name: string) =>
      (await cloud.deps.matches.get((await cloud.deps.tickets.get(id(name)))!.matchId!))!;
    /** The matches of this queue that were sent to `deadline`. */
    const sent = () =>
      cloud.deadlineMessages.map(({ what }) => what).filter((matchId) => matchId.startsWith(`${queue}:`));
    const answer = (name: string, matchId: string) =>
      answerMatch(cloud.deps, id(name), { accepted: true, matchId }, cloud.nowMs);

    /** A match of `a` and `b` whose events were lost. */
    const found = async (changes: Partial<QueueDefinition>) => {
      await putQueue(cloud.deps.queues, definition({ name: queue, ...changes }), cloud.nowMs);
      for (const name of ['a', 'b']) {
        const { ticketId, players } = ticket(queue, id(name), 1);
        await enqueue(cloud.deps, queue, { ticketId, players }, cloud.nowMs);
      }
      await cloud.run(2_000);
      cloud.deadlineMessages.length = 0;
      return matchOf('a');
    };

    it('still ends when not every ticket accepts in time', async () => {
      const { matchId } = await found({ acceptance: { timeoutSeconds: 30 }, timeoutSeconds: 3_600 });
      await answer('a', matchId);
      await cloud.run(180_000);
      expect((await cloud.deps.matches.get(matchId))!.status).toBe('FAILED');
      expect((await cloud.deps.tickets.get(id('a')))!.status).toBe('QUEUED');
      expect((await cloud.deps.tickets.get(id('b')))!.status).toBe('CANCELLED');
    });

    it('still fails when no assignment comes in time', async () => {
      const { matchId } = await found({ provisioner: { type: 'external', timeoutSeconds: 30 } });
      await cloud.run(180_000);
      expect((await cloud.deps.matches.get(matchId))!.status).toBe('FAILED');
    });

    it('still fails when it was accepted and then no assignment comes in time', async () => {
      const { matchId } = await found({
        acceptance: { timeoutSeconds: 30 },
        provisioner: { type: 'external', timeoutSeconds: 600 },
      });
      await answer('a', matchId);
      await answer('b', matchId);
      await cloud.run(1_000);
      cloud.deadlineMessages.length = 0;
      await cloud.run(300_000);
      expect((await cloud.deps.matches.get(matchId))!.status).toBe('PLACING');
      await cloud.run(480_000);
      expect((await cloud.deps.matches.get(matchId))!.status).toBe('FAILED');
    });

    it('is skipped until its deadline has passed by more than its own message needs', async () => {
      const { matchId, deadline } = await found({ acceptance: { timeoutSeconds: 30 } });
      for (const overdueMs of [-1, 0, 29_999]) {
        cloud.nowMs = Date.parse(deadline!) + overdueMs;
        await dispatch(cloud.deps, cloud.nowMs);
      }
      expect(sent()).toEqual([]);
      cloud.nowMs = Date.parse(deadline!) + 30_000;
      const { overdue, failed } = await dispatch(cloud.deps, cloud.nowMs);
      expect(overdue).toBeGreaterThan(0);
      expect(failed).toEqual([]);
      expect(sent()).toEqual([matchId]);
    });

    it('is no longer found by the schedule after it has ended', async () => {
      const { matchId } = await found({ provisioner: { type: 'external', timeoutSeconds: 30 } });
      await assignMatch(cloud.deps, matchId, { address: 'game.example' });
      cloud.nowMs += 600_000;
      await dispatch(cloud.deps, cloud.nowMs);
      expect(sent()).toEqual([]);
    });

    it('ends although no queue can be listed, and the failure is reported', async () => {
      const { matchId } = await found({ provisioner: { type: 'external', timeoutSeconds: 30 } });
      cloud.nowMs += 600_000;
      const outage = new Error('the queues cannot be read');
      const queues = { ...cloud.deps.queues, list: () => Promise.reject(outage) };
      const { failed } = await dispatch({ ...cloud.deps, queues }, cloud.nowMs);
      expect(failed).toEqual([{ what: 'the list of queues', error: outage }]);
      expect(sent()).toEqual([matchId]);
    });
  },
);
