import { shapeOf } from '../engine/game-pool.ts';
import type { Game, GameRules, Seat, Ticket } from '../engine/types.ts';
import type { RuledPlayer } from '../rules/types.ts';
import { type Candidate, meanSkill } from './policy.ts';
import type { WaitingPool } from './waiting-pool.ts';

/** How many of the nearest tickets are tried before bots take the remaining seats. */
const NEIGHBOURS_ASKED = 64;
/** The ids of bots begin with it. `~` is in no id that a client may choose, so a bot never has the id of a player or ticket. */
const BOT = 'bot~';

/**
 * Releases a game for a ticket that reached its time-out. The game takes the nearest waiting tickets that fit.
 * Bots with the ticket's mean skill fill the remaining seats. They are named bot~1, bot~2, …, play the missing
 * roles and are marked in their seats. The game's `ticketIds` contain only the tickets of people, and its `lowerBound` is that of
 * games of people alone.
 *
 * @returns undefined when the roles that the ticket accepts leave it no seat
 */
export function fillWithBots(pool: WaitingPool, ticket: Ticket, rules: GameRules): Game | undefined {
  const { seats } = shapeOf(rules);
  const gameOf = (people: readonly Ticket[], players: number): Candidate | undefined =>
    pool.fullGameOf([...people, ...botsFor(ticket, seats - players)]);

  let people: readonly Ticket[] = [ticket];
  let players = ticket.players.length;
  let filled = gameOf(people, players);
  if (filled === undefined) return undefined;
  let asked = 0;
  for (const neighbour of pool.near(ticket)) {
    if (asked++ === NEIGHBOURS_ASKED) break;
    const more = players + neighbour.players.length;
    if (more > seats) continue;
    const game = gameOf([...people, neighbour], more);
    if (game === undefined) continue;
    people = [...people, neighbour];
    players = more;
    filled = game;
  }
  const game = pool.take({ game: filled.game, tickets: people });
  return {
    ...game,
    teams: game.teams.map((team) => team.map(marked)),
    ticketIds: people.map(({ ticketId }) => ticketId).sort(),
  };
}

/** Bots that have waited as long as the ticket, so that rules are as relaxed with them as without. */
function botsFor(ticket: Ticket, count: number): Ticket[] {
  const { enqueuedAtMs } = ticket;
  const skill = meanSkill(ticket);
  return Array.from({ length: count }, (_, at) => {
    const name = `${BOT}${at + 1}`;
    const player: RuledPlayer = { playerId: name, skill, bot: true };
    return { ticketId: name, enqueuedAtMs, players: [player] };
  });
}

function marked(seat: Seat): Seat {
  return seat.ticketId.startsWith(BOT) ? { ...seat, bot: true } : seat;
}
