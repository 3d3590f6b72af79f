import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { dollarsOf, FEATURES, NOT_COUNTED, sumOf, usageParts } from '../../lib/costs/usage-costs.ts';
import { assignMatch } from '../../lib/service/placement/assign-match.ts';
import { endMatch } from '../../lib/service/placement/end-match.ts';
import { answerMatch } from '../../lib/service/tickets/acceptance.ts';
import { enqueue } from '../../lib/service/tickets/enqueue.ts';
import { playThrough } from '../../lib/simulation/play.ts';
import { startTables } from '../aws/emulated-tables.ts';
import { trafficOf } from '../bench/scenarios.ts';
import { VARIANTS } from '../bench/service-variants.ts';
import { definition, putQueue } from '../service/definitions.ts';
import { metered, type Units } from '../service/metered.ts';

const PLAYERS = 10;
/** A match of ten players who come alone and wait a minute, without ticks. */
const MATCH = {
  tickets: PLAYERS,
  players: PLAYERS,
  matched: PLAYERS,
  cancelled: 0,
  timedOut: 0,
  matches: 1,
  playersMatched: PLAYERS,
  waitMinutes: PLAYERS,
  ticks: 0,
  waiting: 0,
};
const STEPS = [{ times: 1, seconds: 1 }];
/** A queue with each feature. */
const WITH: Readonly<Record<string, Partial<QueueDefinition>>> = {
  TicketQueued: { events: ['TicketQueued'] },
  acceptance: { acceptance: { timeoutSeconds: 10 } },
  provisioner: { provisioner: { type: 'external', timeoutSeconds: 10 } },
  onePlace: { onePlace: true },
  cooldown: { cooldown: { leave: STEPS } },
  'recent rules': { rules: [{ name: 'met', type: 'recent', seconds: 30, scope: 'opponents' }] },
  presence: { presence: { graceSeconds: 15 } },
  ladder: { ladder: 'ranked' },
};
/** Those whose units are compared with other tables: players.md and ratings.md, which tests compare with counts. */
const ELSEWHERE = ['presence', 'ladder', 'TicketQueued'];

const page = (name: string) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
const featureOf = (name: string) =>
  usageParts(MATCH, definition({ teamSize: 5, ...WITH[name] })).find(({ feature }) => feature === name)!
    .usage;

describe('the features of a queue in the estimates of costs', () => {
  it('are all named in these tests, and each is found in the definition that has it', () => {
    expect(FEATURES.map(({ name }) => name)).toEqual(Object.keys(WITH));
    expect(usageParts(MATCH, definition({ teamSize: 5 }))).toHaveLength(1);
    const all = definition({ teamSize: 5, ...Object.assign({}, ...Object.values(WITH)) });
    const parts = usageParts({ ...MATCH, polls: 1 }, all);
    expect(parts.map(({ feature }) => feature)).toEqual([undefined, ...Object.keys(WITH), 'long polls']);
  });

  it('have the units of the tables that the tables in memory count', async () => {
    const plain = await unitsOf('plain', {});
    for (const [name, rules] of Object.entries(WITH)) {
      if (ELSEWHERE.includes(name)) continue;
      const counted = await unitsOf(name.replace(' ', '-').toLowerCase(), rules);
      const { writeUnits, readUnits } = featureOf(name);
      // A part of the reads is those of the streams, which nobody pays for in the tables in memory.
      const [write, read] = [counted.write - plain.write, counted.read - plain.read];
      expect(Math.abs(writeUnits - write), `${name}: ${write} write units`).toBeLessThanOrEqual(1);
      expect(Math.abs(readUnits - read), `${name}: ${read} read units`).toBeLessThanOrEqual(2);
    }
  });

  it('have the price of presence that the benchmark of watchers has measured', () => {
    const [, row] = /\n\| with presence \|(.*)\|\n/.exec(page('players'))!;
    const [write, read, invocations, messages] = row!.split('|').map(Number);
    const presence = featureOf('presence');
    expect(presence.writeUnits / PLAYERS).toBeCloseTo(write!, 1);
    expect(presence.readUnits / PLAYERS).toBeCloseTo(read!, 1);
    expect(presence.invocations / PLAYERS).toBeCloseTo(invocations!, 1);
    expect(presence.socketMessages / PLAYERS).toBeCloseTo(messages!, 1);
    const total = Number.parseFloat(row!.split('|').at(-1)!);
    expect(Math.abs((1e6 * sumOf(dollarsOf(presence))) / PLAYERS / total - 1)).toBeLessThan(0.05);
  });

  it('are in the estimate of a simulated queue', () => {
    const duel = { ...definition({ teamSize: 1 }), ...WITH.acceptance, ...WITH.onePlace };
    const { population } = VARIANTS.solos!;
    const rate = { kind: 'constant', perSecond: 5 } as const;
    const play = (rules: QueueDefinition) =>
      playThrough(rules, trafficOf({ title: 'duel', definition: rules, population, rate }, 100, 1)).cost;
    const [plain, more] = [play(definition({ teamSize: 1 })), play(duel)];
    expect(plain.features).toEqual({});
    expect(Object.keys(more.features)).toEqual(['acceptance', 'onePlace']);
    const { acceptance = 0, onePlace = 0 } = more.features;
    expect(more.perMillionPlayers).toBeCloseTo(plain.perMillionPlayers + acceptance + onePlace, 1);
  });

  it('have the prices that the documentation shows, which also names what is not counted', () => {
    const costs = page('costs');
    const rows = Object.keys(WITH).map(
      (name) => `| \`${name}\` | ${((1e6 * sumOf(dollarsOf(featureOf(name)))) / PLAYERS).toFixed(2)} |`,
    );
    for (const row of rows) expect(costs, rows.join('\n')).toContain(row);
    expect(costs).toContain(`\nNot counted: ${NOT_COUNTED.join(', ')}.\n`);
  });
});

/** The units of a match of ten players who come alone and have played before, from their tickets to its deadlines. */
async function unitsOf(queue: string, rules: Partial<QueueDefinition>): Promise<Units> {
  const { cloud, unitsOf: count } = metered(await startTables('memory'), queue);
  const idOf = (kind: string, n: number) => `${kind}-1c47-4a70-8e3b-${String(n).padStart(12, '0')}`;
  await putQueue(cloud.deps.queues, definition({ name: queue, teamSize: 5, ...rules }), cloud.nowMs);
  const play = async (round: number) => {
    const tickets = Array.from({ length: PLAYERS }, (_, i) => idOf('3f0c8a6e', PLAYERS * round + i));
    for (const [i, ticketId] of tickets.entries()) {
      const players = [{ playerId: idOf('9b2fd1c4', i), skill: 1_500 }];
      await enqueue(cloud.deps, queue, { ticketId, players }, cloud.nowMs);
    }
    await cloud.run(3_000);
    const { matchId } = (await cloud.deps.tickets.get(tickets[0]!))!;
    if (rules.acceptance)
      for (const ticketId of tickets)
        await answerMatch(cloud.deps, ticketId, { accepted: true, matchId: matchId! }, cloud.nowMs);
    if (rules.provisioner) await assignMatch(cloud.deps, matchId!, { address: 'game.example' });
    await cloud.run(12_000);
    return matchId!;
  };
  // After it each player has a last ticket, and has met others.
  await endMatch(cloud.deps, await play(0), {}, cloud.nowMs);
  cloud.nowMs += 60_000;
  await cloud.run(1_000);
  return count(() => play(1));
}
