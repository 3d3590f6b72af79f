import { isPaperShape, shapeOf } from '../model/game-shape.ts';
import { priority } from '../model/imbalance.ts';
import { SearchClock } from '../model/search-clock.ts';
import { exactSeatsMax } from '../queue/shape-index.ts';
import { type Layout, layoutOf } from '../shapes/layout.ts';
import type { ShapedGame } from '../shapes/shape-game.ts';
import { ShapeGames } from '../shapes/shape-games.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';
import type { Constraints, Forbids, Game, GameRules } from '../types.ts';
import {
  foundGame,
  gamesBestFirst,
  gamesInOrder,
  hardestFirst,
  hasMix,
  leftOut,
  type PartitionGame,
  scarcestFirst,
  ticketsById,
} from './game-by-game.ts';
import { exchangeBetweenGames, type Penalty } from './game-exchanges.ts';
import { partitionBounds } from './partition-bounds.ts';
import { canPack, packParties } from './party-packing.ts';
import { type PartitionObjective, partitionSolos } from './solo-partition.ts';
import type { NewPool, TicketPool } from './ticket-pool.ts';
import { nodesPerTicket, startsWith, TicketUnhappiness } from './unhappiness.ts';

/** A partition of everyone into games. */
export interface TicketPartition {
  /** In ascending order of skill. Each game's `lowerBound` holds for every game of these tickets. */
  readonly games: readonly Game[];
  /** In the pool's order. */
  readonly waiting: readonly { readonly ticketId: string; readonly reason: string }[];
  /** The objective reached. */
  readonly objective: number;
  /** No partition into as many games has a lower objective. */
  readonly objectiveLowerBound: number;
}

/** What a partition minimises, and how much work it may take. */
export interface TicketPartitionOptions {
  /** @default 'worst' */
  readonly objective?: PartitionObjective;
  /** Games that exchanges may try out; by unhappiness, for each of a few starts. @default 20,000; solo players by unhappiness 200,000 */
  readonly swapBudget?: number;
  /** Pairs of tickets that may not be in one game. @default no pair is refused */
  readonly forbids?: Forbids;
  /** Makes what games have to fulfil besides their shape, for each pool that is searched. @default nothing */
  readonly constraintsOf?: () => Constraints;
  /**
   * Nodes that one search may visit, where games are searched one by one.
   * @default 1000; for the best game of each ticket, by unhappiness, up to 20,000 in small pools
   */
  readonly nodeBudget?: number;
  /** false: the reasons are empty strings and cost nothing. @default true */
  readonly reasons?: boolean;
  /**
   * Asked before and during searches. When it returns true, the remaining tickets stay without a game.
   * @default never out of time
   */
  readonly outOfTime?: () => boolean;
}

/**
 * `partitionTickets` of game-pool.ts, with the pools that it searches made by `newPool`.
 *
 * Solo players in two equal teams without roles and refused pairs go to `partitionSolos`. Otherwise `packParties` packs by
 * the sizes of the parties, and the tickets that remain because of roles and refused pairs are matched game by game. Where
 * sizes do not decide, and in small pools, the best game of all is taken repeatedly. Small pools are also partitioned game
 * by game from the start. Of these partitions it keeps the one with the most games, then the one of least value, after exchanges between
 * neighbouring games.
 *
 * @param sorted the tickets in the pool's order
 */
export function partitionWith(
  newPool: NewPool,
  sorted: readonly ShapeTicket[],
  rules: GameRules,
  nowMs: number,
  options: TicketPartitionOptions,
): TicketPartition {
  return new Partition(newPool, sorted, rules, nowMs, options).result();
}

