import { mayAllMeet } from '../model/forbids.ts';
import { packingNumber } from '../model/packing-number.ts';
import { bySkill } from '../model/pooled-ticket.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Layout } from '../shapes/layout.ts';
import type { ShapedGame } from '../shapes/shape-game.ts';
import type { ShapeGames } from '../shapes/shape-games.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';
import { mixesOf } from '../shapes/size-mixes.ts';
import type { Forbids } from '../types.ts';

/**
 * Packs parties into as many games as their sizes allow, with similar skills and fair teams, all at once.
 *
 * It proceeds in ascending order of skill. Each game contains the least skilled remaining ticket, so that no ticket is
 * skipped, and the next tickets of every size (exchanging two tickets of a size to put them in order does not raise the
 * greater range of two games). Only the game's **party mix** is chosen: how many parties of each size. A mix is allowed
 * only if the remaining sizes can still form all further games. A beam search keeps several alternatives at every step,
 * those with the least total imbalance so far, so that a game may be worse in favour of later ones. A ticket may be
 * omitted where that helps the next game, as long as no game is lost.
 *
 * Roles and refused pairs are respected but not planned for: a ticket that has no game because of them stays unmatched. When
 * the time is over, the tickets that are left stay unmatched too.
 *
 * @param sorted the tickets in the pool's order; the games come in ascending order of their least skilled ticket
 */
export function packParties(
  sorted: readonly ShapeTicket[],
  alpha: number,
  layout: Layout,
  games: ShapeGames,
  forbids: Forbids | undefined,
  clock: SearchClock,
): ShapedGame[] {
  return new Packer(sorted, alpha, layout, games, forbids, clock).pack();
}

/** Whether games are divided fast enough: solo players have few divisions into the teams. */
export function canPack({ kinds }: Layout): boolean {
  let divisions = 1;
  let players = 0;
  for (const { size, count } of kinds) {
    for (let team = 1; team <= count; team++) {
      for (let seat = 1; seat <= size; seat++) divisions *= ++players / seat;
      divisions /= team;
    }
  }
  return divisions < divisionsMax;
}

/** More take milliseconds: four teams of four have 2,627,625, three of five 126,126. */
const divisionsMax = 200_000;

/** The alternatives kept at every step. */
const beamWidth = 8;

/** The playable tickets that an alternative may omit at one step. */
const skipsMax = 2;

/** One alternative for the first games. */
interface Alternative {
  readonly before: Alternative | undefined;
  readonly game: ShapedGame | undefined;
  /** For each size, how many tickets are in games or omitted. */
  readonly taken: Uint32Array;
  /** The sum of the games' imbalances. */
  readonly total: number;
}

/** An alternative extended by one game that is not divided yet. `bound` is at most its total. */
interface Step {
  readonly after: Alternative;
  /** For each size, how many tickets are in games or omitted afterwards. */
  readonly taken: Uint32Array;
  readonly members: readonly ShapeTicket[];
  readonly skillSpread: number;
  readonly bound: number;
}

class Packer {
  readonly #alpha: number;
  readonly #games: ShapeGames;
  readonly #forbids: Forbids | undefined;
  /** The tickets of each size in order. */
  readonly #lines: ShapeTicket[][];
  readonly #clock: SearchClock;
  readonly #left: Uint32Array;
  /** The largest first. */
  readonly #teamSizes: readonly number[];
  readonly #mixes: readonly Uint8Array[];

