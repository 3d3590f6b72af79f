import * as z from 'zod';
import { readWith } from '../service/domain/unreadable.ts';
import { ticketsIn } from '../service/events/trace.ts';

const teams = z.array(z.object({ players: z.array(z.object({ ticketId: z.string().optional() })) }));

/** A match event from a rule of the bus, or a reminder that Muster has sent. */
const matchMessage = z.union([
  z.object({
    detail: z.object({
      match: z.object({ matchId: z.string(), teams: teams.optional().catch(undefined) }),
    }),
  }),
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

/** The log fields of a message about a match: the ids of the match and, if the message has them, of its tickets. */
export function loggedIdsOf(matchId: string, message: unknown): { matchId: string; ticketIds?: string[] } {
  const { data } = matchMessage.safeParse(message);
  const seated = data !== undefined && 'detail' in data ? data.detail.match.teams : undefined;
  return { matchId, ...(seated && { ticketIds: ticketsIn(seated) }) };
}
