import { GamePool } from '../../lib/engine/game-pool.ts';
import type { GameRules, Ticket } from '../../lib/engine/types.ts';
import type { Meetings } from '../../lib/rules/met.ts';
import { compileRules } from '../../lib/rules/rule-states.ts';
import type { RulesDefinition } from '../../lib/rules/rule-types.ts';
import type { RuledPlayer } from '../../lib/rules/types.ts';
import { quantile } from '../../lib/service/queues/quantile.ts';
import { normal, seeded } from '../engine/random-pool.ts';
import type { BenchRow } from './engine.ts';
import { fillGames } from './engine-backfills.ts';

const game: GameRules = { teamSize: 5, alpha: 1, p: 1, q: 2, beta: 0 };
const nowMs = 1_000_000_000;

/** A ranked queue with eight regions: one region for all, one map that all accept, and levels within ten. */
export const ranked: RulesDefinition = {
  attributes: { level: { type: 'number' }, maps: { type: 'strings' } },
  rules: [
    { name: 'Ping', type: 'latency', max: 80 },
    { name: 'Map', type: 'common', attribute: 'maps' },
    { name: 'Level', type: 'within', attribute: 'level', max: 10 },
  ],
};
const regions = ['ams', 'fra', 'iad', 'lhr', 'nrt', 'ord', 'sin', 'syd'];
const maps = ['docks', 'fort', 'mill', 'yard'];

/**
 * Players of the ranked queue. `permissive`: each reaches six to eight regions and accepts three or four maps, in place of
 * two to four and one to three. `avoids`: how many others each avoids.
 */
export function rankedTickets(n: number, seed: number, permissive: boolean, avoids: number): Ticket[] {
  const random = seeded(seed);
  const upTo = (least: number, most: number) => least + Math.floor((most - least + 1) * random());
  const some = (of: readonly string[], count: number) => {
    const left = [...of];
    return Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)[0]!);
  };
  return Array.from({ length: n }, (_, i): Ticket => {
    const near = new Set(some(regions, permissive ? upTo(6, 8) : upTo(2, 4)));
    const player: RuledPlayer = {
      playerId: `p${i}`,
      skill: Math.max(0, 1500 + 300 * normal(random)),
      attributes: { level: upTo(1, 50), maps: some(maps, permissive ? upTo(3, 4) : upTo(1, 3)) },
      latencyMs: Object.fromEntries(
        regions.map((region) => [region, near.has(region) ? 20 + 60 * random() : 81 + 150 * random()]),
      ),
      ...(avoids > 0 && { avoid: Array.from({ length: avoids }, () => `p${upTo(0, n - 1)}`) }),
    };
    return { ticketId: `t${i}`, enqueuedAtMs: nowMs, players: [player] };
  });
}

/** Each player met `count` others in the last half hour. */
export function recentMeetings(n: number, seed: number, count: number): Meetings {
  const random = seeded(seed);
  const met = Array.from({ length: n }, () => new Map<string, number>());
  for (let i = 0; i < n; i++) {
    for (let m = 0; m < count / 2; m++) {
      const other = Math.floor(random() * n);
      const atMs = nowMs - 1_800_000 * random();
      if (other === i) continue;
      met[i]!.set(`p${other}`, atMs);
      met[other]!.set(`p${i}`, atMs);
    }
  }
  return { of: (playerId) => met[Number(playerId.slice(1))] };
}

export interface RuledDrain {
  readonly matched: number;
  readonly exact: number;
  readonly gapP90: number;
  readonly sink: number;
}

