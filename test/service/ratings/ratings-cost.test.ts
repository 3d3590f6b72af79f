import { readFileSync } from 'node:fs';
import { join as path } from 'node:path';
import { expect, it } from 'vitest';
import { PRICES } from '../../../lib/costs/usage-costs.ts';
import { endMatch } from '../../../lib/service/placement/end-match.ts';
import { postResult } from '../../../lib/service/ratings/post-result.ts';
import { rateResult } from '../../../lib/service/ratings/rate-result.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import { startTables } from '../../aws/emulated-tables.ts';
import { CHAOS_LADDER } from '../chaos-results.ts';
import { definition, putLadder, putQueue } from '../definitions.ts';
import { metered, type Units } from '../metered.ts';

const TEAM_SIZE = 5;
const PLAYERS = 2 * TEAM_SIZE;
/** So many that the ratings have as many recent ones as they keep. */
const MATCHES_BEFORE = 45;

const STEPS = {
  posted: 'post a ticket of one player',
  matched: 'match ten players',
  ended: 'end the match, with its result',
  rated: 'rate the result',
} as const;
type Step = keyof typeof STEPS;

it('costs the units that the documentation says, and nothing in a queue without a ladder', async () => {
  const [plain, rated] = [await life('plain', undefined), await life('rated', 'ranked')];
  const rows = (Object.entries(STEPS) as [Step, string][]).map(([step, what]) => {
    const [before, after] = [plain[step], rated[step]];
    return `| ${what} | ${before.write} | ${after.write} | ${before.read} | ${after.read} |`;
  });
  const dollars =
    (PLAYERS * dollarsOf(rated.posted, plain.posted) +
      dollarsOf(rated.matched, plain.matched) +
      dollarsOf(rated.ended, plain.ended) +
      dollarsOf(rated.rated, plain.rated)) /
    PLAYERS;
  rows.push(`a million players who are rated cost $${dollars.toFixed(2)} more`);
  const page = readFileSync(path(import.meta.dirname, '../../../docs/ratings.md'), 'utf8');
  for (const row of rows) expect(page, rows.join('\n')).toContain(row);
});

/** Dollars for a million times what these units are more than those. */
function dollarsOf(units: Units, without: Units): number {
  const [write, read] = [units.write - without.write, units.read - without.read];
  return write * PRICES.dynamoWriteUnits + read * PRICES.dynamoReadUnits;
}

/** The units of a match of players who have played before, by step. */
async function life(queue: string, ladder: string | undefined): Promise<Record<Step, Units>> {
  const { cloud, unitsOf } = metered(await startTables('memory'), queue);
  const idOf = (kind: string, number: number) => `${kind}-1c47-4a70-8e3b-${String(number).padStart(12, '0')}`;
  const players = Array.from({ length: PLAYERS }, (_, i) => idOf('9b2fd1c4', i));
  if (ladder !== undefined)
    await putLadder(cloud.deps.ladders, { ...CHAOS_LADDER, name: ladder }, cloud.nowMs);
  const rules = definition({ name: queue, teamSize: TEAM_SIZE, ...(ladder && { ladder }) });
  await putQueue(cloud.deps.queues, rules, cloud.nowMs);
  let tickets = 0;
  const post = (playerId: string) => {
    const player = { playerId, ...(ladder === undefined && { skill: 1_500 }) };
    const ticketId = idOf(`3f0c8a6e`, ++tickets);
    return enqueue(cloud.deps, queue, { ticketId, players: [player] }, cloud.nowMs);
  };
  /** A match from its first ticket to its rating. */
  const play = async () => {
    cloud.tickMessages.length = 0;
    cloud.nowMs += 600_000;
    // Reads the queue and schedules its ticks.
    await post(players[0]!);
    const posted = await unitsOf(() => post(players[1]!));
    for (const playerId of players.slice(2)) await post(playerId);
    const first = idOf('3f0c8a6e', tickets);
    cloud.nowMs = Math.max(cloud.nowMs, Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs)));
    const messages = cloud.dueTicks();
    const matched = await unitsOf(async () => {
      for (const message of messages) await tick(cloud.deps, message);
    });
    const { matchId } = (await cloud.deps.tickets.get(first))!;
    const ended = await unitsOf(() =>
      ladder === undefined
        ? endMatch(cloud.deps, matchId!, {}, cloud.nowMs)
        : postResult(cloud.deps, matchId!, { ranks: [1, 2] }, cloud.nowMs),
    );
    const rated = await unitsOf(async () => {
      if (ladder !== undefined) await rateResult(cloud.deps, matchId!);
    });
    return { posted, matched, ended, rated };
  };
  for (let before = 0; ladder !== undefined && before < MATCHES_BEFORE; before++) await play();
  return play();
}
