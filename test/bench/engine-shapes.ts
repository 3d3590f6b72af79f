import { GamePool } from '../../lib/engine/game-pool.ts';
import type { Game, GameRules, Ticket } from '../../lib/engine/types.ts';
import { quantile } from '../../lib/service/queues/quantile.ts';
import { normal, seeded } from '../engine/random-pool.ts';
import type { BenchRow } from './engine.ts';

const plain: Omit<GameRules, 'teamSize'> = { alpha: 1, p: 1, q: 2, beta: 0 };
const nowMs = 1_000_000_000;

const kinds = [
  { name: 'hunter', size: 1 },
  { name: 'hunted', size: 4 },
];

/** The shapes of the benchmark: their teams, the weights of parties of sizes 1, 2, …, and the target. */
const shapes: [string, Pick<GameRules, 'teamSize' | 'teams'>, readonly number[], string][] = [
  ['3 teams of 4', { teamSize: 4, teams: 3 }, [1], '< 400 ms, ≥ 98% exact'],
  ['3 teams of 4, parties', { teamSize: 4, teams: 3 }, [55, 25, 10, 10], '< 600 ms, gap p90 ≤ 5%'],
  ['1 against 4, 12% hunters', { teamSize: 4, teams: kinds }, [1], '< 400 ms, gap p90 ≤ 1%'],
  ['6 teams of 2', { teamSize: 2, teams: 6 }, [1], ''],
  ['20 squads of 3', { teamSize: 3, teams: 20 }, [1], ''],
  ['20 squads of 3, parties', { teamSize: 3, teams: 20 }, [60, 25, 15], ''],
  ['2 teams of 50', { teamSize: 50, teams: 2 }, [1], '< 60 ms, gap p90 ≤ 1%'],
  ['4 teams of 50', { teamSize: 50, teams: 4 }, [1], '< 60 ms, gap p90 ≤ 1%'],
  ['2 teams of 50, parties', { teamSize: 50, teams: 2 }, [55, 25, 10, 5, 5], 'gap p90 ≤ 5%'],
  ['4 teams of 50, parties', { teamSize: 50, teams: 4 }, [55, 25, 10, 5, 5], 'gap p90 ≤ 5%'],
  ['100 on their own', { teamSize: 1, teams: 100 }, [1], ''],
];

/**
 * One tick of the policy `greedy` with about n waiting players for each shape of game.
 *
 * @param only measures the shapes whose names contain this. @default all
 */
export function benchShapes(
  n: number,
  seed: number,
  best: (run: () => void) => number,
  report: (row: BenchRow) => void,
  only = '',
): void {
  for (const [name, shape, weights, aim] of shapes) {
    if (!name.includes(only)) continue;
    const tickets = partiesOf(seeded(seed), n, weights, Array.isArray(shape.teams));
    const players = tickets.reduce((sum, ticket) => sum + ticket.players.length, 0);
    let games: Game[] = [];
    const ms = best(() => {
      const pool = new GamePool({ ...plain, ...shape }, { packs: true });
      for (const ticket of tickets) pool.insert(ticket);
      games = [...pool.drain(nowMs)];
    });
    const gaps = games.map((game) => (game.priority - game.lowerBound) / Math.max(game.imbalance, 1e-9));
    gaps.sort((a, b) => a - b);
    const matched = games.reduce((sum, { teams }) => sum + teams.flat().length, 0);
    const total = games.reduce((sum, { imbalance }) => sum + imbalance, 0);
    report({
      players,
      work: `${name}, ${n.toLocaleString('en-US')} players, one tick, greedy`,
      aim,
      reached: `${ms.toFixed(0)} ms, ${percent(matched / players)} matched, mean imbalance ${(total / Math.max(1, games.length)).toFixed(2)}, ${percent(games.filter(({ optimal }) => optimal).length / games.length)} exact, gap p50 ${percent(quantile(gaps, 0.5) ?? 0)}, p90 ${percent(quantile(gaps, 0.9) ?? 0)}`,
      sink: total,
    });
  }
}

/** About n players in parties of sizes 1, 2, … with these weights, the members of a party some 80 apart. */
function partiesOf(
  random: () => number,
  n: number,
  weights: readonly number[],
  choosesSide: boolean,
): Ticket[] {
  const total = weights.reduce((a, b) => a + b);
  const tickets: Ticket[] = [];
  for (let players = 0; players < n; ) {
    let size = 1;
    for (let left = random() * total - weights[0]; left >= 0 && size < weights.length; size++)
      left -= weights[size];
    const level = 1500 + Math.sqrt(300 ** 2 - 80 ** 2) * normal(random);
    const ticketId = `t${tickets.length}`;
    const teams = choosesSide ? { teams: [random() < 0.12 ? 'hunter' : 'hunted'] } : {};
    tickets.push({
      ticketId,
      enqueuedAtMs: nowMs,
      players: Array.from({ length: size }, (_, i) => ({
        playerId: `${ticketId}.${i}`,
        skill: Math.max(0, level + 80 * normal(random)),
        ...teams,
      })),
    });
    players += size;
  }
  return tickets;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

/**
 * `node test/bench/engine-shapes.ts [shapes] [players] [seed]`: only these rows, for shapes whose names contain the text.
 * Several numbers of players, with commas between them, show how the time grows.
 */
if (import.meta.main) {
  const [only = '', players = '10000', seed = '1'] = process.argv.slice(2);
  for (const n of players.split(',').map(Number)) {
    const best = (run: () => void) => {
      let least = Number.POSITIVE_INFINITY;
      for (let i = 0; i < (n > 20_000 ? 1 : 3); i++) {
        const from = process.threadCpuUsage();
        run();
        const { user, system } = process.threadCpuUsage(from);
        least = Math.min(least, (user + system) / 1000);
      }
      return least;
    };
    const report = ({ work, aim, reached }: BenchRow) => console.log(`| ${work} | ${aim} | ${reached} |`);
    benchShapes(n, Number(seed), best, report, only);
  }
}
