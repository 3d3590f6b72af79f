import * as z from 'zod';
import { readWith } from '../service/ports/unreadable.ts';

/** An event about a match, as a rule of the bus sends it, and a reminder that Muster has sent itself. */
const matchMessage = z.union([
  z.object({ detail: z.object({ match: z.object({ matchId: z.string() }) }) }),
  z.object({ matchId: z.string() }),
]);

/**
 * The match that a message is about. Nothing else in it is read: the match is read from the store.
 * @throws Unreadable
 */
export function matchIdOf(message: unknown): string {
  const read = readWith(matchMessage, message, 'a message about a match');
  return 'detail' in read ? read.detail.match.matchId : read.matchId;
}
