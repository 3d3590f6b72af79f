import { poolTicket } from '../model/pooled-ticket.ts';
import type { Layout } from '../shapes/layout.ts';
import { seatingOfTeam } from '../shapes/seating.ts';
import { poolShapeTicket, type ShapeTicket } from '../shapes/shape-ticket.ts';
import type { Room } from '../shapes/size-mixes.ts';
import type { GameRules } from '../types.ts';
import type { RunningGame } from './running-game.ts';

/** A running game in the form in which its seats are filled. Skills of teams are relative to `origin`. */
export interface Opening {
  readonly game: RunningGame;
  readonly layout: Layout;
  readonly rules: GameRules;
  readonly origin: number;
  readonly teams: readonly OpenTeam[];
  /** Those who are there, each as a ticket, and all as one whose players are seated. */
  readonly there: readonly ShapeTicket[];
  readonly seated: ShapeTicket;
  readonly playerIds: ReadonlySet<string>;
  /** The empty seats of the teams. */
  readonly room: Room;
  /** How many they are, and the fewest of them that have to be filled where teams may be short. */
  readonly open: number;
  readonly fewest: number;
}

export interface OpenTeam {
  readonly kind: number;
  /** Those who are there: their relative skills, and their places among the players of the game. */
  readonly skills: readonly number[];
  readonly places: readonly number[];
  readonly open: number;
  readonly fewest: number;
}

/**
 * @throws RangeError for a game without players, a player on a team that there is not, a team with more players than seats,
 * or an invalid skill
 */
export function openingOf(game: RunningGame, rules: GameRules, layout: Layout, mayBeShort: boolean): Opening {
  const { backfillId, players } = game;
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
    const skills = places.map((place) => there[place].low - origin);
    const fewest = mayBeShort ? Math.max(0, minSize - places.length) : open;
    return { kind, skills, places, open, fewest };
  });
  const lost = players.find(({ team }) => teams[team] === undefined);
  if (lost)
    throw new RangeError(
      `Expected player ${lost.playerId} of backfill ${backfillId} in a team from 0 to ${teams.length - 1}, got ${lost.team}`,
    );
  const open = teams.filter((team) => team.open > 0);
  return {
    game,
    layout,
    rules,
    origin,
    teams,
    there,
    seated: seatedTicket(game, there, layout),
    playerIds: new Set(players.map(({ playerId }) => playerId)),
    room: {
      kinds: open.map((team) => ({ size: team.open, minSize: team.fewest })),
      kindOf: [...open.keys()],
      partyMax: Math.max(0, ...open.map((team) => team.open)),
    },
    open: sum(teams.map((team) => team.open)),
    fewest: Math.max(1, sum(teams.map((team) => team.fewest))),
  };
}

/** Those who are there as one ticket, each on the team on which it plays. */
function seatedTicket(
  { backfillId, requestedAtMs, players }: RunningGame,
  there: readonly ShapeTicket[],
  layout: Layout,
): ShapeTicket {
  const ticket = { ticketId: backfillId, enqueuedAtMs: requestedAtMs, split: true, players };
  const teams = Int32Array.from(players, ({ team }) => team);
  const classesOf = (kind: number) =>
    layout.classes!.reduce((mask, one, c) => (one.kind === kind ? mask | (1 << c) : mask), 0);
  return {
    ...poolTicket(ticket, players.length),
    isSplit: true,
    kinds: teams.map((team) => 1 << layout.kindOf[team]),
    classes: layout.classes && teams.map((team, i) => there[i].classes![0] & classesOf(layout.kindOf[team])),
    teams,
  };
}

/** Whether those who are there accept the roles that they have to play. */
export function canPlay({ teams, there, layout }: Opening): boolean {
  return teams.every(({ kind, places }) => {
    const seating = seatingOfTeam(layout, kind);
    return seating === undefined || places.every((place) => seating.joinOne(there[place].classes![0]));
  });
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
