import type { Ticket } from '../../engine/types.ts';
import type { Released } from '../../policies/plan.ts';
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
 * Those who were in a running match need no new record: a meeting in the record of one of two players suffices.
 *
 * @param tickets with those of the game, or of the newcomers of a running match
 */
export function meetingRecords(
  { ticketIds, teams }: Pick<Released, 'ticketIds' | 'teams'>,
  tickets: ReadonlyMap<string, Ticket>,
  seconds: number,
  nowMs: number,
): MeetingRecord[] {
  const people = teams.flat().filter(({ bot }) => !bot);
  return ticketIds.flatMap((ticketId) => {
    const { players } = tickets.get(ticketId)!;
    const own = new Set(players.map(({ playerId }) => playerId));
    const others = people.filter(({ playerId }) => !own.has(playerId));
    const now = others.map(({ playerId }): Met => [playerId, nowMs]);
    const ids = new Set(now.map(([playerId]) => playerId));
    return players.map((player): MeetingRecord => {
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
