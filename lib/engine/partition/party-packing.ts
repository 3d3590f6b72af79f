import type { DividedGame } from '../model/division.ts';
import { mayAllMeet } from '../model/forbids.ts';
import { shapeOf } from '../model/game-shape.ts';
import { gameMixes, teamMixes } from '../model/party-mixes.ts';
import { bySkill, type PooledTicket } from '../model/pooled-ticket.ts';
import type { RoleTable } from '../model/roles.ts';
import { TicketDivider } from '../model/ticket-divider.ts';
import type { Forbids, GameRules } from '../types.ts';

/**
 * Packs parties into as many games as their sizes allow, near in skill and fair, all at once.
 *
 * Walks up the skills. Each game contains the least skilled ticket left, so that no ticket is skipped, and of every size
 * the next in order (exchanging two tickets of a size to put them in order does not raise the greater range of two games). What is
 * chosen is the game's **party mix**, how many parties of each size, and only such that the sizes that are left still make all the
 * games that are to come. Several ways of choosing are kept at every step, those with the least total imbalance so far
 * (a beam search), so that a game may take what is worse for itself and better for those after it. A ticket may be left
 * out where that serves the next game, as long as it costs no game.
 *
 * Roles and refused pairs are respected but not planned for: a ticket that has no game because of them is left over.
 *
 * @param sorted the tickets in the pool's order; the games come in ascending order of their least skilled ticket
 */
export function packParties(
  sorted: readonly PooledTicket[],
  rules: GameRules,
  roles: RoleTable | undefined,
  forbids: Forbids | undefined,
): DividedGame[] {
  return new Packer(sorted, rules, roles, forbids).pack();
}

/** The ways kept at every step. */
const beamWidth = 8;

/** The tickets that a way may leave out at one step though they could play. */
const skipsMax = 2;

/** One way to have made the first games. */
interface Way {
  readonly before: Way | undefined;
  readonly game: DividedGame | undefined;
  /** Of each size, how many tickets are in games or left out. */
  readonly taken: Uint32Array;
  /** The sum of the games' imbalances. */
  readonly total: number;
}

/** A way with one more game, not made yet. `bound` is less or equal to its total. */
interface Step {
  readonly way: Way;
  /** Of each size, how many tickets are in games or left out afterwards. */
  readonly taken: Uint32Array;
  readonly members: readonly PooledTicket[];
  readonly skillSpread: number;
  readonly bound: number;
}

class Packer {
  readonly #rules: GameRules;
  readonly #roles: RoleTable | undefined;
  readonly #forbids: Forbids | undefined;
  /** The tickets of each size in order. */
  readonly #lines: PooledTicket[][];
  readonly #divider: TicketDivider;
  readonly #left: Uint32Array;
  /** The teams of a game, and its party mixes. */
  readonly #teams: number;
  readonly #mixes: readonly Uint8Array[];