class Partition {
  readonly #newPool: NewPool;
  readonly #sorted: readonly ShapeTicket[];
  readonly #rules: GameRules;
  readonly #nowMs: number;
  readonly #options: TicketPartitionOptions;
  readonly #layout: Layout;
  readonly #clock: SearchClock;
  readonly #outOfTime: () => boolean;
  /** Divides games; undefined where they are too large, may be short or are under constraints. */
  readonly #games: ShapeGames | undefined;
  /** Whether games follow from the sizes of the parties. */
  readonly #packs: boolean;
  /** The tickets that some team takes. */
  readonly #playable: readonly ShapeTicket[];
  readonly #unhappiness: TicketUnhappiness | undefined;
  readonly #penalty: Penalty;
  #kept: { readonly games: readonly PartitionGame[]; readonly value: number } | undefined;
  #poolBound: number | undefined;

  constructor(
    newPool: NewPool,
    sorted: readonly ShapeTicket[],
    rules: GameRules,
    nowMs: number,
    options: TicketPartitionOptions,
  ) {
    const { objective = 'worst', outOfTime = () => false } = options;
    const layout = layoutOf(rules);
    this.#newPool = newPool;
    this.#sorted = sorted;
    this.#rules = rules;
    this.#nowMs = nowMs;
    this.#options = options;
    this.#layout = layout;
    this.#outOfTime = outOfTime;
    this.#clock = new SearchClock(outOfTime);
    const isDivided = layout.seats <= exactSeatsMax && !rules.short && !options.constraintsOf;
    const games = isDivided ? new ShapeGames(rules, layout, this.#clock) : undefined;
    this.#games = games;
    this.#packs = games !== undefined && canPack(layout) && !sorted.some(({ isSplit }) => isSplit);
    this.#playable = games ? sorted.filter((ticket) => games.mayPlay(ticket)) : sorted;
    this.#unhappiness = objective === 'unhappiness' && !this.#isPlain ? this.#unhappinessOfAll() : undefined;
    this.#penalty = this.#unhappiness?.penalty ?? {
      ofGame: (_, imbalance) => imbalance,
      imbalanceOf: (_, penalty) => penalty,
      total: objective === 'sum' ? 'sum' : 'greatest',
    };
  }

