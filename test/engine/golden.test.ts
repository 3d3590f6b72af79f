import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everyoneAtOnce, GamePool } from '../../lib/engine/game-pool.ts';
import type { Game, GameRules, Ticket } from '../../lib/engine/types.ts';
import { IS_LONG } from '../long.ts';
import { missedCase, poolOf } from '../rules/missed-games.ts';
import { normal, type PoolCase, randomCase, seeded } from './random-pool.ts';
import { shapeCase } from './random-shape.ts';

/** The short run has games for everyone of the other crowds, and of small pools with roles. */
const LONGEST = 'a crowd with roles';
/** How long it takes depends on the machine. */
const noTimeout = 0;

/**
 * The engine's games on recorded pools, a line each. A change that only moves or renames code leaves golden/ as it is. A
 * change of behaviour renews it with `npm run test:long -- test/engine/golden.test.ts -u`; its commit has a table of what became
 * better and worse on larger pools: imbalance, matched share, proved share and time, old beside new. The games for everyone of
 * one crowd take most of the time, so the short run compares its recorded lines up to them.
 */
describe('the engine', () => {
  it.each(Object.entries(recordedPools()))(
    'gives the recorded games of %s',
    { timeout: noTimeout },
    async (name, cases) => {
      const parts = cases.map((one, i) => [
        `# ${name} ${i + 1}: ${ruleLine(one)}`,
        ...bestFirst(one),
        ...(one.rules.short || (name === LONGEST && !IS_LONG) ? [] : everyone(one)),
      ]);
      await expectRecorded(name, parts);
    },
  );

  it('gives the recorded games under rules', { timeout: noTimeout }, async () => {
    const parts = [1, 2, 3, 4, 5, 6].map((seed) => {
      const of = missedCase(seed);
      const games = [...poolOf(of).drain(1000)];
      return [`# rules ${seed}: ${JSON.stringify([of.shape, ...of.rules])}`, ...games.map(lineOf)];
    });
    await expectRecorded('rules', parts);
  });
});

/** @param parts the lines of each case, or the first of them in the short run */
async function expectRecorded(name: string, parts: readonly (readonly string[])[]): Promise<void> {
  const file = `golden/${name.replaceAll(' ', '-')}.txt`;
  if (IS_LONG) {
    await expect(`${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`).toMatchFileSnapshot(file);
    return;
  }
  const recorded = readFileSync(join(import.meta.dirname, file), 'utf8')
    .trimEnd()
    .split('\n\n');
  expect(parts).toEqual(recorded.map((part, i) => part.split('\n').slice(0, parts[i]?.length)));
}

function recordedPools(): Record<string, PoolCase[]> {
  const random = seeded(42);
  const small = (plain: boolean, of: (made: PoolCase) => boolean) => {
    const cases: PoolCase[] = [];
    while (cases.length < 4) {
      const made = randomCase(random, { maxPlayers: 22, teamSizes: [1, 2, 3, 5, 8], plain });
      if (of(made)) cases.push(made);
    }
    return cases;
  };
  const hasParty = ({ tickets }: PoolCase) => tickets.some(({ players }) => players.length > 1);
  return {
    'solo players': small(true, () => true),
    parties: small(false, (made) => hasParty(made) && !made.rules.roles),
    roles: small(false, (made) => made.rules.roles !== undefined && !made.forbids),
    'refused pairs': small(false, (made) => made.forbids !== undefined),
    waits: small(false, (made) => made.rules.beta > 0 && !made.forbids),
    shapes: Array.from({ length: 10 }, () => shapeCase(random)),
    'a crowd': [crowd(random, {}), crowd(random, { alpha: 10, beta: 1 })],
    'a crowd with roles': [crowd(random, { roles: { damage: 3, healer: 1, tank: 1 } })],
    'a crowd in three teams': [crowd(random, { teamSize: 5, teams: 3 })],
  };
}

/** 120 tickets, every fifth a party. */
function crowd(random: () => number, rules: Partial<GameRules>): PoolCase {
  const tickets = Array.from({ length: 120 }, (_, i): Ticket => {
    const size = random() < 0.2 ? 1 + Math.floor(5 * random()) : 1;
    return {
      ticketId: `t${i}`,
      enqueuedAtMs: Math.floor(60_000 * random()),
      players: Array.from({ length: size }, (_, p) => ({
        playerId: `t${i}.${p}`,
        skill: Math.max(0, 1500 + 300 * normal(random)),
        ...(rules.roles && { roles: Object.keys(rules.roles).filter(() => random() < 0.6) }),
      })),
    };
  });
  return { rules: { teamSize: 5, alpha: 1, p: 1, q: 2, beta: 0, ...rules }, tickets, nowMs: 60_000 };
}

/** A life of a pool: half of the tickets, a query, the others one by one with queries and removals, then all games. */
function bestFirst({ rules, tickets, forbids, nowMs }: PoolCase): string[] {
  const pool = new GamePool(rules, { nodeBudget: 3000, ...(forbids && { forbids }) });
  const half = tickets.length >> 1;
  for (const ticket of tickets.slice(0, half)) pool.insert(ticket);
  const lines = [`first ${lineOf(pool.best(nowMs))}`];
  tickets.slice(half).forEach((ticket, i) => {
    pool.insert(ticket);
    if (i % 3 === 0) lines.push(`with ${ticket.ticketId} ${lineOf(pool.bestWith(ticket.ticketId, nowMs))}`);
    if (i % 5 === 0) pool.remove(tickets[i].ticketId);
    if (i % 7 === 0) lines.push(`next ${lineOf(pool.best(nowMs))}`);
  });
  for (const game of pool.drain(nowMs)) lines.push(lineOf(game));
  for (const { ticketId } of tickets.slice(0, 3)) lines.push(`${ticketId}: ${pool.explain(ticketId, nowMs)}`);
  return lines;
}

function everyone({ rules, tickets, forbids, nowMs }: PoolCase): string[] {
  return ['everyone:', ...everyoneAtOnce(tickets, rules, nowMs, { ...(forbids && { forbids }) }).map(lineOf)];
}

/** The teams, f with its parts, and the priority with its bound. */
function lineOf(game: Game | undefined): string {
  if (!game) return 'none';
  const { teams, imbalance, teamGap, skillSpread, priority, lowerBound, optimal } = game;
  const seats = teams.map((team) =>
    team.map(({ playerId, role }) => (role ? `${playerId}=${role}` : playerId)),
  );
  const proof = optimal ? 'proved' : `at least ${number(lowerBound)}`;
  const parts = `f ${number(imbalance)} d ${number(teamGap)} v ${number(skillSpread)}`;
  return `${seats.map((team) => team.join(' ')).join(' | ')}: ${parts} g ${number(priority)} ${proof}`;
}

function ruleLine({ rules, tickets }: PoolCase): string {
  const infinite = (_: string, value: unknown) => (value === Number.POSITIVE_INFINITY ? 'inf' : value);
  return `${tickets.length} tickets, ${JSON.stringify(rules, infinite)}`;
}

function number(value: number): string {
  return String(Number(value.toPrecision(10)));
}
