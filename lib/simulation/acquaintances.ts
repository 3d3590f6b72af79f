import type { Ticket } from '../engine/types.ts';
import type { RuledPlayer } from '../rules/types.ts';
import type { RandomSource } from './random.ts';

/** The number of earlier players among which a player may avoid some. */
const REMEMBERED = 100;

/** Lets arriving players avoid some of the players who arrived before them. Parties stay together. */
export class Acquaintances {
  readonly #avoided: number;
  readonly #random: RandomSource;
  readonly #recent: string[] = [];

  /** @param avoided how many of the last hundred players a player avoids, on average; 0 to 50 */
  constructor(avoided: number, random: RandomSource) {
    this.#avoided = avoided;
    this.#random = random;
  }

  /** The players with those that they avoid. */
  introduce(players: Ticket['players']): RuledPlayer[] {
    const introduced = players.map((player): RuledPlayer => {
      const avoid = this.#recent.filter(() => this.#random.uniform() < this.#avoided / REMEMBERED);
      // A ticket has at most fifty.
      return avoid.length > 0 ? { ...player, avoid: avoid.slice(-50) } : player;
    });
    this.#recent.push(...players.map(({ playerId }) => playerId));
    this.#recent.splice(0, this.#recent.length - REMEMBERED);
    return introduced;
  }
}
