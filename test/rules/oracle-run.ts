import { GamePool, shapeOf } from '../../lib/engine/game-pool.ts';
import { compileRules } from '../../lib/rules/compile-rules.ts';
import { ruleFaults } from '../../lib/rules/faults.ts';
import type { Meetings } from '../../lib/rules/met.ts';
import { seeded } from '../engine/random-pool.ts';
import { allGames, checkRuledGame, near, type RuledCase } from './oracle.ts';
import { randomRuledCase } from './random-rules.ts';

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
  const moment = { nowMs, seats, meetings: meetingsOf(of), facetsFrom };
  const constraints = compileRules(definition, moment, true)!();
  const pool = new GamePool(rules, { constraints, ...(nodeBudget && { nodeBudget }) });
  for (const ticket of tickets) pool.insert(ticket);
  return pool;
}

/** Compares a random pool with brute force. Returns the number of comparisons. */
export function compareCase(seed: number): number {
  const random = seeded(seed);
  const of = randomRuledCase(random);
  const faults = ruleFaults(of.definition, { seats: 2 * of.rules.teamSize });
  if (faults.length > 0) throw new Error(`seed ${seed}: ${JSON.stringify(faults)}`);
  const nodeBudget = random() < 0.2 ? 1 + Math.floor(100 * random()) : undefined;
  const pool = poolOf(of, random() < 0.5 ? 1 : 64, nodeBudget);
  const must = (holds: boolean, what: string) => {
    if (!holds) throw new Error(`seed ${seed}: ${what} ${JSON.stringify(of)}`);
  };
  let comparisons = 0;
  let waiting = of.tickets;
  for (;;) {
    const games = allGames({ ...of, tickets: waiting });
    const least = games.reduce((best, { priority }) => Math.min(best, priority), Number.POSITIVE_INFINITY);
    for (const { ticketId } of waiting) {
      const mine = games.filter(({ ticketIds }) => ticketIds.includes(ticketId));
      const own = mine.reduce((best, { imbalance }) => Math.min(best, imbalance), Number.POSITIVE_INFINITY);
      const bound = pool.leastImbalanceWith(ticketId);
      must(bound <= own || near(bound, own), `the bound of ${ticketId} is ${bound}, its best game ${own}`);
      if (nodeBudget === undefined)
        must(near(bound, own), `leastImbalanceWith ${ticketId}: ${bound}, not ${own}`);
      const game = pool.bestWith(ticketId, of.nowMs);
      must((game === undefined) === (mine.length === 0), `bestWith ${ticketId}`);
      if (game) {
        checkRuledGame(game, { ...of, tickets: waiting });
        must(game.ticketIds.includes(ticketId), 'it is in its own game');
        must(game.lowerBound <= least || near(game.lowerBound, least), 'the bound is valid');
        const best = mine.reduce((one, { priority }) => Math.min(one, priority), Number.POSITIVE_INFINITY);
        if (nodeBudget === undefined)
          must(near(game.priority, best), `bestWith: ${game.priority}, not ${best}`);
      }
      comparisons += 2;
    }
    const game = pool.best(of.nowMs);
    comparisons++;
    must((game === undefined) === (games.length === 0), `there are ${games.length} games`);
    if (!game) break;
    checkRuledGame(game, { ...of, tickets: waiting });
    must(game.lowerBound <= least || near(game.lowerBound, least), `bound ${game.lowerBound}, best ${least}`);
    if (nodeBudget === undefined)
      must(near(game.priority, least), `priority ${game.priority}, best ${least}`);
    if (game.optimal) must(near(game.priority, least), 'it is not the best');
    for (const ticketId of game.ticketIds) pool.remove(ticketId);
    waiting = waiting.filter(({ ticketId }) => !game.ticketIds.includes(ticketId));
  }
  return comparisons;
}

/** `node test/rules/oracle-run.ts [comparisons] [first seed]` */
if (process.argv[1]?.endsWith('oracle-run.ts')) {
  const wanted = Number(process.argv[2] ?? 100_000);
  let seed = Number(process.argv[3] ?? 1);
  let done = 0;
  for (; done < wanted; seed++) done += compareCase(seed);
  console.log(`${done} comparisons without a mismatch, up to seed ${seed}`);
}
