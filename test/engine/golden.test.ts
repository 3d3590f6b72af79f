import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { GamePool, partitionTickets } from '../../lib/engine/game-pool.ts';
import type { Game, GameRules, Ticket } from '../../lib/engine/types.ts';
import { normal, type PoolCase, randomCase, seeded } from './random-pool.ts';

/**
 * The engine's output on recorded pools, to the byte. A change that only moves or renames code leaves golden.txt as it
 * is. A change of behaviour renews it with `npx vitest run test/engine/golden.test.ts -u`, and its commit says why.
 */
it('gives the recorded games, to the byte', async () => {
  const lines: string[] = [];
  for (const [name, cases] of Object.entries(recordedPools())) {
    lines.push(line(`${name}, best first`, cases.map(bestFirst)));
    for (const objective of ['worst', 'sum', 'unhappiness'] as const) {
      const partitions = cases.map(({ tickets, rules, nowMs, forbids }) => {
        const result = partitionTickets(tickets, rules, nowMs, { objective, ...(forbids && { forbids }) });
        return [result.games.map(numbersOf), result.objective, result.objectiveLowerBound, result.waiting];
      });
      lines.push(line(`${name}, partition by ${objective}`, partitions));
    }
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('golden.txt');
});

function recordedPools(): Record<string, PoolCase[]> {
  const random = seeded(42);
  const small = (plain: boolean, of: (made: PoolCase) => boolean) => {
    const cases: PoolCase[] = [];
    while (cases.length < 10) {
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
    'a crowd': [crowd(random, {}), crowd(random, { alpha: 10, beta: 1 })],
    'a crowd with roles': [crowd(random, { roles: { damage: 3, healer: 1, tank: 1 } })],
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
function bestFirst({ rules, tickets, forbids, nowMs }: PoolCase): unknown {
  const pool = new GamePool(rules, { nodeBudget: 3000, ...(forbids && { forbids }) });
  const half = tickets.length >> 1;
  for (const ticket of tickets.slice(0, half)) pool.insert(ticket);
  const answers: unknown[] = [numbersOf(pool.best(nowMs))];
  tickets.slice(half).forEach((ticket, i) => {
    pool.insert(ticket);
    if (i % 3 === 0) answers.push(numbersOf(pool.bestWith(ticket.ticketId, nowMs)));
    if (i % 5 === 0) pool.remove(tickets[i].ticketId);
    if (i % 7 === 0) answers.push(numbersOf(pool.best(nowMs)));
  });
  for (const game of pool.drain(nowMs)) answers.push(numbersOf(game));
  for (const { ticketId } of tickets.slice(0, 5)) answers.push(pool.explain(ticketId, nowMs));
  return answers;
}

function numbersOf(game: Game | undefined): unknown {
  if (!game) return null;
  const { teams, imbalance, teamGap, skillSpread, priority, lowerBound } = game;
  const seats = teams.map((team) => team.map(({ playerId, role }) => [playerId, role]));
  return [seats, imbalance, teamGap, skillSpread, priority, lowerBound];
}

function line(name: string, output: unknown): string {
  return `${name}: ${createHash('sha256').update(JSON.stringify(output)).digest('hex').slice(0, 16)}`;
}