  result(): TicketPartition {
    if (this.#isPlain) return this.#ofSolos();
    if (this.#packs) this.#consider(this.#withTheRest(this.#packed(this.#sorted)));
    if (!this.#packs || this.#sorted.length <= packedMax)
      this.#consider(gamesBestFirst(this.#sorted, this.#searchOf(this.#sorted)));
    if (this.#sorted.length <= (this.#packs ? packedMax : searchedMax)) {
      const { forbids } = this.#options;
      const hardest = this.#packs ? [hardestFirst(this.#sorted, forbids)] : [];
      for (const order of [this.#sorted, this.#sorted.toReversed(), ...hardest])
        this.#consider(this.#inOrder(order));
    }
    const bound = this.#unhappiness ? this.#considerHardest(this.#unhappiness) : this.#bound();
    const { games } = this.#kept!;
    const released = games.map((game) => this.#release(game));
    const reached = this.#total(games.map((game, g) => ({ ...game, imbalance: released[g].imbalance })));
    return {
      games: released,
      waiting: this.#waiting(leftOut(this.#sorted, games)),
      objective: reached,
      objectiveLowerBound: Math.min(bound, reached),
    };
  }

  /** Whether all are solo players who differ in nothing but skill, in two equal teams. */
  get #isPlain(): boolean {
    const { forbids, constraintsOf } = this.#options;
    return (
      isPaperShape(this.#rules) &&
      !this.#layout.classes &&
      !forbids &&
      !constraintsOf &&
      this.#sorted.every(({ size }) => size === 1)
    );
  }

  #ofSolos(): TicketPartition {
    const sorted = this.#sorted;
    const skills = Float64Array.from(sorted, ({ mean }) => mean);
    const result = partitionSolos(skills, this.#rules, { ...this.#options, clock: this.#clock });
    const { teamSizes, seats } = shapeOf(this.#rules);
    const teams = Uint8Array.from({ length: seats }, (_, i) => (i < teamSizes[0] ? 0 : 1));
    const count = `${sorted.length === 1 ? '1 player is' : `${sorted.length} players are`}`;
    return {
      games: Array.from(result.imbalances, (imbalance, g) => {
        const players = result.players.subarray(g * seats, (g + 1) * seats);
        return this.#release({ members: Array.from(players, (i) => sorted[i]), teams, imbalance });
      }),
      waiting: result.leftOver.map((i) => ({
        ticketId: sorted[i].ticket.ticketId,
        reason: `Left over: ${count} not a multiple of ${seats}.`,
      })),
      objective: result.objective,
      objectiveLowerBound: result.lowerBound,
    };
  }

  /** Improves a partition by exchanges and keeps it if it is the best. */
  #consider(start: readonly PartitionGame[], least?: number): void {
    const games = this.#exchanged(start.toSorted(byMeanSkill), least);
    const value = this.#total(games);
    const more = this.#kept ? games.length - this.#kept.games.length : 1;
    if (more > 0 || (more === 0 && value < this.#kept!.value)) this.#kept = { games, value };
  }

  #exchanged(start: readonly PartitionGame[], least: number | undefined): readonly PartitionGame[] {
    const { forbids, swapBudget = 20_000 } = this.#options;
    if (!this.#games) return start;
    const rest = leftOut(this.#playable, start);
    const { alpha } = this.#rules;
    const clock = this.#clock;
    return exchangeBetweenGames(
      start,
      rest,
      alpha,
      this.#games,
      forbids,
      this.#penalty,
      swapBudget,
      clock,
      least,
    );
  }

  /**
   * Considers partitions that start with the games of the tickets that are unhappy in all games. Returns what the greatest
   * unhappiness of no partition into as many games is below; a partition into more games can only have a greater one.
   */
  #considerHardest(unhappiness: TicketUnhappiness): number {
    const { bound, hardest } = unhappiness.bound(this.#kept!.games.length);
    if (!this.#packs) this.#consider(this.#kept!.games, bound);
    for (const each of startsWith(hardest)) {
      const fixed = each.flatMap((members) => this.#fairest(members) ?? []);
      const seated = new Set(each.flat());
      const rest = this.#sorted.filter((ticket) => !seated.has(ticket));
      if (this.#packs) this.#consider(this.#withTheRest([...fixed, ...this.#packed(rest)]), bound);
      // Packing does not plan for roles and refused pairs.
      if (!this.#packs || (fixed.length === 0 && (this.#layout.classes || this.#options.forbids)))
        for (const order of [rest, rest.toReversed()])
          this.#consider([...fixed, ...this.#inOrder(order)], bound);
      if (this.#kept!.value <= bound) break;
    }
    return bound;
  }

  #packed(sorted: readonly ShapeTicket[]): ShapedGame[] {
    const { forbids } = this.#options;
    return packParties(sorted, this.#rules.alpha, this.#layout, this.#games!, forbids, this.#clock);
  }

  #inOrder(order: readonly ShapeTicket[]): readonly PartitionGame[] {
    return this.#withTheRest(gamesInOrder(order, this.#searchOf(order)));
  }

  /** Adds all games that can be formed of the remaining tickets. */
  #withTheRest(games: readonly PartitionGame[]): readonly PartitionGame[] {
    const all = [...games];
    if (!this.#packs) return all;
    for (;;) {
      const left = scarcestFirst(leftOut(this.#sorted, all), this.#layout);
      const more = hasMix(left, this.#layout) ? gamesInOrder(left, this.#searchOf(left)) : [];
      if (more.length === 0) return all;
      all.push(...more);
    }
  }

  #fairest(members: readonly ShapeTicket[]): PartitionGame | undefined {
    if (this.#games) return this.#games.fairest(members);
    const game = this.#poolOf(members, 0).best(this.#nowMs);
    return game && foundGame(game, ticketsById(members));
  }

  #searchOf(tickets: readonly ShapeTicket[]) {
    // Only balance counts: waiting has no weight where everyone plays.
    return { pool: this.#poolOf(tickets, 0), nowMs: this.#nowMs, outOfTime: this.#outOfTime };
  }

  #poolOf(
    tickets: readonly ShapeTicket[],
    beta: number,
    nodes = this.#options.nodeBudget ?? 1000,
  ): TicketPool {
    const { forbids, constraintsOf } = this.#options;
    const pool = this.#newPool(
      { ...this.#rules, beta },
      {
        nodeBudget: nodes,
        ...(forbids && { forbids }),
        ...(constraintsOf && { constraints: constraintsOf() }),
        outOfTime: this.#outOfTime,
      },
    );
    for (const { ticket } of tickets) pool.insert(ticket);
    return pool;
  }

  #unhappinessOfAll(): TicketUnhappiness {
    const sorted = this.#sorted;
    const { classes } = this.#layout;
    const seats =
      classes && !this.#rules.short
        ? { seats: classes.map((one) => one.seats), masks: sorted.map((ticket) => ticket.classes!) }
        : undefined;
    const nodes = this.#options.nodeBudget ?? nodesPerTicket(sorted.length);
    return new TicketUnhappiness(sorted, this.#rules, seats, () => this.#poolOf(sorted, 0, nodes));
  }

  #bound(): number {
    const games = this.#clock.isOver() ? 0 : this.#kept!.games.length;
    const { worst, sum } = partitionBounds(this.#sorted, games, this.#rules);
    return this.#penalty.total === 'sum' ? sum : worst;
  }

  #total(games: readonly ShapedGame[]): number {
    const penalties = games.map(({ members, imbalance }) => this.#penalty.ofGame(members, imbalance));
    return penalties.reduce(
      (all, one) => (this.#penalty.total === 'sum' ? all + one : Math.max(all, one)),
      0,
    );
  }

  /** The game with its numbers and a bound on all games of the tickets. */
  #release(one: PartitionGame): Game {
    // Found at the end, so that a proof that takes long costs no games.
    this.#poolBound ??= this.#boundOfAll();
    const bound = this.#poolBound;
    const { game } = one;
    if (!game) return this.#games!.gameOf(one, this.#nowMs, bound);
    const oldest = one.members.reduce(earlier, Number.POSITIVE_INFINITY);
    const g = priority(game.imbalance, oldest, this.#nowMs, this.#rules.beta);
    return { ...game, priority: g, lowerBound: Math.min(bound, g), optimal: bound >= g };
  }

  /** If the time or the budget runs out before a game is found: no game has a longer wait than this or an imbalance below 0. */
  #boundOfAll(): number {
    const { beta } = this.#rules;
    const found = this.#outOfTime() ? undefined : this.#poolOf(this.#sorted, beta).best(this.#nowMs);
    return found?.lowerBound ?? priority(0, this.#sorted.reduce(earlier, this.#nowMs), this.#nowMs, beta);
  }

  /** The tickets in no game, with the reasons that a pool of them gives. */
  #waiting(left: readonly ShapeTicket[]): { readonly ticketId: string; readonly reason: string }[] {
    const { reasons = true } = this.#options;
    const pool = reasons ? this.#poolOf(left, 0) : undefined;
    return left.map(({ ticket: { ticketId } }) => ({
      ticketId,
      reason: pool?.explain(ticketId, this.#nowMs) ?? '',
    }));
  }
}

/** Pools of at most this many tickets are also partitioned game by game, where packing is possible and where it is not. */
const packedMax = 200;
const searchedMax = 500;

function earlier(oldest: number, { ticket }: ShapeTicket): number {
  return Math.min(oldest, ticket.enqueuedAtMs);
}

function byMeanSkill(a: ShapedGame, b: ShapedGame): number {
  return meanSkill(a) - meanSkill(b);
}

function meanSkill({ members }: ShapedGame): number {
  let sum = 0;
  let players = 0;
  for (const { size, mean } of members) {
    sum += size * mean;
    players += size;
  }
  return sum / players;
}
