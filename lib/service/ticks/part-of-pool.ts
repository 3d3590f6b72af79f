import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { seatsOf } from '../../contract/team-kinds.ts';
import { Preparation } from '../../rules/preparation.ts';
import type { RuledPlayer } from '../../rules/types.ts';

/** A part has the players of so many matches at least, whatever their work: fewer may have none. */
const MATCHES_MIN = 2;

/**
 * The part of a pool that one tick searches: as many tickets as it can prepare, because a search that has not begun cannot be cut
 * short. Returns a function that tells of one ticket after another whether it is in the part. After the first that is not, none
 * is.
 *
 * @param workMax the maximum of work, in the units of `Preparation`
 */
export function partOfPool(
  definition: QueueDefinition,
  workMax: number,
): (ticket: { readonly players: readonly RuledPlayer[] }) => boolean {
  const preparation = new Preparation(definition);
  const playersMin = MATCHES_MIN * seatsOf(definition);
  let players = 0;
  let isFull = false;
  return (ticket) => {
    isFull ||= preparation.add(ticket) > workMax && players >= playersMin;
    players += ticket.players.length;
    return !isFull;
  };
}
