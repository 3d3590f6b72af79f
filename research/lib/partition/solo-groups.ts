import { type GameRules, shapeOf, skillSpreadOfRelative } from 'muster/engine';
import { teamOf } from '../../../lib/engine/model/division.ts';
import { SoloDivider } from '../../../lib/engine/model/solo-divider.ts';

/** The games during optimisation: the players of each and its fairest division. Players in no game follow the last game. */
export class SoloGroups {
  readonly size: number;
  /** The games. */
  readonly count: number;
  readonly players: Int32Array;
  readonly skills: Float64Array;
  readonly imbalances: Float64Array;
  /** The seats of team 0. */
  readonly #firstSize: number;
  readonly #divisions: Uint16Array;
  readonly #alpha: number;
  readonly #q: number;
  readonly #sign: number;
  readonly #divider: SoloDivider;
  readonly #values: Float64Array;

  /** @param starts the first place of each game in the order, ascending */
  constructor(rules: GameRules, sorted: Float64Array, order: Uint32Array, starts: Int32Array) {
    const { seats, teamSizes } = shapeOf(rules);
    this.size = seats;
    this.#firstSize = teamSizes[0];
    this.count = starts.length;
    this.players = new Int32Array(order.length);
    this.skills = new Float64Array(this.players.length);
    this.imbalances = new Float64Array(starts.length);
    this.#divisions = new Uint16Array(starts.length);
    this.#alpha = rules.alpha;
    this.#q = rules.q;
    this.#sign = rules.p === Number.POSITIVE_INFINITY ? -1 : 1;
    this.#divider = new SoloDivider(rules);
    this.#values = new Float64Array(this.size);
    let place = 0;
    let left = this.count * this.size;
    const put = (at: number, from: number) => {
      this.players[at] = order[from];
      this.skills[at] = sorted[from];
    };
    for (let g = 0; g < this.count; g++) {
      for (; place < starts[g]; place++) put(left++, place);
      for (let i = 0; i < this.size; i++) put(g * this.size + i, place++);
      this.update(g);
    }
    for (; place < order.length; place++) put(left++, place);
  }

  /** The players left over. */
  get leftOver(): Int32Array {
    return this.players.subarray(this.count * this.size);
  }

  /** Exchanges two players, by their places. Call `update` afterwards to recompute the games' numbers. */
  swap(a: number, b: number): void {
    const player = this.players[a];
    const skill = this.skills[a];
    this.players[a] = this.players[b];
    this.skills[a] = this.skills[b];
    this.players[b] = player;
    this.skills[b] = skill;
  }

  /** Recomputes the fairest division of a game. */
  update(group: number): void {
    const from = group * this.size;
    const origin = this.skills[from];
    for (let i = 0; i < this.size; i++) this.#values[i] = this.#sign * (this.skills[from + i] - origin);
    const d = this.#divider.divide(this.#values, this.#sign * origin);
    this.#divisions[group] = this.#divider.division;
    this.imbalances[group] = this.#alpha * d + skillSpreadOfRelative(this.#values, this.#q);
  }

  /** The players game by game, in each the first team first. */
  seated(): Int32Array {
    const seated = new Int32Array(this.count * this.size);
    for (let g = 0; g < this.imbalances.length; g++) {
      let first = g * this.size;
      let second = first + this.#firstSize;
      for (let i = 0; i < this.size; i++) {
        const seat = teamOf(this.#divisions[g], i) === 0 ? first++ : second++;
        seated[seat] = this.players[g * this.size + i];
      }
    }
    return seated;
  }
}
