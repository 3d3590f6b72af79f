import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BackfillPool, GamePool, type GamePoolOptions } from '../../lib/engine/game-pool.ts';
import type { Game, GameRules, Player, Ticket } from '../../lib/engine/types.ts';
import { sample } from '../long.ts';
import { oracleOf } from '../rules/oracle.ts';
import { constraintsOf, poolOf } from '../rules/oracle-run.ts';
import { randomRuledCase, randomShapedRuledCase } from '../rules/random-rules.ts';
import { allFillings } from './backfill-oracle.ts';
import { allGames, checkGame, type OracleGame, scale } from './oracle.ts';
import { backfillCase } from './random-backfill.ts';
import { normal, type PoolCase, randomCase, seeded } from './random-pool.ts';
import { shapeCase } from './random-shape.ts';
import { VirtualClock } from './virtual-clock.ts';

const clock = new VirtualClock();
const { outOfTime } = clock;
let end = () => {};
afterEach(() => end());

/** A small pool with the brute force that knows all of its games. */
interface Known {
  readonly tickets: readonly Ticket[];
  readonly rules: GameRules;
  readonly nowMs: number;
  readonly pool: GamePool;
  gamesOf(waiting: readonly Ticket[]): readonly OracleGame[];
  check(game: Game, waiting: readonly Ticket[]): void;
}

function known(of: PoolCase, options: GamePoolOptions = {}): Known {
  const { rules, tickets, nowMs, forbids } = of;
  const pool = new GamePool(rules, { outOfTime, ...(forbids && { forbids }), ...options });
  for (const ticket of tickets) pool.insert(ticket);
  return {
    tickets,
    rules,
    nowMs,
    pool,
    gamesOf: (waiting) => allGames(waiting, rules, nowMs, forbids),
    check: (game, waiting) => checkGame(game, waiting, rules, nowMs, forbids),
  };
}

const small = { maxPlayers: 9, teamSizes: [1, 2, 3] };
const hasParties = ({ tickets }: PoolCase) => tickets.some(({ players }) => players.length > 1);

/** The first random pool of a kind. */
function caseOf(make: () => PoolCase, is: (made: PoolCase) => boolean): PoolCase {
  for (;;) {
    const made = make();
    if (is(made)) return made;
  }
}

const kinds: Record<string, (random: () => number) => Known> = {
  'solo players': (random) => known(randomCase(random, { ...small, plain: true })),
  parties: (random) =>
    known(
      caseOf(
        () => randomCase(random, small),
        (made) => hasParties(made) && !made.rules.roles,
      ),
    ),
  roles: (random) =>
    known(
      caseOf(
        () => randomCase(random, small),
        ({ rules }) => rules.roles !== undefined,
      ),
    ),
  'refused pairs': (random) =>
    known(
      caseOf(
        () => randomCase(random, small),
        ({ forbids }) => forbids !== undefined,
      ),
    ),
  waits: (random) =>
    known(
      caseOf(
        () => randomCase(random, small),
        ({ rules }) => rules.beta > 0,
      ),
    ),
  'teams of any shape': (random) => known({ ...shapeCase(random) }),
  rules: (random) => {
    const of = randomRuledCase(random);
    const { allGames: gamesOf, check } = oracleOf(of);
    return { ...of, pool: poolOf(of, 1, undefined, outOfTime), gamesOf, check };
  },
  'rules for teams of any shape': (random) => {
    const { nodeBudget: _, ...of } = randomShapedRuledCase(random);
    const { allGames: gamesOf, check } = oracleOf(of);
    return { ...of, pool: poolOf(of, 1, undefined, outOfTime), gamesOf, check };
  },
};

