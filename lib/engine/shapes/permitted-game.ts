import { mayMeet } from '../model/forbids.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Forbids, GameRules } from '../types.ts';
import { type Draft, finishedGame, unitsOf } from './draft.ts';
import type { Permit } from './permit.ts';
import type { ShapedGame } from './shape-game.ts';
import type { ShapeTicket } from './shape-ticket.ts';

/**
 * The game of a full draft with the costs of its ruling; undefined when none was found that is permitted. Where only a
 * whole game shows whether it is permitted, or what it costs, it exchanges players between teams and tickets of the game
 * for tickets in no game as long as that lowers first what the game lacks and then its imbalance. It proves nothing.
 *
 * @param near tickets in no game that may replace others; empty if none may
 */
export function permittedGame(
  draft: Draft,
  near: readonly ShapeTicket[],
  rules: GameRules,
  forbids: Forbids | undefined,
  permit: Permit,
  clock: SearchClock,
): ShapedGame | undefined {
  let best = weigh(draft, rules, permit);
  if (best.lacking === 0 && best.cost === 0) return best.game;
  if (best.lacking === Number.POSITIVE_INFINITY) return undefined;
  const moves = movesOf(draft, near, permit);
  // Neighbouring moves exchange the same unit, so they are tried in strides.
  const stride = strideOf(moves.length);
  let at = 0;
  let failures = 0;
  const callsMax = () =>
    best.lacking > 0 ? Math.max(judgedMax, judgedPerPlayer * draft.players) : judgedMax;
  for (let calls = 0; calls < callsMax() && failures < moves.length && !clock.isOver(draft.players); ) {
    at = (at + stride) % moves.length;
    const undo = make(moves[at], draft, forbids, permit);
    if (!undo) {
      failures++;
      continue;
    }
    calls++;
    const next = weigh(draft, rules, permit);
    if (isBetter(next, best)) {
      best = next;
      failures = 0;
      if (best.lacking === 0 && best.cost === 0 && !permit.judgesTeams) break;
    } else {
      undo();
      failures++;
    }
  }
  return best.lacking === 0 ? best.game : undefined;
}

/** A game, its imbalance with the costs of its ruling as far as it is permitted, and what it lacks to be permitted. */
interface Weighed {
  readonly game: ShapedGame;
  readonly lacking: number;
  readonly cost: number;
}

function weigh(draft: Draft, rules: GameRules, permit: Permit): Weighed {
  const game = finishedGame(draft, rules);
  const lacking = permit.shortfall(game);
  const cost = lacking === 0 ? permit.judge(game).cost : 0;
  return { game: { ...game, imbalance: game.imbalance + cost }, lacking, cost };
}

function isBetter(next: Weighed, best: Weighed): boolean {
  if (next.lacking !== best.lacking) return next.lacking < best.lacking;
  return next.game.imbalance < best.game.imbalance * (1 - 1e-9);
}

/** Exchanges the units at two places of teams, or a unit for a ticket in no game. */
interface Move {
  readonly team: number;
  readonly at: number;
  readonly other: number;
  readonly to: number;
  readonly ticket: ShapeTicket | undefined;
}

function movesOf(draft: Draft, near: readonly ShapeTicket[], permit: Permit): Move[] {
  const { teams } = draft;
  const moves: Move[] = [];
  teams.forEach((units, team) => {
    units.forEach((_, at) => {
      for (const ticket of near) moves.push({ team, at, other: -1, to: -1, ticket });
      if (!permit.judgesTeams) return;
      for (let other = team + 1; other < teams.length; other++)
        for (let to = 0; to < teams[other].length; to++)
          moves.push({ team, at, other, to, ticket: undefined });
    });
  });
  return moves;
}

/** Makes a move if sizes, kinds, roles, refused pairs and constraints allow it. Returns how to undo it. */
function make(
  move: Move,
  draft: Draft,
  forbids: Forbids | undefined,
  permit: Permit,
): (() => void) | undefined {
  const { team, at, other, to, ticket } = move;
  const { teams, layout, members } = draft;
  const mine = teams[team][at];
  const kind = layout.kindOf[team];
  if (ticket) {
    if (mine.ticket.isSplit || ticket.isSplit || members.has(ticket) || ticket.size !== mine.size)
      return undefined;
    if (((ticket.kinds[0] >> kind) & 1) === 0) return undefined;
    const [unit] = unitsOf(ticket, draft.centre);
    if (!draft.canPlay(team, teams[team].with(at, unit))) return undefined;
    if (!mayMeet(ticket, members, forbids, mine.ticket)) return undefined;
    if (permit.costOfReplacing(members, mine.ticket, ticket) === undefined) return undefined;
    teams[team][at] = unit;
    members.delete(mine.ticket);
    members.add(ticket);
    return () => {
      teams[team][at] = mine;
      members.delete(ticket);
      members.add(mine.ticket);
    };
  }
  const theirs = teams[other][to];
  const otherKind = layout.kindOf[other];
  if (theirs.size !== mine.size || theirs.ticket === mine.ticket) return undefined;
  if (((mine.kinds >> otherKind) & 1) === 0 || ((theirs.kinds >> kind) & 1) === 0) return undefined;
  if (!draft.canPlay(team, teams[team].with(at, theirs))) return undefined;
  if (!draft.canPlay(other, teams[other].with(to, mine))) return undefined;
  teams[team][at] = theirs;
  teams[other][to] = mine;
  return () => {
    teams[team][at] = mine;
    teams[other][to] = theirs;
  };
}

/** A step through the places, about their golden section, that visits each of them. */
function strideOf(places: number): number {
  let stride = Math.max(1, Math.round(0.618 * places));
  while (commonDivisor(stride, places) > 1) stride++;
  return stride;
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/** The most games that are judged in search of a better one; and for each player, of one that is permitted. */
const judgedMax = 300;
const judgedPerPlayer = 6;
