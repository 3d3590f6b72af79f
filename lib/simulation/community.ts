import type { RandomSource } from './random.ts';

/** A player who comes again and again. */
export interface Person {
  readonly playerId: string;
  /** The true skill, which no rating knows. */
  readonly skill: number;
  /** Whether the player joined after the community began, when every player is new. */
  readonly joined: boolean;
  /** Matches played so far. */
  matches: number;
}

/**
 * The players of a game. Some wait or play, and the others are idle. At each draw there is a chance that an idle player
 * has left for good and a new one has come.
 */
export class Community {
  readonly #idle: Person[];
  readonly #newcomers: number;
  readonly #drawSkill: () => number;
  readonly #random: RandomSource;
  #people: number;

  /**
   * @param size players, all of them new at the beginning
   * @param newcomers the chance that a drawn player is a newcomer, who replaces another one
   */
  constructor(size: number, newcomers: number, drawSkill: () => number, random: RandomSource) {
    this.#newcomers = newcomers;
    this.#drawSkill = drawSkill;
    this.#random = random;
    this.#people = 0;
    this.#idle = Array.from({ length: size }, () => this.#born(false));
  }

  /** Takes an idle player; undefined when no player is idle. */
  draw(): Person | undefined {
    if (this.#idle.length === 0) return undefined;
    const at = this.#random.integer(this.#idle.length);
    const [drawn, last] = [this.#idle[at]!, this.#idle.pop()!];
    if (at < this.#idle.length) this.#idle[at] = last;
    return this.#random.uniform() < this.#newcomers ? this.#born(true) : drawn;
  }

  /** The player is idle again. */
  giveBack(person: Person): void {
    this.#idle.push(person);
  }

  #born(joined: boolean): Person {
    return { playerId: `p${++this.#people}`, skill: this.#drawSkill(), joined, matches: 0 };
  }
}
