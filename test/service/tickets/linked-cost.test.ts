import { readFileSync } from 'node:fs';
import { join as path } from 'node:path';
import { expect, it } from 'vitest';
import { answerMatch } from '../../../lib/service/tickets/acceptance.ts';
import { cancelTicket } from '../../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import { startTables } from '../../aws/emulated-tables.ts';
import { definition, putQueue } from '../definitions.ts';
import { metered } from '../metered.ts';

const page = () => readFileSync(path(import.meta.dirname, '../../../docs/benchmarks.md'), 'utf8');

/** A cloud with eight queues of one group, all of which have had a linked ticket and are awake. */
async function eightQueues() {
  const { cloud, unitsOf } = metered(await startTables('memory'), 'q');
  const queues = Array.from({ length: 8 }, (_, i) => `q-${i}`);
  for (const name of queues)
    await putQueue(
      cloud.deps.queues,
      definition({
        name,
        group: 'g',
        tickSeconds: 5,
        timeoutSeconds: 300,
        acceptance: { timeoutSeconds: 30 },
      }),
      cloud.nowMs,
    );
  const post = (number: number, count: number, queue = queues[0]!) => {
    const [, ...further] = queues.slice(0, count);
    const body = {
      ticketId: `5d0b7a62-3f0c-4a6e-9b7a-0000000000${10 + number}`,
      players: [{ playerId: `9b2fd1c4-77aa-4c55-8e3b-0000000000${10 + number}`, skill: 1500 }],
      ...(further.length > 0 && { also: further.map((name) => ({ queue: name })) }),
    };
    return enqueue(cloud.deps, queue, body, cloud.nowMs);
  };
  const warm = await post(0, 8);
  await cancelTicket(cloud.deps, warm.ticket.ticketId, cloud.nowMs);
  for (const queue of queues) await cloud.deps.queues.get(queue, 1_000);
  return { cloud, unitsOf, queues, post };
}

it('costs the units that the documentation says, by the number of queues', async () => {
  const rows: string[] = [];
  for (const count of [1, 2, 4, 8]) {
    const { cloud, unitsOf, queues, post } = await eightQueues();
    const posted = await unitsOf(() => post(1, count));
    const { ticketId } = (await post(2, count)).ticket;
    const left = await unitsOf(() => cancelTicket(cloud.deps, ticketId, cloud.nowMs));
    // Two tickets of the same queues: one declines the match, and the other returns.
    const { ticketId: other } = (await post(3, count)).ticket;
    cloud.nowMs += 5_000;
    const slotMs = Math.floor(cloud.nowMs / 1_000) * 1_000;
    const matched = await unitsOf(async () => {
      const result = await tick(cloud.deps, { queue: queues[0]!, slotMs });
      expect(result).toMatchObject({ matches: [{}] });
    });
    const matchId = (await cloud.deps.tickets.get(other))!.matchId!;
    const returned = await unitsOf(() =>
      answerMatch(cloud.deps, other, { accepted: false, matchId }, cloud.nowMs),
    );
    rows.push(`| ${count} | ${posted.write} | ${left.write} | ${matched.write} | ${returned.write} |`);
  }
  for (const row of rows) expect(page()).toContain(row);
});

it('costs a tick nothing in a queue that no linked ticket has come to, and half a unit a key in another one', async () => {
  const { cloud, unitsOf } = metered(await startTables('memory'), 'q');
  for (const name of ['alone', 'grouped', 'other'])
    await putQueue(
      cloud.deps.queues,
      definition({ name, tickSeconds: 5, timeoutSeconds: 300, ...(name !== 'alone' && { group: 'g' }) }),
      cloud.nowMs,
    );
  const post = (queue: string, also?: readonly object[]) =>
    enqueue(
      cloud.deps,
      queue,
      { ticketId: `t-${queue}`, players: [{ playerId: 'p', skill: 1 }], ...(also && { also }) },
      cloud.nowMs,
    );
  const tickOf = (queue: string) =>
    unitsOf(async () => {
      const slotMs = Math.floor(cloud.nowMs / 1_000) * 1_000;
      expect(await tick(cloud.deps, { queue, slotMs })).toMatchObject({ outcome: 'searched' });
    });
  const posts = [await unitsOf(() => post('alone')), await unitsOf(() => post('grouped'))];
  expect(posts[1]).toEqual(posts[0]);
  cloud.nowMs += 5_000;
  const ordinary = await tickOf('alone');
  expect(await tickOf('grouped')).toEqual(ordinary);
  await cancelTicket(cloud.deps, 't-grouped', cloud.nowMs);
  await post('other', [{ queue: 'grouped' }]);
  cloud.nowMs += 5_000;
  // The entry's key, and the report of the range says how many linked tickets wait.
  const { read } = await tickOf('grouped');
  expect(read - ordinary.read).toBeLessThanOrEqual(1);
});
