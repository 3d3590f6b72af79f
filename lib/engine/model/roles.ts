import type { GameRules, Player } from '../types.ts';
import { shapeOf } from './game-shape.ts';

/**
 * The roles of a queue as bit sets. A player is the set ("mask") of roles it accepts, a team has
 * `seats[r]` seats of role r, a game as many for each of its teams.
 *
 * Players that can be seated together form a transversal matroid, so by Hall's theorem a set of
 * exactly as many players as there are seats can be seated if and only if for every set B of roles
 * at least `seats(B)` players accept some role of B (and, equivalently, for every set A at most
 * `seats(A)` players accept nothing outside A).
 */
export class RoleTable {
  readonly names: readonly string[];
  readonly seats: readonly number[];
  /** `seatsOf[B]`: the seats of a team in the role set B; `gameSeatsOf[B]`: those of all teams. */
  readonly seatsOf: Uint8Array;
  readonly gameSeatsOf: Uint8Array;
  /** The set of all roles, also the number of non-empty role sets. */
  readonly all: number;

  constructor(roles: Readonly<Record<string, number>>, teams: number) {
    this.names = Object.keys(roles)
      .filter((name) => roles[name] > 0)
      .sort();
    this.seats = this.names.map((name) => roles[name]);
    this.all = 2 ** this.names.length - 1;
    this.seatsOf = new Uint8Array(this.all + 1);
    for (let set = 1; set <= this.all; set++) {
      this.seatsOf[set] = this.seatsOf[set & (set - 1)] + this.seats[31 - Math.clz32(set & -set)];
    }
    this.gameSeatsOf = this.seatsOf.map((seats) => teams * seats);
  }

  static of(rules: GameRules): RoleTable | undefined {
    if (rules.roles === undefined) return undefined;
    return new RoleTable(rules.roles, shapeOf(rules).teamSizes.length);
  }

  /** The roles that the player accepts: all when it names none, and none when it names only unknown roles. */
  maskOf(player: Player): number {
    if (player.roles === undefined) return this.all;
    let mask = 0;
    for (let r = 0; r < this.names.length; r++) if (player.roles.includes(this.names[r])) mask |= 1 << r;
    return mask;
  }

  /** Whether these players can be seated in one team; seats may stay empty. Cost: the role sets times the players. */
  canSeatTeam(masks: ArrayLike<number>): boolean {
    return canSeat(masks, this.seatsOf);
  }

  /** Whether these players can be seated in a game, on either team. Cost: as `canSeatTeam`. */
  canSeatGame(masks: ArrayLike<number>): boolean {
    return canSeat(masks, this.gameSeatsOf);
  }

  /**
   * Assigns a role to every player of one full team; undefined if that is impossible. It uses augmenting paths in the
   * given order, so the same players in the same order get the same roles.
   */
  seat(masks: ArrayLike<number>): string[] | undefined {
    const seated: number[][] = this.seats.map(() => []);
    const seatPlayer = (player: number, tried: number): number => {
      for (let r = 0; r < this.seats.length; r++) {
        const role = 1 << r;
        if ((masks[player] & role) === 0 || (tried & role) !== 0) continue;
        tried |= role;
        if (seated[r].length < this.seats[r]) {
          seated[r].push(player);
          return -1;
        }
        for (let s = 0; s < seated[r].length; s++) {
          const moved = seatPlayer(seated[r][s], tried);
          if (moved === -1) {
            seated[r][s] = player;
            return -1;
          }
          tried |= moved;
        }
      }
      return tried;
    };
    for (let i = 0; i < masks.length; i++) if (seatPlayer(i, 0) !== -1) return undefined;
    const roles: string[] = new Array(masks.length);
    seated.forEach((players, r) => {
      for (const player of players) roles[player] = this.names[r];
    });
    return roles;
  }
}

/** Hall's condition: no role set has more players confined to it than seats. */
function canSeat(masks: ArrayLike<number>, seatsOf: Uint8Array): boolean {
  for (let set = 0; set < seatsOf.length; set++) {
    let confined = 0;
    for (let i = 0; i < masks.length; i++) if ((masks[i] & ~set) === 0) confined++;
    if (confined > seatsOf[set]) return false;
  }
  return true;
}
