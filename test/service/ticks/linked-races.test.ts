import { describe, expect, it } from 'vitest';
import { enqueueBatch } from '../../../lib/service/tickets/enqueue-batch.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import { seededRandom } from '../../../lib/simulation/random.ts';
import { startTables } from '../../aws/emulated-tables.ts';
import { sample } from '../../long.ts';
import { definition, putQueue } from '../definitions.ts';
import { Interleaving } from '../interleaving.ts';
import { VirtualCloud } from '../virtual-cloud.ts';

/** Tickets, the size of a team, and the least shares that are matched after one, two and four ticks of both queues. */
const CASES = [
  { tickets: sample(60, 400), teamSize: 1, least: [0.9, 0.95, 0.95] },
  { tickets: sample(60, 400), teamSize: 5, least: [0.5, 0.8, 0.9] },
] as const;

describe('two queues whose ticks begin at the same moment, and whose tickets all wait in both', () => {
  it.each(CASES)(
    'match most of $tickets tickets in teams of $teamSize, each in one match',
    async (wanted) => {
      const { tickets, teamSize, least } = wanted;
      const tables = await startTables('memory');
      const cloud = new VirtualCloud(tables, [tables.stream('tickets'), tables.stream('matches')]);
      const queues = ['duel', 'arena'];
      for (const name of queues)
        await putQueue(
          cloud.deps.queues,
          definition({ name, group: 'g', teamSize, tickSeconds: 5, timeoutSeconds: 300 }),
          cloud.nowMs,
        );
      const random = seededRandom(7);
      // Each queue has skills of its own, so that the two choose other games.
      const skills = Array.from({ length: tickets }, () => [random.uniform() * 100, random.uniform() * 30]);
      const bodies = skills.map(([skill, other], i) => ({
        ticketId: `t${i}`,
        players: [{ playerId: `p${i}`, skill: skill! }],
        also: [{ queue: 'arena', players: [{ playerId: `p${i}`, skill: 0.7 * skill! + other! }] }],
      }));
      for (let at = 0; at < bodies.length; at += 50)
        await enqueueBatch(cloud.deps, 'duel', { tickets: bodies.slice(at, at + 50) }, cloud.nowMs);
      const context = { now: () => cloud.nowMs, on: cloud.on.bind(cloud) };
      const matchOf = new Map<string, string>();
      const shares: number[] = [];
      for (let slot = 1; slot <= 4; slot++) {
        cloud.nowMs += 5_000;
        const all = new Interleaving(slot, context, () => {});
        for (const queue of queues)
          all.begin(
            queue,
            () => tick(cloud.deps, { queue, slotMs: cloud.nowMs }),
            (result) => {
              if (result?.outcome !== 'searched')
                throw new Error(`Expected a search, got ${result?.outcome}`);
              for (const { matchId, ticketIds } of result.matches)
                for (const ticketId of ticketIds) {
                  expect(matchOf.get(ticketId)).toBeUndefined();
                  matchOf.set(ticketId, matchId);
                }
            },
          );
        // A call takes less than a millisecond of this clock, so that no time of a tick is up.
        while (await all.step());
        expect(all.stray).toEqual([]);
        shares.push(matchOf.size / tickets);
      }
      const reached = [shares[0]!, shares[1]!, shares[3]!];
      for (const [i, share] of reached.entries()) expect(share).toBeGreaterThanOrEqual(least[i]!);
      const left = await Promise.all(bodies.map(({ ticketId }) => cloud.deps.tickets.get(ticketId)));
      const waiting = left.filter((one) => one!.status === 'QUEUED').length;
      expect(waiting).toBe(tickets - matchOf.size);
      const { layouts } = (await cloud.deps.queues.get('arena'))!;
      const found = await cloud.deps.tickets.waiting('arena', layouts, {}, undefined, true);
      expect(found.tickets).toHaveLength(waiting);
    },
  );
});
