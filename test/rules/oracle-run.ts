import { GamePool, shapeOf } from '../../lib/engine/game-pool.ts';
import { SearchClock } from '../../lib/engine/model/search-clock.ts';
import { RuledLargeQueue } from '../../lib/engine/queue/ruled-large-queue.ts';
import { layoutOf } from '../../lib/engine/shapes/layout.ts';
import { makeShapedGame, membersOf, type ShapedGame } from '../../lib/engine/shapes/shape-game.ts';
import { poolShapeTicket, type ShapeTicket } from '../../lib/engine/shapes/shape-ticket.ts';
import type { Constraints, Ticket } from '../../lib/engine/types.ts';
import { useCode } from '../../lib/rules/custom/code.ts';
import { ruleFaults } from '../../lib/rules/faults.ts';
import type { Meetings } from '../../lib/rules/met.ts';
import { compileRules } from '../../lib/rules/rule-states.ts';
import type { RuledPlayer } from '../../lib/rules/types.ts';
import { seeded } from '../engine/random-pool.ts';
import { studio } from './by-type/custom.ts';
import { near, oracleOf, type RuledCase } from './oracle.ts';
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

export function constraintsOf(of: RuledCase, facetsFrom: number): Constraints {
  useCode(studio);
  const { seats, seatsMin, teamSizes } = shapeOf(of.rules);
  const teams = facetsFrom === 1 ? teamSizes.length : undefined;
  const teamSize = facetsFrom === 1 ? Math.max(...teamSizes) : undefined;
  const { nowMs, kinds } = of;
  const meetings = meetingsOf(of);
  const moment = { nowMs, seats, seatsMin, teams, teamSize, kinds, meetings, facetsFrom };
  return compileRules(of.definition, moment, true)!();
}

export function poolOf(
  of: RuledCase,
  facetsFrom: number,
  nodeBudget?: number,
  outOfTime?: () => boolean,
): GamePool {
  const { rules, tickets } = of;
  const constraints = constraintsOf(of, facetsFrom);
  const pool = new GamePool(rules, { constraints, outOfTime, ...(nodeBudget && { nodeBudget }) });
  for (const ticket of tickets) pool.insert(ticket);
  return pool;
}

/** The case with bots instead of some of its solo players, in a third of the cases; fewer than a game of bots alone has. */
function withBots(of: RuledCase, seed: number): RuledCase {
  const random = seeded(seed);
  const share = random() < 1 / 3 ? 0.3 : 0;
  let most = shapeOf(of.rules).seatsMin - 1;
  const tickets = of.tickets.map((ticket): Ticket => {
    const { playerId, skill } = ticket.players[0]!;
    const isBot = ticket.players.length === 1 && random() < share && most-- > 0;
    return isBot ? { ...ticket, players: [{ playerId, skill, bot: true } as RuledPlayer] } : ticket;
  });
  return { ...of, tickets };
}

/** Compares a random pool of two equal teams with brute force. Returns the number of comparisons. */
export function compareCase(seed: number, more = false, customs = 0): number {
  const random = seeded(seed);
  const drawn = randomRuledCase(random, { more, customs });
  const of = more ? withBots(drawn, seed) : drawn;
  const nodeBudget = random() < 0.2 ? 1 + Math.floor(100 * random()) : undefined;
  return compare(seed, of, random() < 0.5 ? 1 : 64, nodeBudget);
}

/**
 * Compares a random pool for games of any shape with brute force. Returns the number of comparisons.
 *
 * @param without a ticket that is left out, because a smaller pool takes brute force less time
 */
export function compareShapedCase(seed: number, more = false, customs = 0, without?: string): number {
  const random = seeded(seed);
  const { nodeBudget, ...drawn } = randomShapedRuledCase(random, more, customs);
  const { tickets, ...rest } = more ? withBots(drawn, seed) : drawn;
  const of = { ...rest, tickets: tickets.filter(({ ticketId }) => ticketId !== without) };
  return compare(seed, of, random() < 0.5 ? 1 : 64, nodeBudget);
}

/**
 * Compares the queue for games of more than 16 seats with brute force. Such games are too large for it, so the queue
 * searches small ones. Returns how many games it found, and how often it found none although there was one.
 */
