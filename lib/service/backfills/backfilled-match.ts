import { gameJson } from '../../contract/match.ts';
import type { Filling } from '../../policies/plan.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { BackfilledMatch } from '../ports/backfill-store.ts';
import type { OpenBackfill } from './open-backfills.ts';

type Team = StoredMatch['teams'][number];
type Seat = Team['players'][number];

/**
 * The next roster of a match with the newcomers of a filling, and the quality of the match with them. Waits do not count, so the
 * priority is the imbalance. A player who joined without a ticket has none in the roster.
 */
export function backfilledMatch({ backfill, match }: OpenBackfill, filling: Filling): BackfilledMatch {
  const { players } = backfill;
  const game = gameJson({ ...filling, priority: filling.imbalance });
  const withoutTicket = new Set(
    players.filter(({ ticketId }) => ticketId === undefined).map(({ playerId }) => playerId),
  );
  const teams = game.teams.map(
    (team): Team => ({
      ...team,
      players: team.players.map(
        ({ ticketId, ...seat }: Seat): Seat =>
          withoutTicket.has(seat.playerId) || ticketId === undefined ? seat : { ...seat, ticketId },
      ),
    }),
  );
  const seats = teams.flatMap((team) => team.players);
  const ticketIds = [...new Set(seats.flatMap(({ ticketId }) => ticketId ?? []))].sort();
  return {
    match: {
      ...match,
      ...game,
      teams,
      ticketIds,
      roster: (match.roster ?? 1) + 1,
      newTicketIds: [...filling.ticketIds],
    },
    before: match.roster,
  };
}
