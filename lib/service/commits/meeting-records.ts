import type { Player, Ticket } from '../../engine/types.ts';
import type { Met } from '../../rules/met.ts';
import type { RuledPlayer } from '../../rules/types.ts';
import type { MeetingRecord } from '../ports/meeting-store.ts';

/** The maximum of meetings in a player's record; the latest are kept. */
export const MET_MAX = 100;

/**
 * The records of meetings that the commit of a game stores, in queues with a `recent` rule. They are written in one transaction
 * with the match, so they are stored together or not at all, and only once. Records of more than 99 players exceed a transaction;
 * the further ones are stored just before the match.
 *
 *     enqueue   copies the player's record into the ticket: no other read, none per tick or poll
 *     tick      reads the meetings of waiting players from their tickets
 *     commit    replaces each player's record: the recent meetings in the ticket, and those of this match
 *     expiry    the store removes a record after the seconds of the rule; older meetings are ignored before that
 *
 * When two tickets of a player are matched at the same time, the record has the meetings of the later commit. A match counts from
 * its commit on, even if it fails afterwards.
 *
 * @param ticketIds of the match, or of the newcomers of a running one, who meet its players and each other
 * @param there the players of the running match. They need no new record: a meeting in the record of one of two players suffices
 */
export function meetingRecords(
  ticketIds: readonly string[],
  tickets: ReadonlyMap<string, Ticket>,
  seconds: number,
  nowMs: number,
  there: readonly Player[] = [],
): MeetingRecord[] {
  const members = ticketIds.map((ticketId) => tickets.get(ticketId)!);
  return members.flatMap((ticket) => {
    const mates = members.filter((other) => other !== ticket).flatMap(({ players }) => players);
    const others = [...mates, ...there];
    const now = others.map(({ playerId }): Met => [playerId, nowMs]);
    const ids = new Set(now.map(([playerId]) => playerId));
    return ticket.players.map((player): MeetingRecord => {
      const before = ((player as RuledPlayer).met ?? []).filter(
        ([playerId, atMs]) => !ids.has(playerId) && atMs > nowMs - 1000 * seconds,
      );
      return {
        playerId: player.playerId,
        met: [...now, ...before].slice(0, MET_MAX),
        expiresAtMs: nowMs + 1000 * seconds,
      };
    });
  });
}