  constructor(
    sorted: readonly PooledTicket[],
    rules: GameRules,
    roles: RoleTable | undefined,
    forbids: Forbids | undefined,
  ) {
    this.#rules = rules;
    this.#roles = roles;
    this.#forbids = forbids;
    const playable = sorted.filter(({ masks }) => roles?.canSeatTeam(masks) ?? true);
    this.#lines = Array.from({ length: rules.teamSize + 1 }, (_, size) =>
      playable.filter((pooled) => pooled.size === size),
    );
    this.#divider = new TicketDivider(rules, roles);
    this.#left = new Uint32Array(rules.teamSize + 1);
    const shape = shapeOf(rules);
    this.#teams = shape.teamSizes.length;
    this.#mixes = gameMixes(shape);
  }

  pack(): DividedGame[] {
    const none = new Uint32Array(this.#lines.length);
    let ways: Way[] = [{ before: undefined, game: undefined, taken: none, total: 0 }];
    for (let left = this.#gamesLeft(none) - 1; left >= 0; ) {
      const next = this.#best(ways.flatMap((way) => this.#steps(way, left)));
      if (next.length > 0) {
        ways = next;
        left--;
        continue;
      }
      // Roles and refused pairs leave no game with the least skilled ticket.
      ways = ways.map((way) => ({ ...way, taken: this.#withoutLowest(way.taken) }));
      left = Math.max(...ways.map(({ taken }) => this.#gamesLeft(taken))) - 1;
    }
    const packed: DividedGame[] = [];
    for (let way: Way | undefined = ways[0]; way; way = way.before) if (way.game) packed.push(way.game);
    return packed.reverse();
  }

  /** What a way can go on with, so that `left` more games can follow. */
  #steps(way: Way, left: number): Step[] {
    const steps: Step[] = [];
    for (let taken = way.taken, skips = 0; ; skips++) {
      const lowest = this.#lowest(taken);
      for (const mix of this.#mixes) {
        if (mix[lowest] === 0 || !this.#isLeft(taken, mix)) continue;
        const after = taken.map((count, size) => count + mix[size]);
        if (this.#gamesLeft(after) < left) continue;
        const members = this.#members(taken, mix);
        if (!this.#mayPlay(members)) continue;
        const v = this.#divider.skillSpread(members);
        steps.push({ way, taken: after, members, skillSpread: v, bound: way.total + v });
      }
      taken = this.#withoutLowest(taken);
      if (skips === skipsMax || this.#gamesLeft(taken) <= left) return steps;
    }
  }

  /** The best ways after these steps, best first. A game is divided only if it may be among them. */
  #best(steps: Step[]): Way[] {
    steps.sort((a, b) => a.bound - b.bound);
    const best: Way[] = [];
    for (const { way, taken, members, skillSpread, bound } of steps) {
      if (best.length === beamWidth && bound >= best[beamWidth - 1].total) break;
      const imbalance = this.#rules.alpha * this.#divider.divide(members) + skillSpread;
      if (imbalance === Number.POSITIVE_INFINITY) continue;
      const total = way.total + imbalance;
      // Of ways that have taken the same tickets only the best goes on.
      const twin = best.findIndex((other) => other.taken.every((count, size) => count === taken[size]));
      if (twin !== -1 && best[twin].total <= total) continue;
      if (twin !== -1) best.splice(twin, 1);
      const worse = best.findIndex((other) => other.total > total);
      const game = { members, division: this.#divider.division, imbalance };
      best.splice(worse === -1 ? best.length : worse, 0, { before: way, game, taken, total });
      if (best.length > beamWidth) best.pop();
    }
    return best;
  }

  /** The next tickets of each size that make this mix, the largest first. */
  #members(taken: Uint32Array, mix: Uint8Array): PooledTicket[] {
    const members: PooledTicket[] = [];
    for (let size = mix.length - 1; size >= 1; size--) {
      for (let i = 0; i < mix[size]; i++) members.push(this.#lines[size][taken[size] + i]);
    }
    return members;
  }

  /** Whether no two of them are refused, and all can be seated, whichever team each plays on. */
  #mayPlay(members: readonly PooledTicket[]): boolean {
    return (
      mayAllMeet(members, this.#forbids) &&
      (!this.#roles || this.#roles.canSeatGame(members.flatMap(({ masks }) => [...masks])))
    );
  }

  /** The size of the least skilled ticket left, 0 if there is none. */
  #lowest(taken: Uint32Array): number {
    let lowest = 0;
    for (let size = 1; size < this.#lines.length; size++) {
      if (taken[size] === this.#lines[size].length) continue;
      if (lowest === 0 || bySkill(this.#lines[size][taken[size]], this.#lines[lowest][taken[lowest]]) < 0)
        lowest = size;
    }
    return lowest;
  }

  #withoutLowest(taken: Uint32Array): Uint32Array {
    const lowest = this.#lowest(taken);
    return taken.map((count, size) => (size > 0 && size === lowest ? count + 1 : count));
  }

  #isLeft(taken: Uint32Array, mix: Uint8Array): boolean {
    for (let size = 1; size < mix.length; size++)
      if (taken[size] + mix[size] > this.#lines[size].length) return false;
    return true;
  }

  /** How many games the tickets left can make, the largest parties first into full teams. */
  #gamesLeft(taken: Uint32Array): number {
    const left = this.#left;
    for (let size = 1; size < left.length; size++) left[size] = this.#lines[size].length - taken[size];
    let teams = 0;
    for (const mix of teamMixes(this.#rules.teamSize)) {
      let count = Number.POSITIVE_INFINITY;
      for (let size = 1; size < mix.length; size++) {
        if (mix[size] > 0) count = Math.min(count, Math.floor(left[size] / mix[size]));
      }
      if (count === 0) continue;
      teams += count;
      for (let size = 1; size < mix.length; size++) left[size] -= count * mix[size];
    }
    return Math.floor(teams / this.#teams);
  }
}