describe('a query whose time ends after any number of steps', () => {
  beforeEach(() => {
    end = clock.install(true);
  });

  it.each(Object.entries(kinds))(
    'of %s returns a valid game and bound, and the next one is exact',
    (_, make) => {
      const random = seeded(31);
      let cut = 0;
      for (let round = 0; round < sample(50, 150); round++) {
        const { pool, tickets, rules, nowMs, gamesOf, check } = make(random);
        let waiting = tickets;
        for (;;) {
          const games = gamesOf(waiting);
          const best = games.reduce(
            (least, each) => Math.min(least, each.priority),
            Number.POSITIVE_INFINITY,
          );
          const error = Math.max(1e-9 * Math.abs(best), scale(waiting, rules), 1e-9);
          clock.start(Math.floor(200 * random() ** 3));
          const early = pool.best(nowMs);
          if (clock.after > 0) cut++;
          if (early) {
            check(early, waiting);
            expect(early.lowerBound).toBeLessThanOrEqual(best + error);
          }
          const one = waiting[Math.floor(random() * waiting.length)];
          clock.start(Math.floor(200 * random() ** 3));
          const own = pool.bestWith(one.ticketId, nowMs);
          if (own) {
            check(own, waiting);
            expect(own.ticketIds).toContain(one.ticketId);
            expect(own.lowerBound).toBeLessThanOrEqual(best + error);
          }
          clock.start(Math.floor(200 * random() ** 3));
          const withOne = games.filter(({ ticketIds }) => ticketIds.includes(one.ticketId));
          const reason = pool.obstacle(one.ticketId, nowMs);
          if (reason !== undefined && withOne.length > 0)
            expect(reason).toBe(
              'No match with it was found within the limit of the search. That none is possible is not proved.',
            );
          clock.start(Number.POSITIVE_INFINITY);
          const game = pool.best(nowMs);
          expect(game !== undefined).toBe(games.length > 0);
          if (!game) break;
          check(game, waiting);
          expect(Math.abs(game.priority - best)).toBeLessThanOrEqual(error);
          expect(game.lowerBound).toBeLessThanOrEqual(best + error);
          for (const ticketId of game.ticketIds) pool.remove(ticketId);
          waiting = waiting.filter(({ ticketId }) => !game.ticketIds.includes(ticketId));
          if (waiting.length === 0) break;
        }
      }
      expect(cut).toBeGreaterThan(sample(8, 25));
    },
    60_000,
  );

  it('of packed parties leaves the bound as it is', () => {
    const random = seeded(37);
    for (let round = 0; round < sample(20, 60); round++) {
      const { rules, tickets, nowMs } = caseOf(
        () => randomCase(random, small),
        (made) => hasParties(made) && !made.rules.roles && !made.forbids,
      );
      const pool = new GamePool(rules, { packs: true, outOfTime });
      for (const ticket of tickets) pool.insert(ticket);
      let waiting = tickets;
      for (;;) {
        clock.start(Math.floor(100 * random() ** 2));
        const early = pool.best(nowMs);
        if (early) checkGame(early, waiting, rules, nowMs);
        clock.start(Number.POSITIVE_INFINITY);
        const fresh = new GamePool(rules, { packs: true });
        for (const ticket of waiting) fresh.insert(ticket);
        const sure = fresh.best(nowMs);
        const game = pool.best(nowMs);
        expect(game !== undefined).toBe(sure !== undefined);
        if (!game || !sure) break;
        checkGame(game, waiting, rules, nowMs);
        const error = Math.max(1e-9 * Math.abs(game.priority), scale(waiting, rules));
        expect(game.lowerBound).toBeLessThanOrEqual(game.priority + error);
        for (const ticketId of game.ticketIds) pool.remove(ticketId);
        waiting = waiting.filter(({ ticketId }) => !game.ticketIds.includes(ticketId));
      }
    }
  });

  it('of a backfill returns a possible filling with a valid bound', () => {
    const random = seeded(41);
    let found = 0;
    for (let round = 0; round < sample(50, 150); round++) {
      const example = backfillCase(random);
      const { rules, tickets, games, nowMs, forbids, constraints } = example;
      const pool = new BackfillPool(rules, tickets, games, nowMs, { forbids, constraints, outOfTime });
      for (const running of games) {
        clock.start(Math.floor(100 * random() ** 2));
        const filling = pool.fill(running.backfillId);
        if (!filling) continue;
        found++;
        clock.start(Number.POSITIVE_INFINITY);
        const all = allFillings(running, tickets, example);
        const own = all.find(({ ticketIds }) => ticketIds === filling.ticketIds.join())!;
        const asMany = all.filter(({ newcomers }) => newcomers === own.newcomers);
        const best = Math.min(...asMany.map(({ imbalance }) => imbalance));
        expect(filling.lowerBound).toBeLessThanOrEqual(best + Math.max(1e-9 * best, scale(tickets, rules)));
      }
    }
    expect(found).toBeGreaterThan(sample(10, 30));
  });
});

/** Pools in which searches take long, by what makes them long. */
const hard: Record<
  string,
  {
    readonly rules: Partial<GameRules>;
    readonly options?: GamePoolOptions;
    readonly partyMax?: number;
    readonly roles?: boolean;
    readonly skill?: (random: () => number) => number;
  }
