import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { StoredTicket } from '../service/domain/stored-ticket.ts';
import type { Places } from '../service/ports/ticket-store.ts';
import { secondsAfter } from './dynamo.ts';
import { itemTable } from './item-table.ts';

/** No id of a ticket contains this character, so a place is never taken for one. */
const KEY_PREFIX = 'place#';
/** Longer than a ticket can wait, be placed and run. After this time no request reads the place. */
const PLACE_DAYS = 4;

/**
 * Places in DynamoDB, in the table of the tickets. Key: `ticketId`, as `place#SCOPE#PLAYER`. A place names the ticket that holds
 * it and has no status, so the stream's filter for tickets skips it. Places are never removed, because the state of the ticket
 * decides whether a place is free: see `service/tickets/one-place.ts`.
 */
export async function placesOf(
  client: DynamoDBDocumentClient,
  table: string,
  scope: string,
  playerIds: readonly string[],
): Promise<Places> {
  const items = itemTable(client, table, keyOf);
  const holders = await items.byId(
    playerIds,
    (playerId) => [scope, playerId],
    ({ heldBy }) => (typeof heldBy === 'string' ? heldBy : undefined),
  );
  return { scope, holders };
}

/**
 * The writes that give the places of its players to a ticket, each on the condition that no other ticket has taken the place
 * since it was read.
 * @param places as they were read
 */
export function placeWrites(table: string, ticket: StoredTicket, { scope, holders }: Places) {
  return ticket.players.map(({ playerId }) => {
    const holder = holders.get(playerId);
    return {
      Put: {
        TableName: table,
        Item: {
          ...keyOf(scope, playerId),
          heldBy: ticket.ticketId,
          expiresAt: secondsAfter(Date.parse(ticket.enqueuedAt), PLACE_DAYS),
        },
        ConditionExpression:
          holder === undefined
            ? 'attribute_not_exists(ticketId)'
            : 'attribute_not_exists(ticketId) OR heldBy = :holder',
        ...(holder !== undefined && { ExpressionAttributeValues: { ':holder': holder } }),
      },
    };
  });
}

/** Whether an item of the tickets table is a place. */
export function isPlace(item: Record<string, unknown>): boolean {
  return typeof item.ticketId === 'string' && item.ticketId.startsWith(KEY_PREFIX);
}

/** The scope and the player of a place, and the ticket that holds it; undefined for an item of another version. */
export function placeOf({
  ticketId: key,
  heldBy,
}: Record<string, unknown>): { queue: string; playerId: string; ticketId: string } | undefined {
  const [, queue, playerId] = String(key).split('#');
  if (queue === undefined || playerId === undefined || typeof heldBy !== 'string') return undefined;
  return { queue, playerId, ticketId: heldBy };
}

function keyOf(scope: string, playerId: string) {
  return { ticketId: `${KEY_PREFIX}${scope}#${playerId}` };
}
