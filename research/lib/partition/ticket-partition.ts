import {
  everyoneAtOnce,
  type Forbids,
  type Game,
  GamePool,
  type GameRules,
  type Layout,
  layoutOf,
  poolShapeTicket,
  SearchClock,
  ShapeGames,
  type ShapeTicket,
  type Ticket,
} from 'muster/engine';
import { GameExchanges, type Penalty, type SeatedGame } from './game-exchanges.ts';
import { partitionBounds } from './partition-bounds.ts';
import type { PartitionObjective } from './solo-partition.ts';
import { nodesPerTicket, startsWith, TicketUnhappiness } from './unhappiness.ts';

/** A partition of everyone into games. */
export interface TicketPartition {
  /** In ascending order of skill. Each game's `lowerBound` holds for every game of these tickets. */
  readonly games: readonly Game[];
  /** The ids of the tickets in no game. */
  readonly waiting: readonly string[];
  /** The objective reached. */
  readonly objective: number;
  /** No partition into as many games has a lower objective. */
  readonly objectiveLowerBound: number;
}

/** What a partition minimises, and how much work it may take. */
export interface TicketPartitionOptions {
  /** @default 'worst' */
  readonly objective?: PartitionObjective;
  /** Games that exchanges may try out; by unhappiness, for each of a few starts. @default 20,000 */
  readonly swapBudget?: number;
  /** Pairs of tickets that may not be in one game. @default no pair is refused */
  readonly forbids?: Forbids;
  /** Nodes of the search for the best game of each ticket, by unhappiness. @default up to 20,000 in small pools */
  readonly nodeBudget?: number;
}

/**
 * Partitions tickets of any shape of up to 16 seats, whose games start full, into games by one of the objectives. It starts from the partition of the
 * product, which minimises the sum of imbalances, and exchanges tickets between its games.
 *
 * @param nowMs the time at which the priorities of the games are computed
 */
export function partitionTickets(
  tickets: readonly Ticket[],
  rules: GameRules,
  nowMs: number,
  options: TicketPartitionOptions = {},
): TicketPartition {
  return new Partition(tickets, rules, nowMs, options).result();
}

class Partition {
  readonly #rules: GameRules;
  readonly #nowMs: number;
  readonly #options: TicketPartitionOptions;
  readonly #layout: Layout;
  readonly #clock = new SearchClock();
  readonly #divider: ShapeGames;
  /** By id, in the order of skill. */
  readonly #tickets: ReadonlyMap<string, ShapeTicket>;
  readonly #unhappiness: TicketUnhappiness | undefined;
  readonly #penalty: Penalty;
  #kept: { readonly games: readonly SeatedGame[]; readonly value: number } | undefined;

