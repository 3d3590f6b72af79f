import { GamePool, shapeOf } from '../../lib/engine/game-pool.ts';
import type { Game, Ticket } from '../../lib/engine/types.ts';
import { compileRules } from '../../lib/rules/compile-rules.ts';
import { ruleFaults } from '../../lib/rules/faults.ts';
import type { Meetings } from '../../lib/rules/met.ts';
import { seeded } from '../engine/random-pool.ts';
import { allShapedGames, type CostOf, checkShapedGame, type Placed } from '../engine/shape-oracle.ts';
import {
  allGames,
  checkRuledGame,
  checkRuling,
  near,
  type OracleGame,
  type RuledCase,
  rulesCost,
} from './oracle.ts';
import { randomRuledCase, randomShapedRuledCase } from './random-rules.ts';

/** The meetings of a case in the form that rules read. */
export function meetingsOf({ tickets, met }: RuledCase): Meetings {
  const ids = tickets.flatMap(({ players }) => players.map(({ playerId }) => playerId));
  return {
    of(playerId) {
      const own = new Map<string, number>();
      for (const other of ids) {
        const at = met(playerId, other);
        if (at !== undefined) own.set(other, at);
      }
      return own;
    },
  };
}

export function poolOf(of: RuledCase, facetsFrom: number, nodeBudget?: number): GamePool {
  const { rules, definition, nowMs, tickets } = of;
  const seats = shapeOf(rules).seats;
  const moment = { nowMs, seats, kinds: of.kinds, meetings: meetingsOf(of), facetsFrom };
  const constraints = compileRules(definition, moment, true)!();
  const pool = new GamePool(rules, { constraints, ...(nodeBudget && { nodeBudget }) });
  for (const ticket of tickets) pool.insert(ticket);
  return pool;
}

/** Compares a random pool of two equal teams with brute force. Returns the number of comparisons. */
export function compareCase(seed: number): number {
  const random = seeded(seed);
  const of = randomRuledCase(random);
  const nodeBudget = random() < 0.2 ? 1 + Math.floor(100 * random()) : undefined;
  return compare(seed, of, random() < 0.5 ? 1 : 64, nodeBudget, {
    allGames: (tickets) => allGames({ ...of, tickets }),
    check: (game, tickets) => checkRuledGame(game, { ...of, tickets }),
  });
}

/** Compares a random pool for games of any shape with brute force. Returns the number of comparisons. */
export function compareShapedCase(seed: number): number {
  const random = seeded(seed);
  const { nodeBudget, ...of } = randomShapedRuledCase(random);
  return compare(seed, of, random() < 0.5 ? 1 : 64, nodeBudget, shapedOracle(of));
}

/** The brute force for games of any shape under the rules of a case. */
export function shapedOracle(of: RuledCase): Oracle {
  const { rules, nowMs } = of;
  const costOf: CostOf = (teams) => {
    const members = [...new Set(teams.flatMap((team) => team.map(({ ticket }) => ticket)))];
    const partsOf = (team: readonly Placed[]) =>
      [...new Set(team.map(({ ticket }) => ticket))].map((ticket) => ({
        ...ticket,
        players: team.filter((one) => one.ticket === ticket).map(({ player }) => player),
      }));
    return rulesCost(of, teams.map(partsOf), members);
  };
  return {
    allGames: (tickets) => allShapedGames(tickets, rules, nowMs, undefined, costOf),
    check: (game, tickets) => {
      let cost: number | undefined;
      checkShapedGame(game, tickets, rules, nowMs, undefined, (teams) => {
        cost = costOf(teams);
        return cost;
      });
      checkRuling(game, { ...of, tickets }, cost!);
    },
  };
}

interface Oracle {
  allGames(tickets: readonly Ticket[]): OracleGame[];
  check(game: Game, tickets: readonly Ticket[]): void;
}

function compare(
  seed: number,
  of: RuledCase,
  facetsFrom: number,
  nodeBudget: number | undefined,
  oracle: Oracle,
): number {
  const { rules } = of;
  const faults = ruleFaults(of.definition, { seats: shapeOf(rules).seats, teamKinds: of.kinds });
  if (faults.length > 0) throw new Error(`seed ${seed}: ${JSON.stringify(faults)}`);
  const pool = poolOf(of, facetsFrom, nodeBudget);
  const must = (holds: boolean, what: string) => {
    if (!holds) throw new Error(`seed ${seed}: ${what} ${JSON.stringify({ ...of, nodeBudget })}`);
  };
  // Skills that differ only in their last bits round to costs that do.
  const top = of.tickets
    .flatMap(({ players }) => players)
    .reduce((most, { skill }) => Math.max(most, skill), 0);
  const unit = 1e-13 * top * (1 + rules.alpha);
  const same = (a: number, b: number) => near(a, b) || Math.abs(a - b) <= unit;
  const atMost = (a: number, b: number) => a <= b || same(a, b);
  let comparisons = 0;
  let waiting = of.tickets;
  for (;;) {
    const games = oracle.allGames(waiting);
    const least = games.reduce((best, { priority }) => Math.min(best, priority), Number.POSITIVE_INFINITY);
    // Some tickets may not play short yet: bounds hold for later, too.
    const isExact = nodeBudget === undefined && rules.short === undefined;
    for (const { ticketId } of waiting) {
      const mine = games.filter(({ ticketIds }) => ticketIds.includes(ticketId));
      const own = mine.reduce((best, { imbalance }) => Math.min(best, imbalance), Number.POSITIVE_INFINITY);
      const bound = pool.leastImbalanceWith(ticketId);
      must(atMost(bound, own), `the bound of ${ticketId} is ${bound}, its best game ${own}`);
      if (isExact) must(same(bound, own), `leastImbalanceWith ${ticketId}: ${bound}, not ${own}`);
      const game = pool.bestWith(ticketId, of.nowMs);
      must((game === undefined) === (mine.length === 0), `bestWith ${ticketId}`);
      if (game) {
        oracle.check(game, waiting);
        must(game.ticketIds.includes(ticketId), 'it is in its own game');
        must(atMost(game.lowerBound, least), 'the bound is valid');
        const best = mine.reduce((one, { priority }) => Math.min(one, priority), Number.POSITIVE_INFINITY);
        if (nodeBudget === undefined)
          must(same(game.priority, best), `bestWith: ${game.priority}, not ${best}`);
      }
      comparisons += 2;
    }
    const game = pool.best(of.nowMs);
    comparisons++;
    must((game === undefined) === (games.length === 0), `there are ${games.length} games`);
    if (!game) break;
    oracle.check(game, waiting);
    must(atMost(game.lowerBound, least), `bound ${game.lowerBound}, best ${least}`);
    if (nodeBudget === undefined)
      must(same(game.priority, least), `priority ${game.priority}, best ${least}`);
    if (game.optimal) must(same(game.priority, least), 'it is not the best');
    for (const ticketId of game.ticketIds) pool.remove(ticketId);
    waiting = waiting.filter(({ ticketId }) => !game.ticketIds.includes(ticketId));
  }
  return comparisons;
}

/** `node test/rules/oracle-run.ts [comparisons] [first seed]`: two equal teams and other shapes in turn. */
if (process.argv[1]?.endsWith('oracle-run.ts')) {
  const wanted = Number(process.argv[2] ?? 100_000);
  let seed = Number(process.argv[3] ?? 1);
  let done = 0;
  for (; done < wanted; seed++) done += compareCase(seed) + compareShapedCase(seed);
  console.log(`${done} comparisons without a mismatch, up to seed ${seed}`);
}
