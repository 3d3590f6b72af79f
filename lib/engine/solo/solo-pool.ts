import { isPaperShape, shapeOf } from '../model/game-shape.ts';
import { soloSkill } from '../model/pooled-ticket.ts';
import { SearchClock } from '../model/search-clock.ts';
import { SoloDivider } from '../model/solo-divider.ts';
import type { Game, GameRules, Ticket } from '../types.ts';
import { soloGame } from './solo-game.ts';
import { type SoloGame, SoloQueue } from './solo-queue.ts';

/** Whether a `SoloPool` can search games by these rules: of two equal teams, without roles and β. */
export function isForSolos(rules: GameRules): boolean {
  return isPaperShape(rules) && rules.roles === undefined && rules.beta === 0;
}

/**
 * The games that a `GamePool` finds among solo players, for a caller that knows the tickets by their places in the order of
 * skill. It takes half the time, because it looks up no ticketId.
 */
export class SoloPool {
  readonly #rules: GameRules;
  readonly #nowMs: number;
  readonly #tickets: readonly Ticket[];
  readonly #queue: SoloQueue;
  readonly #clock: SearchClock;
  /** The last result of `best`. */
  #found: SoloGame | undefined;
  #game: Game | undefined;

  /**
   * @param tickets of solo players, ascending by skill, then by ticketId
   * @throws RangeError for an invalid skill
   */
  constructor(
    rules: GameRules,
    tickets: readonly Ticket[],
    nowMs: number,
    nodeBudget?: number,
    outOfTime?: () => boolean,
  ) {
    this.#rules = rules;
    this.#nowMs = nowMs;
    this.#tickets = tickets;
    this.#clock = new SearchClock(outOfTime);
    const skills = Float64Array.from(tickets, soloSkill);
    this.#queue = new SoloQueue(rules, skills, { nodeBudget, clock: this.#clock });
  }

  /** The game of least imbalance, as `GamePool.best`, and the places of its tickets; undefined when too few are left. */
  best(): { readonly game: Game; readonly places: Int32Array } | undefined {
    this.#clock.start();
    const found = this.#queue.best();
    if (!found) return undefined;
    const { players: places, division, imbalance, lowerBound } = found;
    if (found !== this.#found) {
      const tickets = Array.from(places, (place) => this.#tickets[place]);
      const bound = lowerBound >= imbalance ? Number.POSITIVE_INFINITY : lowerBound;
      this.#found = found;
      this.#game = soloGame(tickets, division, this.#rules, this.#nowMs, bound);
    }
    return { game: this.#game!, places };
  }

  /** No game of those left has a lower imbalance; ∞ when too few are left. */
  bound(): number {
    return this.best()?.game.lowerBound ?? Number.POSITIVE_INFINITY;
  }

  remove(place: number): void {
    this.#queue.remove(place);
  }
}

/** Games of exactly as many solo players as a game has seats, one after another. */
export class SoloGames {
  readonly #rules: GameRules;
  readonly #nowMs: number;
  readonly #divider: SoloDivider;
  readonly #values: Float64Array;

  /** @param rules for which `isForSolos` */
  constructor(rules: GameRules, nowMs: number) {
    this.#rules = rules;
    this.#nowMs = nowMs;
    this.#divider = new SoloDivider(rules);
    this.#values = new Float64Array(shapeOf(rules).seats);
  }

  /**
   * The game that `GamePool.best` finds among these tickets. Undefined when they are not as many solo players as a game has
   * seats, ascending by skill, then by ticketId; and for p = ∞.
   * @throws RangeError for an invalid skill
   */
  of(tickets: readonly Ticket[]): Game | undefined {
    const values = this.#values;
    if (tickets.length !== values.length || this.#rules.p === Number.POSITIVE_INFINITY) return undefined;
    const origin = soloSkill(tickets[0]);
    for (let i = 0; i < values.length; i++) {
      if (tickets[i].players.length !== 1) return undefined;
      values[i] = soloSkill(tickets[i]) - origin;
      const isInOrder =
        i === 0 ||
        values[i - 1] < values[i] ||
        (values[i - 1] === values[i] && tickets[i - 1].ticketId < tickets[i].ticketId);
      if (!isInOrder) return undefined;
    }
    this.#divider.divide(values, origin);
    const { division } = this.#divider;
    return soloGame(tickets, division, this.#rules, this.#nowMs, Number.POSITIVE_INFINITY);
  }
}
