import type { TicketView } from '../../contract/ticket.ts';
import type { PlayerTokens } from '../ports/player-tokens.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { pingSecondsOf } from '../queues/read-queues.ts';

export interface WatchInfoDeps {
  readonly queues: Pick<QueueStore, 'get'>;
  readonly tokens: PlayerTokens;
  /** The URL of the WebSocket API. */
  readonly url: string;
}

/** How long a token is valid. A ticket may wait for a day, and is kept for a day after its end. */
const VALID_MS = 2 * 86_400_000;

/**
 * The URL and the token with which each player of a ticket watches it. Tokens end with the ticket. They depend on the ticket
 * alone, so a repeated POST gets the same response, unless its queue gains or loses `presence`.
 */
export async function watchInfo(
  { queues, tokens, url }: WatchInfoDeps,
  ticket: Pick<TicketView, 'ticketId' | 'queue' | 'players' | 'enqueuedAt' | 'queues'>,
): Promise<NonNullable<TicketView['watch']>> {
  const { ticketId, players, enqueuedAt, queues: linked = [{ queue: ticket.queue }] } = ticket;
  const [queue, ...further] = linked.map((one) => one.queue) as [string, ...string[]];
  const also = further.length > 0 ? { also: further.join() } : {};
  const enqueuedAtMs = Date.parse(enqueuedAt);
  const untilMs = enqueuedAtMs + VALID_MS;
  const issued = players.map(
    async ({ playerId }, player): Promise<[string, string]> => [
      playerId,
      await tokens.issue({ ticketId, queue, ...also, playerId, player, enqueuedAtMs }, untilMs),
    ],
  );
  const pingSeconds = await pingSecondsOf({ queues }, [queue, ...further]);
  return {
    url,
    tokens: Object.fromEntries(await Promise.all(issued)),
    ...(pingSeconds !== undefined && { pingSeconds }),
  };
}
