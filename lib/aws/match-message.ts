import * as z from 'zod';
import { readWith } from '../service/domain/unreadable.ts';

/** An event about a match from a rule of the bus, or a reminder that Muster has sent to itself. */
const matchMessage = z.union([
  z.object({ detail: z.object({ match: z.object({ matchId: z.string() }) }) }),
  z.object({ matchId: z.string() }),
]);

/**
 * The id of the match in a message. The match itself is read from the store.
 * @throws Unreadable
 */
export function matchIdOf(message: unknown): string {
  const read = readWith(matchMessage, message, 'a message about a match');
  return 'detail' in read ? read.detail.match.matchId : read.matchId;
}