  constructor(
    sorted: readonly ShapeTicket[],
    alpha: number,
    layout: Layout,
    games: ShapeGames,
    forbids: Forbids | undefined,
    clock: SearchClock,
  ) {
    const { kinds, kindOf, seats, partyMax } = layout;
    this.#clock = clock;
    this.#alpha = alpha;
    this.#games = games;
    this.#forbids = forbids;
    const playable = sorted.filter((ticket) => games.mayPlay(ticket));
    this.#lines = Array.from({ length: partyMax + 1 }, (_, size) =>
      playable.filter((ticket) => ticket.size === size),
    );
    this.#left = new Uint32Array(partyMax + 1);
    this.#teamSizes = kindOf.map((kind) => kinds[kind].size).sort((a, b) => b - a);
    this.#mixes = mixesOf(layout, seats);
  }

  pack(): ShapedGame[] {
    const none = new Uint32Array(this.#lines.length);
    let alternatives: Alternative[] = [{ before: undefined, game: undefined, taken: none, total: 0 }];
    for (let left = this.#gamesLeft(none) - 1; left >= 0 && !this.#clock.isOver(); ) {
      const next = this.#best(alternatives.flatMap((alternative) => this.#steps(alternative, left)));
      if (next.length > 0) {
        alternatives = next;
        left--;
        continue;
      }
      // Because of roles or refused pairs there is no game with the least skilled ticket.
      alternatives = alternatives.map((one) => ({ ...one, taken: this.#withoutLowest(one.taken) }));
      left = Math.max(...alternatives.map(({ taken }) => this.#gamesLeft(taken))) - 1;
    }
    const packed: ShapedGame[] = [];
    for (let one: Alternative | undefined = alternatives[0]; one; one = one.before)
      if (one.game) packed.push(one.game);
    return packed.reverse();
  }

  /** The possible next games of an alternative after which `left` more games can follow. */
  #steps(alternative: Alternative, left: number): Step[] {
    const steps: Step[] = [];
    for (let { taken } = alternative, skips = 0; ; skips++) {
      const lowest = this.#lowest(taken);
      for (const mix of this.#mixes) {
        if (mix[lowest] === 0 || !this.#isLeft(taken, mix)) continue;
        if (this.#clock.isOver()) return steps;
        const takenAfter = taken.map((count, size) => count + mix[size]);
        if (this.#gamesLeft(takenAfter) < left) continue;
        const members = this.#members(taken, mix);
        if (!this.#mayPlay(members)) continue;
        const v = this.#games.skillSpread(members);
        steps.push({
          after: alternative,
          taken: takenAfter,
          members,
          skillSpread: v,
          bound: alternative.total + v,
        });
      }
      taken = this.#withoutLowest(taken);
      if (skips === skipsMax || this.#gamesLeft(taken) <= left) return steps;
    }
  }

  /** The best alternatives after these steps, best first. A game is divided only if it may be among them. */
  #best(steps: Step[]): Alternative[] {
    steps.sort((a, b) => a.bound - b.bound);
    const best: Alternative[] = [];
    for (const { after, taken, members, skillSpread, bound } of steps) {
      if (best.length === beamWidth && bound >= best[beamWidth - 1].total) break;
      const most = best.length === beamWidth ? best[beamWidth - 1].total : Number.POSITIVE_INFINITY;
      const imbalance = this.#alpha * this.#games.divide(members, (most - bound) / this.#alpha) + skillSpread;
      if (this.#clock.isOver() && best.length > 0) break;
      if (imbalance === Number.POSITIVE_INFINITY) continue;
      const total = after.total + imbalance;
      // Of alternatives that have used the same tickets only the best is kept.
      const twin = best.findIndex((other) => other.taken.every((count, size) => count === taken[size]));
      if (twin !== -1 && best[twin].total <= total) continue;
      if (twin !== -1) best.splice(twin, 1);
      const worse = best.findIndex((other) => other.total > total);
      const game = { members, teams: this.#games.teams, imbalance };
      best.splice(worse === -1 ? best.length : worse, 0, { before: after, game, taken, total });
      if (best.length > beamWidth) best.pop();
    }
    return best;
  }

  /** The next tickets of each size that form this mix, the largest first. */
  #members(taken: Uint32Array, mix: Uint8Array): ShapeTicket[] {
    const members: ShapeTicket[] = [];
    for (let size = mix.length - 1; size >= 1; size--) {
      for (let i = 0; i < mix[size]; i++) members.push(this.#lines[size][taken[size] + i]);
    }
    return members;
  }

  /** Whether no two of them are refused and all can be seated, on any team. */
  #mayPlay(members: readonly ShapeTicket[]): boolean {
    return mayAllMeet(members, this.#forbids) && this.#games.haveSeats(members);
  }

  /** The size of the least skilled remaining ticket, 0 if there is none. */
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

  /** How many games the remaining tickets can form. */
  #gamesLeft(taken: Uint32Array): number {
    const left = this.#left;
    for (let size = 1; size < left.length; size++) left[size] = this.#lines[size].length - taken[size];
    return packingNumber(left, this.#teamSizes);
  }
}
