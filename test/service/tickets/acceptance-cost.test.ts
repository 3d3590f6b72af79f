import { expect, it } from 'vitest';
import { answerMatch } from '../../../lib/service/tickets/acceptance.ts';
import { enqueueBatch } from '../../../lib/service/tickets/enqueue-batch.ts';
import { getTicket } from '../../../lib/service/tickets/read-tickets.ts';
import { startTables } from '../../aws/emulated-tables.ts';
import { definition, putQueue } from '../definitions.ts';
import { metered } from '../metered.ts';

/** A match in which each of its players is asked. */
async function askedMatch(players: number) {
  const { cloud, unitsOf } = metered(await startTables('memory'), 'q');
  const acceptance = { timeoutSeconds: 600, by: 'player' } as const;
  await putQueue(
    cloud.deps.queues,
    definition({ name: 'q', teamSize: players / 2, timeoutSeconds: 300, acceptance }),
    cloud.nowMs,
  );
  const names = Array.from({ length: players }, (_, i) => `player-${i}`);
  const tickets = names.map((name) => ({ ticketId: `t-${name}`, players: [{ playerId: name, skill: 1 }] }));
  for (let at = 0; at < players; at += 50)
    await enqueueBatch(cloud.deps, 'q', { tickets: tickets.slice(at, at + 50) }, cloud.nowMs);
  await cloud.run(3_000);
  const matchId = (await cloud.deps.tickets.get('t-player-0'))!.matchId!;
  const accept = (name: string) =>
    answerMatch(cloud.deps, `t-${name}`, { accepted: true, matchId }, cloud.nowMs, name);
  return { cloud, unitsOf, names, matchId, accept };
}

it.each([{ players: 20 }, { players: 200 }])(
  'an answer of one of $players players who accept at once costs a write unit and half of a read of the match',
  async ({ players }) => {
    const { cloud, unitsOf, names, matchId, accept } = await askedMatch(players);
    const { read } = await unitsOf(() => cloud.deps.matches.get(matchId));
    const [last, ...others] = names;
    const calls = new Map<string, number>();
    const { write, read: perAll } = await unitsOf(() =>
      cloud.on(
        (what, effect) => {
          calls.set(what, (calls.get(what) ?? 0) + 1);
          return effect();
        },
        () => Promise.all(others.map(accept)),
      ),
    );
    const { length } = others;
    // The ticket, and the match with its answers.
    expect(perAll).toBe(length * (1 + read / 2));
    expect(write).toBe(length);
    expect(calls).toEqual(
      new Map([
        ['GetItem', 3 * length],
        ['UpdateItem', length],
      ]),
    );
    expect((await accept(last!)).status).toBe('COMPLETED');
  },
);

it('a poll of a large match returns at each twentieth part of the players who are ready, and at the last four', async () => {
  const { cloud, names, accept } = await askedMatch(60);
  const ended: number[] = [];
  let ready = 0;
  for (const name of names.slice(0, -1)) {
    await accept(name);
    const { acceptance } = await getTicket(cloud.deps, 't-player-0', { waitMs: 0 });
    const startMs = cloud.nowMs;
    await getTicket(cloud.deps, 't-player-0', { waitMs: 100, ready });
    if (cloud.nowMs > startMs) continue;
    ready = acceptance!.ready;
    ended.push(ready);
  }
  expect(ended).toEqual([...Array.from({ length: 18 }, (_, i) => 3 * (i + 1)), 57, 58, 59]);
});