export function compareLargeCase(
  seed: number,
  customs = 0,
): { comparisons: number; found: number; missed: number } {
  const random = seeded(seed);
  const { nodeBudget: _, ...of } = randomShapedRuledCase(random, false, customs);
  const rules = { ...of.rules, short: undefined };
  const oracle = oracleOf({ ...of, rules });
  const layout = layoutOf(rules);
  const seats = layout.seats;
  const moment = {
    nowMs: of.nowMs,
    seats,
    seatsMin: seats,
    teams: layout.teams,
    kinds: of.kinds,
    meetings: meetingsOf(of),
    facetsFrom: 1,
  };
  useCode(studio);
  const constraints = compileRules(of.definition, moment, true)!();
  const queue = new RuledLargeQueue(rules, layout, undefined, constraints, new SearchClock());
  const waiting = new Map<string, ShapeTicket>();
  for (const ticket of of.tickets) {
    const pooled = poolShapeTicket(ticket, layout);
    if (pooled.kinds.includes(0)) continue;
    waiting.set(ticket.ticketId, pooled);
    queue.insert(pooled);
  }
  const must = (holds: boolean, what: string) => {
    if (!holds) throw new Error(`seed ${seed}: ${what} ${JSON.stringify(of)}`);
  };
  const numberOf = ({ ticket }: ShapeTicket) => constraints.enter(ticket);
  const made = ({ members, teams }: ShapedGame, bound: number) => {
    const ruling = constraints.judge(membersOf(members, members.map(numberOf), teams, layout.teams));
    must(ruling !== undefined, 'a game is not permitted');
    return makeShapedGame({ members, teams }, rules, layout, of.nowMs, bound, ruling);
  };
  let comparisons = 0;
  let found = 0;
  for (;;) {
    const left = [...waiting.values()].map(({ ticket }) => ticket);
    const games = oracle.allGames(left);
    const best = games.reduce((least, { priority }) => Math.min(least, priority), Number.POSITIVE_INFINITY);
    const error = 1e-9 * Math.abs(best) + 1e-6;
    for (const one of [...waiting.values()].slice(0, 2)) {
      const { game: own, cost } = queue.bestWith(one);
      comparisons += 2;
      if (!own) continue;
      must(own.members.includes(one), 'a ticket is not in its own game');
      const shift = (rules.beta * (of.nowMs - queue.epochMs)) / 1000;
      const game = made(own, Number.NEGATIVE_INFINITY);
      oracle.check(game, left);
      must(near(game.priority, cost - shift), 'the cost is wrong');
    }
    const { game, costBound, cost } = queue.best();
    const shift = (rules.beta * (of.nowMs - queue.epochMs)) / 1000;
    comparisons++;
    must(costBound - shift <= best + error, `the best is ${best}, the bound ${costBound - shift}`);
    if (!game) return { comparisons, found, missed: Number(games.length > 0) };
    found++;
    const whole = made(game, costBound - shift);
    oracle.check(whole, left);
    must(near(whole.priority, cost - shift), 'the cost is wrong');
    for (const member of game.members) {
      queue.remove(member);
      waiting.delete(member.ticket.ticketId);
    }
  }
}

function compare(seed: number, of: RuledCase, facetsFrom: number, nodeBudget: number | undefined): number {
  const { rules } = of;
  const oracle = oracleOf(of);
  // A definition may not have a rule without effect, nor one that no game meets. The search has to agree.
  const faults = ruleFaults(of.definition, { seats: shapeOf(rules).seats, teamKinds: of.kinds }).filter(
    ({ message }) =>
      !/^Expected a rule that may forbid a match or cost something|no game meets the rule$/.test(message),
  );
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
    for (const { ticketId } of waiting) {
      const mine = games.filter(({ ticketIds }) => ticketIds.includes(ticketId));
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

/** `node test/rules/oracle-run.ts [comparisons] [first seed]`: two equal teams, other shapes and games of many seats in turn. */
if (import.meta.main) {
  const wanted = Number(process.argv[2] ?? 100_000);
  let seed = Number(process.argv[3] ?? 1);
  let done = 0;
  for (; done < wanted; seed++) done += compareCase(seed) + compareCase(seed, true);
  done += compareShapedCase(seed) + compareShapedCase(seed, true);
  done += compareLargeCase(seed).comparisons;
  console.log(`${done} comparisons without a mismatch, up to seed ${seed}`);
}
