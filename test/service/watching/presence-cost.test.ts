import { readFileSync } from 'node:fs';
import { join as path } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { connectionStore } from '../../../lib/aws/connection-store.ts';
import { toProblem } from '../../../lib/aws/http.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import { answerFrame } from '../../../lib/service/watching/answer-frame.ts';
import { connect } from '../../../lib/service/watching/connect.ts';
import { disconnect } from '../../../lib/service/watching/disconnect.ts';
import { type EmulatedTables, startTables } from '../../aws/emulated-tables.ts';
import { definition, putQueue } from '../definitions.ts';
import { metered, type Units } from '../metered.ts';
import { OPEN_SOCKETS } from './open-sockets.ts';
import { watcherOf } from './watcher-of.ts';

let tables: EmulatedTables;
beforeAll(async () => {
  tables = await startTables('memory');
});

const STAGES = [
  'post a ticket',
  'connect',
  'ping',
  'a tick that makes a match of two',
  'disconnect',
] as const;

it('costs the units that the documentation says, and a queue without presence nothing', async () => {
  const [plain, present] = [await life('plain', false), await life('present', true)];
  const rows = STAGES.map((stage, i) => {
    const [before, after] = [plain[i]!, present[i]!];
    return `| ${stage} | ${before.write} | ${after.write} | ${before.read} | ${after.read} |`;
  });
  const page = readFileSync(path(import.meta.dirname, '../../../docs/players.md'), 'utf8');
  for (const row of rows) expect(page, rows.join('\n')).toContain(row);
});

/** The units of each stage of a ticket with one player, in a queue that functions have just read. */
async function life(queue: string, hasPresence: boolean): Promise<Units[]> {
  const { cloud, unitsOf } = metered(tables, queue);
  const deps = {
    ...cloud.deps,
    connections: connectionStore(cloud.client, tables.names.connections),
    sockets: OPEN_SOCKETS,
  };
  await putQueue(
    cloud.deps.queues,
    definition({ name: queue, ...(hasPresence && { presence: { graceSeconds: 15 } }) }),
    cloud.nowMs,
  );
  const post = (name: string) => {
    const ticketId = `3f0c8a6e-4b7a-4c02-9c02-1e6b7${queue}${name}`;
    const players = [{ playerId: `player-${name}`, skill: 1_500 }];
    return enqueue(cloud.deps, queue, { ticketId, players }, cloud.nowMs);
  };
  const { ticket } = await post('a');
  const watcher = await watcherOf(cloud.deps, ticket.ticketId);
  // The first connection of a queue notes that it is watched.
  await connect(deps, watcher, 'before', cloud.nowMs);
  await deps.connections.remove(ticket.ticketId, 'before');
  const posted = await unitsOf(() => post('b'));
  const connected = await unitsOf(() => connect(deps, watcher, 'one', cloud.nowMs));
  cloud.nowMs += 500;
  const pinged = await unitsOf(() =>
    answerFrame(deps, watcher, 'one', '{"action":"ping","seen":{"status":"QUEUED"}}', toProblem),
  );
  cloud.nowMs = Math.max(cloud.nowMs, Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs)));
  const [message] = cloud.dueTicks();
  await cloud.deps.queues.get(queue, 0);
  const ticked = await unitsOf(() => tick(cloud.deps, message!));
  const ended = await unitsOf(() => disconnect(deps, watcher, 'one', cloud.nowMs));
  return [posted, connected, pinged, ticked, ended];
}