/** Releases the best game until there is none, as a greedy tick does. */
export function drainRuled(
  tickets: readonly Ticket[],
  definition: RulesDefinition,
  meetings?: Meetings,
): RuledDrain {
  const constraints = compileRules(
    definition,
    { nowMs, seats: 10, seatsMin: 10, ...(meetings && { meetings }) },
    true,
  )!();
  const pool = new GamePool(game, { constraints });
  for (const ticket of tickets) pool.insert(ticket);
  const gaps: number[] = [];
  let sink = 0;
  for (const { imbalance, lowerBound } of pool.drain(nowMs)) {
    gaps.push(imbalance === 0 ? 0 : (imbalance - lowerBound) / imbalance);
    sink += imbalance;
  }
  const exact = gaps.filter((gap) => gap === 0).length / Math.max(1, gaps.length);
  return { matched: (10 * gaps.length) / tickets.length, exact, gapP90: quantile(gaps, 0.9) ?? 0, sink };
}

/** The rows of ranked queues with rules. */
export function benchRules(
  n: number,
  seed: number,
  best: (run: () => void) => number,
  report: (row: BenchRow) => void,
): void {
  const recent = {
    ...ranked,
    rules: [...ranked.rules!, { name: 'Rematch', type: 'recent', seconds: 3600 } as const],
  };
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
  const row = (work: string, aim: string, run: () => RuledDrain) => {
    let result: RuledDrain | undefined;
    const ms = best(() => {
      result = run();
    });
    const { matched, exact, gapP90, sink } = result!;
    const reached = `${(ms / 1000).toFixed(2)} s, ${percent(matched)} matched, ${percent(exact)} exact, gap p90 ${percent(gapP90)}`;
    report({ work, aim, reached, players: n, sink });
  };
  const many = n.toLocaleString('en-US');
  const aim = '< 0.6 s, ≥ 99% exact';
  for (const permissive of [false, true]) {
    const tickets = rankedTickets(n, seed, permissive, 0);
    const reach = permissive ? '6 to 8' : '2 to 4';
    row(
      `tick of ${many} players, 5v5, 8 regions (each reaches ${reach}), a common map, levels within 10 of 50`,
      aim,
      () => drainRuled(tickets, ranked),
    );
  }
  const pairs = Math.min(20, Math.round(n / 100));
  const avoiding = rankedTickets(n, seed, false, pairs);
  const meetings = recentMeetings(n, seed, pairs);
  row(
    `the same (2 to 4 regions) with ${pairs} avoided and ${pairs} recent players each`,
    '+ 60% at most',
    () => drainRuled(avoiding, recent, meetings),
  );
}

/** How time grows with the number of waiting players: one run of each row, without a target. */
function benchGrowth(seed: number): void {
  for (const n of [1e3, 1e4, 1e5]) {
    const many = n.toLocaleString('en-US');
    for (const permissive of [false, true]) {
      const tickets = rankedTickets(n, seed, permissive, 0);
      const from = process.threadCpuUsage();
      const { matched, exact } = drainRuled(tickets, ranked);
      const { user, system } = process.threadCpuUsage(from);
      const reach = permissive ? '6 to 8' : '2 to 4';
      console.log(
        `${many} players, each reaches ${reach} regions | ${((user + system) / 1e6).toFixed(2)} s, ${(100 * matched).toFixed(1)}% matched, ${(100 * exact).toFixed(1)}% exact`,
      );
    }
    const { milliseconds, filled, proved } = fillGames(n, 200, true, seed);
    console.log(
      `${many} players, 1 to 3 seats of 200 running games, with rules | ${milliseconds.toFixed(0)} ms, ${filled} filled, ${proved} exact`,
    );
  }
}

/** `node test/bench/engine-rules.ts [players] [seed]`, or `node test/bench/engine-rules.ts growth [seed]` */
if (import.meta.main && process.argv[2] === 'growth') benchGrowth(Number(process.argv[3] ?? 1));
else if (import.meta.main) {
  const best = (run: () => void) => {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 3; i++) {
      const from = process.threadCpuUsage();
      run();
      const { user, system } = process.threadCpuUsage(from);
      least = Math.min(least, (user + system) / 1000);
    }
    return least;
  };
  benchRules(
    Number(process.argv[2] ?? 10_000),
    Number(process.argv[3] ?? 1),
    best,
    ({ work, aim, reached }) => console.log(`${work} | ${aim} | ${reached}`),
  );
}
