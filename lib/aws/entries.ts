import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { allOf } from '../service/concurrency/in-parallel.ts';
import { poolOrder } from '../service/domain/buckets.ts';
import type { StoredTicket, TicketInQueue } from '../service/domain/stored-ticket.ts';
import { StoreBusy, unlessBusy } from '../service/ports/store-busy.ts';
import type { TicketStore } from '../service/ports/ticket-store.ts';
import type { Condition } from './change-item.ts';
import { packPlayers } from './compact-players.ts';
import { conditionally, secondsAfter } from './dynamo.ts';

/** Longer than a ticket can wait. An entry that nothing has removed then expires. */
const ENTRY_DAYS = 2;

/**
 * Entries of linked tickets in DynamoDB. Key: `pool` and `poolOrder`, as in the index of the tickets, with the digest of the post
 * and the number `n` of returns in the sort key. So the removal of an earlier wait's entry never removes that of a later one.
 *
 *     post             entries with `n` 0, then the ticket
 *     repeated post    the entries of a QUEUED ticket again
 *     claim            the ticket alone, on the condition that it is QUEUED, and has the digest and the number of the entry
 *     create a match   the match, then the removal of its tickets' entries
 *     release          from a match that never existed: the ticket alone; its entries have stayed
 *     return           from a match that players have seen: entries with `n` + 1, then the ticket with `n` + 1 returns
 *     end              the ticket, then the removal of its entries
 *
 * A crash in between leaves stale entries, or entries without a ticket. The ticks of their queue check each entry once a minute
 * and remove them: see `service/commits/stale-entries.ts`.
 */
export function entries(
  client: DynamoDBDocumentClient,
  table: string,
): Pick<TicketStore, 'removeEntries' | 'removeEntry'> & {
  /** Puts the entries of a ticket; an ordinary ticket has none. */
  put(ticket: StoredTicket, nowMs: number): Promise<void>;
} {
  const put = async (Item: Readonly<Record<string, unknown>>, queue: string) => {
    try {
      await client.send(new PutCommand({ TableName: table, Item }));
    } catch (error) {
      throw error instanceof StoreBusy ? new StoreBusy(error.message, { cause: error, queue }) : error;
    }
  };
  const remove = async (Key: Readonly<Record<string, string>>, condition: object = {}) => {
    await conditionally(() => client.send(new DeleteCommand({ TableName: table, Key, ...condition })));
  };
  return {
    async put(ticket, nowMs) {
      const { ticketId, linked, returns: n = 0 } = ticket;
      await allOf(
        entryViews(ticket).map((view) =>
          put(
            {
              ...keyOf(ticket, view),
              ticketId,
              linked,
              n,
              enqueuedAt: Date.parse(ticket.enqueuedAt),
              players: packPlayers(view.players, view.split),
              putAt: nowMs,
              expiresAt: secondsAfter(nowMs, ENTRY_DAYS),
            },
            view.queue,
          ),
        ),
      );
    },

    async removeEntries(ticket) {
      await unlessBusy(allOf(entryViews(ticket).map((view) => remove(keyOf(ticket, view)))));
    },

    async removeEntry({ entry }, putBeforeMs) {
      if (entry === undefined) return;
      const isOld = {
        ConditionExpression: 'putAt < :before',
        ExpressionAttributeValues: { ':before': putBeforeMs },
      };
      const { pool, poolOrder } = entry;
      await remove({ pool, poolOrder }, putBeforeMs === undefined ? {} : isOld);
    },
  };
}

/**
 * The condition that a ticket is the one for which an entry was put, and has not returned since. No condition for tickets known
 * by id only.
 */
export function isOfEntry({ linked, entry }: StoredTicket): Condition[] {
  if (entry === undefined) return [];
  const returned = entry.n === 0 ? 'attribute_not_exists(#returns)' : '#returns = :n';
  const values = { ':linked': linked, ...(entry.n > 0 && { ':n': entry.n }) };
  return [{ condition: `#linked = :linked AND ${returned}`, values }];
}

const entryViews = ({ views = [] }: StoredTicket) => views.filter(({ pool }) => pool !== undefined);

/** The number has four digits, so that the last entry of a ticket sorts last in its pool. */
function keyOf({ ticketId, linked, returns = 0 }: StoredTicket, { pool, players }: TicketInQueue) {
  const n = String(returns).padStart(4, '0');
  return { pool: pool!, poolOrder: `${poolOrder(ticketId, players)} ${linked} ${n}` };
}
