import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { queueStats } from '../../../lib/contract/queue-stats.ts';
import { countOutcomes } from '../../../lib/service/events/count-outcomes.ts';
import { assignMatch } from '../../../lib/service/placement/assign-match.ts';
import { endMatch } from '../../../lib/service/placement/end-match.ts';
import { getStats } from '../../../lib/service/queues/stats.ts';
import { answerMatch } from '../../../lib/service/tickets/acceptance.ts';
import { cancelTicket } from '../../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { seededRandom } from '../../../lib/simulation/random.ts';
import { suiteName, USE_CASE_STORE } from '../../aws/emulated-tables.ts';
import { ticket } from '../../aws/samples.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';

const { emulator, skipped } = USE_CASE_STORE;
describe.skipIf(skipped !== undefined)(suiteName('what becomes of matches', emulator, skipped), () => {
  let cloud: VirtualCloud;
  let queue: string;
  ownCloudForEachTest(emulator, (own) => {
    ({ cloud, queue } = own);
  });

  const define = (changes: Partial<QueueDefinition>) =>
    putQueue(cloud.deps.queues, definition({ name: queue, timeoutSeconds: 300, ...changes }), cloud.nowMs);
  /** Makes duels of new players. Returns their ids and the tickets of each. */
  let joined = 0;
  const duels = async (count: number) => {
    const ids = Array.from({ length: 2 * count }, () => `${queue}:${++joined}`);
    for (const [i, ticketId] of ids.entries())
      await enqueue(
        cloud.deps,
        queue,
        { ticketId, players: ticket(queue, ticketId, 1 + Math.floor(i / 2)).players },
        cloud.nowMs,
      );
    await cloud.run(3_000);
    const stored = await cloud.deps.tickets.getMany(ids);
    const matchIds = new Set([...stored.values()].flatMap(({ matchId }) => matchId ?? []));
    return [...(await cloud.deps.matches.getMany([...matchIds])).values()];
  };
  /** A tick, a player or a deadline was faster. */
  const unlessTooLate = (error: unknown) => {
    if (!(error instanceof Problem)) throw error;
    return false;
  };
  const stats = async () =>
    queueStats.parse(JSON.parse(JSON.stringify(await getStats(cloud.deps, queue, cloud.nowMs)))).outcomes;

  it('is counted from the acceptance to the end', async () => {
    await define({ acceptance: { timeoutSeconds: 20 }, provisioner: { type: 'external' } });
    const [all, some, none, no] = await duels(4);
    const answer = (match: typeof all, at: number, accepted = true) =>
      answerMatch(cloud.deps, match!.ticketIds[at]!, { accepted, matchId: match!.matchId }, cloud.nowMs);
    await answer(all, 0);
    await answer(all, 1);
    await answer(some, 0);
    await answer(no, 0, false);
    await assignMatch(cloud.deps, all!.matchId, { address: 'game.example' });
    await endMatch(cloud.deps, all!.matchId, {}, cloud.nowMs);
    expect(none!.ticketIds).toHaveLength(2);
    await cloud.run(30_000);
    expect(await stats()).toMatchObject({
      tickets: { timedOut: 0, cancelled: 0 },
      matches: { requeued: 0, ended: 1 },
      acceptance: { accepted: 1, declined: 1, notAccepted: 2, failedShare: 0.75 },
      placement: { placed: 1, refused: 0, timedOut: 0, failedShare: 0 },
      failing: { step: 'acceptance', failed: 3, decided: 4 },
    });
  });

  it('is counted by why a match was not placed, and how its tickets went on', async () => {
    cloud.host = () => ({ outcome: 'responded', status: 400, body: '' });
    await define({
      provisioner: { type: 'http', url: 'https://games.example', onFailure: 'requeue' } as never,
    });
    await duels(1);
    await cloud.run(20_000);
    const { matches, placement } = await stats();
    expect(placement).toEqual({ placed: 0, refused: 3, timedOut: 0, failedShare: 1 });
    expect(matches).toMatchObject({ found: 3, requeued: 3 });
  });

  it('adds up to the tickets that were posted', async () => {
    const random = seededRandom(1);
    const chance = (share: number) => random.uniform() < share;
    cloud.host = (matchId) =>
      chance(0.5)
        ? { outcome: 'responded', status: 400, body: '' }
        : { outcome: 'responded', status: 200, body: JSON.stringify({ address: `${matchId}.example` }) };
    await define({
      timeoutSeconds: 60,
      acceptance: { timeoutSeconds: 5 },
      provisioner: { type: 'http', url: 'https://games.example', onFailure: 'requeue' } as never,
    });
    /** Every seventh player never answers. */
    const isAbsent = (ticketId: string) => Number(ticketId.split(':').at(-1)) % 7 === 0;
    const ids: string[] = [];
    let replaced = 0;
    const post = async (more: object = {}) => {
      const ticketId = `${queue}:${ids.length}`;
      const { players } = ticket(queue, ticketId, 1);
      await enqueue(cloud.deps, queue, { ticketId, players, ...more }, cloud.nowMs);
      ids.push(ticketId);
    };
    for (let second = 0; second < 15; second++) {
      for (let i = 0; i < 2; i++) await post();
      if (chance(0.2)) await cancelTicket(cloud.deps, ids.at(-1)!, cloud.nowMs).catch(unlessTooLate);
      const at = ids.at(-2)!;
      const { players } = (await cloud.deps.tickets.get(at))!;
      const isReplaced =
        chance(0.3) && (await post({ replaces: at, players }).then(() => true, unlessTooLate));
      if (isReplaced) replaced++;
      await cloud.run(1_000);
      const stored = await cloud.deps.tickets.getMany(ids);
      for (const [ticketId, { matchId }] of stored)
        if (matchId !== undefined && !isAbsent(ticketId))
          await answerMatch(cloud.deps, ticketId, { accepted: chance(0.9), matchId }, cloud.nowMs).catch(
            unlessTooLate,
          );
    }
    await cloud.run(100_000);
    const { tickets, acceptance, placement, matches } = await stats();
    const { matched, timedOut, cancelled, returned } = tickets;
    expect(matched + timedOut + cancelled - returned).toBe(ids.length - replaced);
    const { accepted, declined, notAccepted } = acceptance!;
    expect(accepted + declined + notAccepted).toBe(matches.found);
    expect(placement!.placed + placement!.refused + placement!.timedOut).toBe(accepted);
    for (const [what, count] of Object.entries({ returned, cancelled, replaced, declined, notAccepted }))
      expect(count, what).toBeGreaterThan(0);
  });

  it('shows a provisioner that fails before the first deadline', async () => {
    cloud.host = () => ({ outcome: 'responded', status: 503, body: '' });
    await define({ provisioner: { type: 'http', url: 'https://games.example', timeoutSeconds: 300 } });
    await duels(3);
    expect((await stats()).failing).toEqual({ step: 'provisioner', failed: 3, decided: 3, minutes: 2 });
  });

  it('costs nothing where a match is complete when it is found', async () => {
    await define({});
    const written: string[] = [];
    const [duel] = await cloud.on(
      (what, effect) => {
        written.push(what);
        return effect();
      },
      async () => {
        const found = await duels(1);
        written.length = 0;
        expect(await countOutcomes(cloud.deps, cloud.changes, cloud.nowMs)).toEqual([]);
        return found;
      },
    );
    expect(duel!.status).toBe('COMPLETED');
    expect(written).toEqual([]);
    expect(await stats()).toMatchObject({ matches: { found: 1 }, tickets: { matched: 2 } });
    expect(await stats()).not.toHaveProperty('acceptance');
  });

  it('takes one write for all changes of a batch', async () => {
    await define({ acceptance: { timeoutSeconds: 20 } });
    const found = await duels(5);
    for (const match of found)
      await answerMatch(
        cloud.deps,
        match.ticketIds[0]!,
        { accepted: false, matchId: match.matchId },
        cloud.nowMs,
      );
    const changes = await cloud.newChanges();
    const written: string[] = [];
    await cloud.on(
      (what, effect) => {
        written.push(what);
        return effect();
      },
      () => countOutcomes(cloud.deps, changes, cloud.nowMs),
    );
    expect(written).toEqual(['UpdateItem', 'BatchGetItem']);
  });

  it('counts tickets that a client has cancelled, and not those that a match has', async () => {
    await define({ acceptance: { timeoutSeconds: 20 } });
    const [match] = await duels(1);
    await answerMatch(
      cloud.deps,
      match!.ticketIds[0]!,
      { accepted: false, matchId: match!.matchId },
      cloud.nowMs,
    );
    await cancelTicket(cloud.deps, match!.ticketIds[1]!, cloud.nowMs);
    await cloud.run(1_000);
    expect((await stats()).tickets.cancelled).toBe(1);
  });

  it('does not fail the batch when the table is busy', async () => {
    await define({ acceptance: { timeoutSeconds: 20 } });
    const [match] = await duels(1);
    await answerMatch(
      cloud.deps,
      match!.ticketIds[0]!,
      { accepted: false, matchId: match!.matchId },
      cloud.nowMs,
    );
    const counted = await countOutcomes(
      {
        ...cloud.deps,
        outcomes: { ...cloud.deps.outcomes, add: async () => false },
      },
      await cloud.newChanges(),
      cloud.nowMs,
    );
    expect(counted).toEqual([
      { queue, counts: { declined: 1, returned: 1 }, failing: undefined, isLost: true },
    ]);
  });
});
