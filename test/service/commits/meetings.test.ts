import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../lib/rules/rule-types.ts';
import { MET_MAX, meetingRecords } from '../../../lib/service/commits/meeting-records.ts';
import { layoutAt } from '../../../lib/service/domain/buckets.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import { suiteName, USE_CASE_STORE } from '../../aws/emulated-tables.ts';
import { why } from '../../aws/samples.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';

const { emulator, skipped } = USE_CASE_STORE;
describe.skipIf(skipped !== undefined)(suiteName('players who met', emulator, skipped), () => {
  let cloud: VirtualCloud;
  let queue: string;
  let tickets = 0;
  ownCloudForEachTest(emulator, (own) => {
    ({ cloud, queue } = own);
  });

  const define = (rules?: Rule[]) =>
    putQueue(
      cloud.deps.queues,
      { ...definition({ name: queue, timeoutSeconds: 3000 }), ...(rules && { rules }) } as never,
      cloud.nowMs,
    );
  const recent: Rule = { name: 'Rematch', type: 'recent', seconds: 600 };
  const join = async (playerId: string, skill: number) => {
    const ticketId = `${queue}:${tickets++}`;
    const { ticket } = await enqueue(
      cloud.deps,
      queue,
      { ticketId, players: [{ playerId, skill }] },
      cloud.nowMs,
    );
    return ticket;
  };
  /** The players of the matches that the next tick commits. */
  const matched = async () => {
    const { definition: rules, layouts } = (await cloud.deps.queues.get(queue))!;
    const step = rules.tickSeconds * 1_000;
    cloud.nowMs = (Math.floor(cloud.nowMs / step) + 1) * step;
    const { version } = layoutAt(layouts, cloud.nowMs);
    const result = await tick(cloud.deps, { queue, slotMs: cloud.nowMs, layout: version, range: 0 });
    if (result.outcome !== 'searched') throw new Error(result.why);
    return result.matches.map(({ teams }) =>
      teams.flatMap(({ players }) => players.map(({ playerId }) => playerId)).sort(),
    );
  };

  it('are kept in the ticket of a large party, each with the latest of its meetings, so that an item can hold it', async () => {
    await putQueue(
      cloud.deps.queues,
      { ...definition({ name: queue, teamSize: 50 }), rules: [recent] } as never,
      cloud.nowMs,
    );
    const long = (name: string) => name.padEnd(128, 'x');
    const met = Array.from({ length: MET_MAX }, (_, i) => [long(`other-${i}`), cloud.nowMs] as const);
    const players = Array.from({ length: 50 }, (_, i) => ({ playerId: long(`p${i}`), skill: 1_000 }));
    const meetings = { of: async () => new Map(players.map(({ playerId }) => [playerId, met])) };
    const ticketId = `${queue}:large`;
    await enqueue({ ...cloud.deps, meetings } as never, queue, { ticketId, players }, cloud.nowMs);
    const stored = (await cloud.deps.tickets.get(ticketId))!;
    expect(stored.players.map((player) => player.met?.map(([id]) => id))).toEqual(
      players.map(() => met.slice(0, 20).map(([id]) => id)),
    );
  });

  it('are not matched again until the seconds of the rule are over, and then their record expires', async () => {
    await define([recent]);
    await join('ann', 1000);
    await join('bob', 1001);
    expect(await matched()).toEqual([['ann', 'bob']]);
    await join('ann', 1000);
    await join('bob', 1001);
    expect(await matched()).toEqual([]);
    await join('cy', 1400);
    expect(await matched()).toHaveLength(1);

    cloud.nowMs += 601_000;
    await join('ann', 1000);
    const { players } = await join('bob', 1001);
    expect(players[0]).not.toHaveProperty('met');
  });

  it('are recorded for committed matches only: a lost commit stores nothing', async () => {
    await define([recent]);
    const first = await join('ann', 1000);
    await join('bob', 1001);
    const deps = cloud.deps;
    const { claim } = deps.tickets;
    const lost = {
      ...cloud.deps,
      tickets: {
        ...cloud.deps.tickets,
        // Another process cancels the ticket after it was read.
        claim: async (...call: Parameters<typeof claim>) => {
          await deps.tickets.end(first.ticketId, 'CANCELLED', why('by its player'), cloud.nowMs);
          return claim(...call);
        },
      },
    };
    Object.assign(cloud, { deps: lost });
    expect(await matched()).toEqual([]);
    Object.assign(cloud, { deps });
    await join('ann', 1000);
    expect(await matched()).toEqual([['ann', 'bob']]);
  });

  it('are not read or written in a queue without such a rule', async () => {
    await define();
    await join('ann', 1000);
    await join('bob', 1001);
    await matched();
    expect(await cloud.deps.meetings.of(queue, ['ann', 'bob'], 0)).toEqual(new Map());
  });

  it('do not make a repeated request another ticket', async () => {
    await define([recent]);
    await join('ann', 1000);
    await join('bob', 1001);
    await matched();
    const body = { ticketId: `${queue}:again`, players: [{ playerId: 'ann', skill: 1000 }] };
    expect((await enqueue(cloud.deps, queue, body, cloud.nowMs)).created).toBe(true);
    expect((await enqueue(cloud.deps, queue, body, cloud.nowMs)).created).toBe(false);
  });
});

describe('the record of a player', () => {
  it('is bounded, and keeps the latest meetings', () => {
    const met = Array.from({ length: 150 }, (_, i): [string, number] => [`p${i}`, 1_000_000 - i]);
    const players = [{ playerId: 'ann', skill: 1, met }];
    const teams = [[{ playerId: 'ann', ticketId: 'a' }], [{ playerId: 'bob', ticketId: 'b' }]];
    const all = new Map([
      ['a', { ticketId: 'a', enqueuedAtMs: 0, players }],
      ['b', { ticketId: 'b', enqueuedAtMs: 0, players: [{ playerId: 'bob', skill: 1 }] }],
    ]);
    const [record] = meetingRecords({ ticketIds: ['a', 'b'], teams }, all, 600, 1_000_000);
    expect(record!.met).toHaveLength(MET_MAX);
    expect(record!.met.slice(0, 2)).toEqual([
      ['bob', 1_000_000],
      ['p0', 1_000_000],
    ]);
  });
});
