import { readFileSync } from 'node:fs';
import { join as path } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { endMatch } from '../../../lib/service/placement/end-match.ts';
import { answerMatch } from '../../../lib/service/tickets/acceptance.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import { type EmulatedTables, startTables } from '../../aws/emulated-tables.ts';
import { definition, putQueue } from '../definitions.ts';
import { metered, type Units } from '../metered.ts';

/** Players with ids as long as UUIDs, in parties. */
const partyOf = (queue: string, name: string, size: number) => ({
  ticketId: `${queue}-3f0c8a6e-4b7a-9c02-1e6b7${name}`,
  players: Array.from({ length: size }, (_, i) => ({
    playerId: `9b2fd1c4-77aa-4c55-8e3b-0a1f2e3d4${name}${10 + i}`,
    skill: 1_500,
  })),
});
const STEPS = [{ times: 1, seconds: 1 }];

let tables: EmulatedTables;
beforeAll(async () => {
  tables = await startTables('memory');
});

it('costs the units that the documentation says, and nothing in a queue without cooldowns', async () => {
  const rows: string[] = [];
  for (const size of [1, 5]) {
    const plain = await life(`plain-${size}`, size, false);
    const cooled = await life(`cooled-${size}`, size, true);
    const who = size === 1 ? 'one player' : `${size} players`;
    for (const [stage, what] of Object.entries(STAGES) as [Stage, string][]) {
      const [before, after] = [plain[stage], cooled[stage]];
      rows.push(`| ${what} ${who} | ${before.write} | ${after.write} | ${before.read} | ${after.read} |`);
    }
  }
  const page = readFileSync(path(import.meta.dirname, '../../../docs/benchmarks.md'), 'utf8');
  for (const row of rows) expect(page, rows.join('\n')).toContain(row);
});

const STAGES = {
  posted: 'post a ticket of',
  declined: 'decline the match of',
  ended: 'end a match that was left by',
} as const;
type Stage = keyof typeof STAGES;

/** The units of a ticket that is posted, one whose match is declined, and a match that is ended with a party of leavers. */
async function life(queue: string, size: number, hasCooldowns: boolean): Promise<Record<Stage, Units>> {
  const { cloud, unitsOf } = metered(tables, queue);
  const party = (name: string) => partyOf(queue, name, size);
  const define = ({ decline, ...others }: NonNullable<QueueDefinition['cooldown']>) =>
    putQueue(
      cloud.deps.queues,
      definition({
        name: queue,
        teamSize: size,
        ...(decline && { acceptance: { timeoutSeconds: 600 } }),
        ...(hasCooldowns && { cooldown: { ...(decline && { decline }), ...others } }),
      }),
      cloud.nowMs,
    );
  const post = (name: string) => enqueue(cloud.deps, queue, party(name), cloud.nowMs);
  const matchOf = async (name: string) => {
    cloud.nowMs = Math.max(cloud.nowMs, Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs)));
    for (const message of cloud.dueTicks()) await tick(cloud.deps, message);
    return (await cloud.deps.tickets.get(party(name).ticketId))!.matchId!;
  };
  await define({ decline: STEPS, leave: STEPS });
  // Reads the queue and schedules its ticks.
  await post('00');
  const posted = await unitsOf(() => post('01'));
  const matchId = await matchOf('01');
  const { ticketId, players } = party('01');
  const declined = await unitsOf(() =>
    answerMatch(cloud.deps, ticketId, { accepted: false, matchId }, cloud.nowMs),
  );
  await define({ leave: STEPS });
  cloud.nowMs += 5_000;
  await post('02');
  const played = await matchOf('02');
  const leavers = players.map(({ playerId }) => playerId);
  // A function that has just read the queue.
  await cloud.deps.queues.get(queue, 1_000);
  const ended = await unitsOf(() => endMatch(cloud.deps, played, { leavers }, cloud.nowMs));
  return { posted, declined, ended };
}