> = {
  'solo players': { rules: { teamSize: 8, p: 2, q: 1 } },
  'solo players of one skill': { rules: { teamSize: 8, q: 1, p: 1000 }, skill: () => 1500 },
  parties: { rules: { teamSize: 8, p: 2, q: 1 }, partyMax: 8 },
  'parties and waits': { rules: { teamSize: 5, beta: 1 }, partyMax: 5 },
  'packed parties': { rules: { teamSize: 8, p: 1000 }, partyMax: 4, options: { packs: true } },
  'roles that nearly nobody takes': {
    rules: { teamSize: 5, roles: { damage: 3, healer: 1, tank: 1 } },
    roles: true,
  },
  'parties with roles': {
    rules: { teamSize: 5, roles: { damage: 3, healer: 1, tank: 1 } },
    roles: true,
    partyMax: 3,
  },
  'roles and waits': {
    rules: { teamSize: 5, beta: 1, roles: { damage: 3, healer: 1, tank: 1 } },
    roles: true,
  },
  'three teams': { rules: { teamSize: 4, teams: 3, p: 2, q: 1 }, partyMax: 4 },
  'eight pairs': { rules: { teamSize: 2, teams: 8 }, partyMax: 2 },
  'packed squads': { rules: { teamSize: 3, teams: 5 }, partyMax: 3, options: { packs: true } },
  'many seats': { rules: { teamSize: 10, teams: 10, p: 2 }, partyMax: 10 },
  'many seats with roles': {
    rules: { teamSize: 20, roles: { damage: 12, healer: 4, tank: 4 } },
    roles: true,
    partyMax: 3,
  },
};

describe('a query of a pool in which searches take long', () => {
  beforeEach(() => {
    end = clock.install(false);
  });

  it.each(Object.entries(hard))('of %s ends within some steps of its time', (_, of) => {
    const rules: GameRules = { teamSize: 5, alpha: 1, p: 1, q: 2, beta: 0, ...of.rules };
    const tickets = hardPool(seeded(47), 300, rules, of);
    for (const steps of [0, 200, 3000]) {
      const pool = new GamePool(rules, { outOfTime, ...of.options });
      for (const ticket of tickets) pool.insert(ticket);
      for (const ask of [
        () => pool.best(60_000),
        () => pool.bestWith('t7', 60_000),
        () => pool.obstacle('t11', 60_000),
      ]) {
        clock.start(steps);
        ask();
        expect(clock.after).toBeLessThan(500);
      }
    }
  });
});

describe('a query whose time is over before its pool is prepared', () => {
  const parties = seeded(5);
  const tickets = Array.from({ length: 400 }, (_, i): Ticket => {
    const skill = 1500 + 300 * parties();
    const players = Array.from({ length: 1 + (i % 2) }, (_, member) => ({
      playerId: `${i}.${member}`,
      skill,
    }));
    return { ticketId: `t${i}`, enqueuedAtMs: 0, players };
  });
  const poolWith = (options: GamePoolOptions) => {
    let asked = 0;
    const rules: GameRules = { teamSize: 5, alpha: 1, p: 1, q: 2, beta: 0 };
    const pool = new GamePool(rules, { ...options, outOfTime: () => ++asked > 1 });
    for (const ticket of tickets) pool.insert(ticket);
    return { pool, enough: () => (asked = Number.NEGATIVE_INFINITY) };
  };

  it('finds a game all the same', () => {
    expect(poolWith({}).pool.best(0)).toBeDefined();
  });

  it('gives up where it may, proves nothing, and goes on when it has time again', () => {
    const { pool, enough } = poolWith({ mayGiveUp: true });
    expect(pool.best(0)).toBeUndefined();
    expect(pool.obstacle('t1', 0)).toContain('That none is possible is not proved.');
    enough();
    expect(pool.best(0)?.ticketIds.length).toBeGreaterThan(4);
  });
});

it('an explanation prepares the constraints once, for all tickets of the pool', () => {
  const of = randomRuledCase(seeded(3));
  let entered = 0;
  let enteredLate = 0;
  let isAsked = false;
  const constraints = constraintsOf(of, 64);
  const enter = constraints.enter.bind(constraints);
  const known = new Set<Ticket>();
  constraints.enter = (ticket) => {
    if (!known.has(ticket)) entered++;
    if (!known.has(ticket) && isAsked) enteredLate++;
    known.add(ticket);
    return enter(ticket);
  };
  const refusal = constraints.refusal.bind(constraints);
  constraints.refusal = (a, b) => {
    isAsked = true;
    return refusal(a, b);
  };
  const pool = new GamePool(of.rules, { constraints });
  for (const ticket of of.tickets) pool.insert(ticket);
  for (const { ticketId } of of.tickets) pool.explain(ticketId, of.nowMs);
  expect(isAsked).toBe(true);
  expect(entered).toBe(of.tickets.length);
  expect(enteredLate).toBe(0);
});

function hardPool(
  random: () => number,
  count: number,
  rules: GameRules,
  of: (typeof hard)[string],
): Ticket[] {
  const { partyMax = 1, skill = () => Math.max(0, 1500 + 300 * normal(random)) } = of;
  const names = Object.keys(rules.roles ?? {});
  return Array.from({ length: count }, (_, i) => ({
    ticketId: `t${i}`,
    enqueuedAtMs: Math.floor(60_000 * random()),
    players: Array.from({ length: 1 + Math.floor(partyMax * random()) }, (_, j): Player => {
      const roles = i % 20 < 19 ? names.slice(0, 1) : names;
      return { playerId: `t${i}.${j}`, skill: skill(random), ...(of.roles && { roles }) };
    }),
  }));
}