  constructor(tickets: readonly Ticket[], rules: GameRules, nowMs: number, options: TicketPartitionOptions) {
    this.#rules = rules;
    this.#nowMs = nowMs;
    this.#options = options;
    this.#layout = layoutOf(rules);
    this.#divider = new ShapeGames(rules, this.#layout, this.#clock);
    const shaped = tickets.map((ticket) => poolShapeTicket(ticket, this.#layout));
    shaped.sort((a, b) => a.mean - b.mean || (a.ticket.ticketId < b.ticket.ticketId ? -1 : 1));
    this.#tickets = new Map(shaped.map((each) => [each.ticket.ticketId, each]));
    const { objective = 'worst' } = options;
    this.#unhappiness = objective === 'unhappiness' ? this.#unhappinessOf(shaped) : undefined;
    this.#penalty = this.#unhappiness?.penalty ?? {
      ofGame: (_, imbalance) => imbalance,
      imbalanceOf: (_, penalty) => penalty,
      total: objective === 'sum' ? 'sum' : 'greatest',
    };
  }

  result(): TicketPartition {
    const all = [...this.#tickets.values()];
    this.#consider(this.#everyone(all));
    const bound = this.#unhappiness ? this.#considerHardest(this.#unhappiness) : this.#bound(all);
    const { games, value } = this.#kept!;
    const lowest = this.#boundOfAll(all);
    return {
      games: games.map((game) => this.#divider.gameOf(game, this.#nowMs, lowest)),
      waiting: leftOut(all, games).map(({ ticket }) => ticket.ticketId),
      objective: value,
      objectiveLowerBound: Math.min(bound, value),
    };
  }

  /** Improves a partition by exchanges and keeps it if it is the best. */
  #consider(start: readonly SeatedGame[], least?: number): void {
    const exchanges = new GameExchanges(
      start.toSorted((a, b) => meanSkill(a) - meanSkill(b)),
      leftOut([...this.#tickets.values()], start).filter((ticket) => this.#divider.mayPlay(ticket)),
      this.#rules.alpha,
      this.#divider,
      this.#options.forbids,
      this.#penalty,
      this.#options.swapBudget ?? 20_000,
    );
    const games = exchanges.improve(least);
    const penalties = games.map(({ members, imbalance }) => this.#penalty.ofGame(members, imbalance));
    const isSum = this.#penalty.total === 'sum';
    const value = penalties.reduce((total, one) => (isSum ? total + one : Math.max(total, one)), 0);
    const more = this.#kept ? games.length - this.#kept.games.length : 1;
    if (more > 0 || (more === 0 && value < this.#kept!.value)) this.#kept = { games, value };
  }

  /**
   * Considers partitions that start with the games of the tickets that are unhappy in all games. Returns what the greatest
   * unhappiness of no partition into as many games is below; a partition into more games can only have a greater one.
   */
  #considerHardest(unhappiness: TicketUnhappiness): number {
    const { bound, hardest } = unhappiness.bound(this.#kept!.games.length);
    for (const each of startsWith(hardest)) {
      const fixed = each.flatMap((members) => this.#divider.fairest(members) ?? []);
      const seated = new Set(each.flat());
      const rest = [...this.#tickets.values()].filter((ticket) => !seated.has(ticket));
      this.#consider([...fixed, ...this.#everyone(rest)], bound);
      if (this.#kept!.value <= bound) break;
    }
    return bound;
  }

  #everyone(tickets: readonly ShapeTicket[]): SeatedGame[] {
    const { forbids } = this.#options;
    const games = everyoneAtOnce(
      tickets.map(({ ticket }) => ticket),
      this.#rules,
      this.#nowMs,
      { ...(forbids && { forbids }) },
    );
    return games.map(
      ({ ticketIds }) => this.#divider.fairest(ticketIds.map((ticketId) => this.#tickets.get(ticketId)!))!,
    );
  }

  #unhappinessOf(tickets: readonly ShapeTicket[]): TicketUnhappiness {
    const { classes } = this.#layout;
    const seats = classes && {
      seats: classes.map((one) => one.seats),
      masks: tickets.map((ticket) => ticket.classes!),
    };
    return new TicketUnhappiness(tickets, this.#rules, seats, {
      forbids: this.#options.forbids,
      nodeBudget: this.#options.nodeBudget ?? nodesPerTicket(tickets.length),
    });
  }

  #bound(tickets: readonly ShapeTicket[]): number {
    const { worst, sum } = partitionBounds(tickets, this.#kept!.games.length, this.#rules);
    return this.#penalty.total === 'sum' ? sum : worst;
  }

  #boundOfAll(tickets: readonly ShapeTicket[]): number {
    const { forbids } = this.#options;
    const pool = new GamePool(this.#rules, { ...(forbids && { forbids }) });
    for (const { ticket } of tickets) pool.insert(ticket);
    return pool.best(this.#nowMs)?.lowerBound ?? Number.NEGATIVE_INFINITY;
  }
}

/** The tickets in no game, in their order. */
function leftOut(tickets: readonly ShapeTicket[], games: readonly SeatedGame[]): ShapeTicket[] {
  const seated = new Set(games.flatMap(({ members }) => members));
  return tickets.filter((ticket) => !seated.has(ticket));
}

function meanSkill({ members }: SeatedGame): number {
  const players = members.reduce((sum, { size }) => sum + size, 0);
  return members.reduce((sum, { mean, size }) => sum + mean * size, 0) / players;
}
