import type { Layout } from '../shapes/layout.ts';
import { membersOf } from '../shapes/shape-game.ts';
import { poolShapeTicket, type ShapeTicket } from '../shapes/shape-ticket.ts';
import type { GameRules, TeamMember, Ticket } from '../types.ts';
import type { RunningGame } from './running-game.ts';

/** A running game in the form in which the seats are searched. Skills are relative to `origin`. */
export interface Opening {
  readonly game: RunningGame;
  readonly layout: Layout;
  readonly rules: GameRules;
  readonly origin: number;
  readonly teams: readonly OpenTeam[];
  /** Those who are there, each as a ticket, and all as one. */
  readonly there: readonly ShapeTicket[];
  readonly together: Ticket;
  readonly playerIds: ReadonlySet<string>;
  /** The seats that are empty, and the fewest of them that have to be filled where teams may be short. */
  readonly open: number;
  readonly fewest: number;
}

export interface OpenTeam {
  readonly kind: number;
  /** Those who are there: their relative skills, and their places among the players of the game. */
  readonly skills: readonly number[];
  readonly places: readonly number[];
  /** The classes of seats that each of them can take; undefined when the layout has none. */
  readonly classes: Int32Array | undefined;
  readonly open: number;
  readonly fewest: number;
}

/**
 * @throws RangeError for a game without players, a player on a team that there is not, a team with more players than seats,
 * or an invalid skill
 */
export function openingOf(game: RunningGame, rules: GameRules, layout: Layout, mayBeShort: boolean): Opening {
  const { backfillId, players, requestedAtMs } = game;
  if (players.length === 0)
    throw new RangeError(`Expected backfill ${backfillId} to name players who are there, got none`);
  // One by one: those who are there are no party that has to fit into a team.
  const there = players.map((player) => {
    const { teams: _, ticketId = backfillId, ...own } = player;
    return poolShapeTicket({ ticketId, enqueuedAtMs: 0, players: [own] }, layout);
  });
  const origin = there[0].low;
  const ofTeam = (t: number) => players.flatMap((player, place) => (player.team === t ? [place] : []));
  const teams = layout.kindOf.map((kind, t): OpenTeam => {
    const places = ofTeam(t);
    const { size, minSize } = layout.kinds[kind];
    const open = size - places.length;
    if (open < 0)
      throw new RangeError(
        `Expected backfill ${backfillId} to have at most ${size} players in team ${t}, got ${places.length}`,
      );
    return {
      kind,
      skills: places.map((place) => there[place].low - origin),
      places,
      classes: layout.classes && Int32Array.from(places, (place) => there[place].classes![0]),
      open,
      fewest: mayBeShort ? Math.max(0, minSize - places.length) : open,
    };
  });
  const lost = players.find(({ team }) => teams[team] === undefined);
  if (lost)
    throw new RangeError(
      `Expected player ${lost.playerId} of backfill ${backfillId} in a team from 0 to ${teams.length - 1}, got ${lost.team}`,
    );
  return {
    game,
    layout,
    rules,
    origin,
    teams,
    there,
    together: { ticketId: backfillId, enqueuedAtMs: requestedAtMs, split: true, players },
    playerIds: new Set(players.map(({ playerId }) => playerId)),
    open: sum(teams.map((team) => team.open)),
    fewest: Math.max(1, sum(teams.map((team) => team.fewest))),
  };
}

/** The empty seats of each team when this many newcomers come: as evenly as the least numbers allow. */
export function seatsFor({ teams }: Opening, newcomers: number): number[] {
  const seats = teams.map(({ fewest }) => fewest);
  let left = newcomers - sum(seats);
  for (let t = 0; left > 0; t = (t + 1) % teams.length) {
    if (seats.every((taken, at) => taken >= teams[at].open)) break;
    if (seats[t] >= teams[t].open) continue;
    seats[t]++;
    left--;
  }
  return seats;
}

/** Whether a waiting ticket may come to the game, for what counting shows. */
export function fitsSomewhere(ticket: ShapeTicket, { teams }: Opening): boolean {
  const { kinds, size, isSplit } = ticket;
  if (isSplit) return kinds.every((mask) => teams.some(({ kind, open }) => open > 0 && (mask >> kind) & 1));
  return teams.some(({ kind, open }) => open >= size && (kinds[0] >> kind) & 1);
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

/**
 * The tickets on each team of a filled game, as constraints judge them.
 *
 * @param together the number of those who are there
 * @param newcomers their tickets, with the numbers of these and the team of each player
 */
export function filledTeams(
  { teams, game }: Opening,
  together: number,
  newcomers: readonly ShapeTicket[],
  numbers: readonly number[],
  teamOf: ArrayLike<number>,
): TeamMember[][] {
  const byTeam = membersOf(newcomers, numbers, teamOf, teams.length);
  teams.forEach(({ places }, t) => {
    if (places.length === game.players.length) byTeam[t].unshift(together);
    else if (places.length > 0) byTeam[t].unshift({ ticket: together, players: places });
  });
  return byTeam;
}
