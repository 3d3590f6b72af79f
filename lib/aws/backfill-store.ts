import { type DynamoDBDocumentClient, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { allOf } from '../service/concurrency/in-parallel.ts';
import { poolOrder } from '../service/domain/buckets.ts';
import { BACKFILL, MATCH, TICKET } from '../service/domain/statuses.ts';
import { type StoredBackfill, storedRequest, storedState } from '../service/domain/stored-backfill.ts';
import type { StoredTicket } from '../service/domain/stored-ticket.ts';
import { readWith } from '../service/domain/unreadable.ts';
import type { BackfilledMatch, BackfillStore } from '../service/ports/backfill-store.ts';
import { StoreBusy } from '../service/ports/store-busy.ts';
import { type ItemChange, isAsRead, updateOf } from './change-item.ts';
import { packGame } from './compact-game.ts';
import { isTooLarge, secondsAfter, TRANSACTION_MAX, transact } from './dynamo.ts';
import { isOfEntry } from './entries.ts';
import { jsonOf } from './item.ts';
import { itemTable } from './item-table.ts';
import { gameOf } from './match-item.ts';
import { meetingWrite } from './meeting-store.ts';
import { statusCondition } from './status-condition.ts';
import { inRange, sortKeyAfter } from './ticket-pool.ts';
import { TICKET_DAYS } from './ticket-store.ts';

/** Days that a backfill is kept. */
const BACKFILL_DAYS = 1;

/** No id of a ticket contains this character, so a backfill is never taken for one. */
const KEY_PREFIX = 'backfill#';

/**
 * Backfills in DynamoDB, in the tables of the tickets and the matches. Key: `ticketId`, as `backfill#ID`. Those that have not
 * ended are in the index `pool` of the tickets, under a separate pool key for each queue, in order of the mean skill of the
 * players in the match. The attribute `players` holds the request, because the index contains it. A backfill has a `state`
 * instead of a `status`, so that the stream's filter for tickets skips it.
 *
 *     create   puts the backfill if its id is new. In the match: names it as the newest, if the match is PLACING or COMPLETED,
 *              has the roster of the request and has not ended
 *     fill     COMPLETED if QUEUED. In the match: the next roster, if it names this backfill, has the roster that was read and
 *              has not ended. Every new ticket: MATCHED if QUEUED
 *     end      updates it if QUEUED
 *
 * A match names one backfill, and filling it removes the name. So a seat is promised once, even if a newer backfill, a cancel, a
 * time-out, the end of the match or another tick comes in between.
 */
export function backfillStore(
  client: DynamoDBDocumentClient,
  tables: { tickets: string; matches: string; ranges?: string },
): BackfillStore {
  const items = itemTable(client, tables.tickets, keyOf);
  return {
    async create(backfill, known) {
      const { backfillId, matchId } = backfill;
      const created = await transact(client, [
        {
          Put: {
            TableName: tables.tickets,
            Item: toItem(backfill),
            ConditionExpression: statusCondition(BACKFILL.transitions.create, 'ticketId').condition,
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
        {
          Update: updateOf({
            table: tables.matches,
            key: { matchId },
            set: { backfillId },
            if: [ASKED, IS_NOT_OVER, isAsRead('roster', known)],
          }),
        },
      ]);
      if (created.met) return { outcome: 'created' };
      const existing = created.items[0];
      return existing ? { outcome: 'exists', existing: toBackfill(existing) } : { outcome: 'refused' };
    },

    async get(backfillId) {
      const item = await items.get([backfillId]);
      return item && toBackfill(item);
    },

    async open(queue, range, limit) {
      const query = { ...inRange(tables.tickets, poolOf(queue), range), Limit: limit };
      const { Items = [], LastEvaluatedKey: last } = await client.send(new QueryCommand(query));
      const backfills = Items.flatMap((item) => {
        const read = backfillItem.safeParse({ ...item, state: 'QUEUED' });
        return read.success ? [backfillOf(read.data)] : [];
      });
      return { backfills, ...(last && { next: sortKeyAfter(last.poolOrder) }) };
    },

    async fill({ backfillId }, filled, nowMs, meetings, linked = []) {
      const { match } = filled;
      // As for a new match, records that do not fit into the transaction are stored just before it.
      const records = meetings.map((record) => meetingWrite(tables.ranges!, match.queue, record));
      const early = records.splice(TRANSACTION_MAX - 2 - match.newTicketIds.length);
      const changes = fillChanges(tables, backfillId, filled, nowMs, linked);
      try {
        await allOf(early.map(({ Update }) => client.send(new UpdateCommand(Update))));
        const writes = [...changes.map((change) => ({ Update: updateOf(change) })), ...records];
        return (await transact(client, writes)).met ? 'committed' : 'lost-race';
      } catch (error) {
        if (error instanceof StoreBusy) return 'busy';
        if (isTooLarge(error)) return 'too-large';
        throw error;
      }
    },

    async end(backfillId, status, reason, nowMs) {
      const transition = status === 'CANCELLED' ? BACKFILL.transitions.cancel : BACKFILL.transitions.timeOut;
      const { met, item } = await items.change(
        [backfillId],
        {
          set: { state: status, reason, expiresAt: secondsAfter(nowMs, BACKFILL_DAYS) },
          remove: ['pool'],
          if: [statusCondition(transition, 'ticketId', '#state')],
          once: true,
        },
        'after',
      );
      return item && { ended: met, backfill: toBackfill(item) };
    },
  };
}

/** The writes that fill a backfill: of the match, of the backfill itself, and of each new ticket. */
function fillChanges(
  { tickets, matches }: { readonly tickets: string; readonly matches: string },
  backfillId: string,
  { match, before }: BackfilledMatch,
  nowMs: number,
  linked: readonly StoredTicket[],
): ItemChange[] {
  const { matchId, roster, newTicketIds } = match;
  const matched = { status: 'MATCHED', matchId, expiresAt: secondsAfter(nowMs, TICKET_DAYS) };
  return [
    {
      table: matches,
      key: { matchId },
      set: { game: packGame(gameOf(match)), roster, newTicketIds },
      remove: ['backfillId'],
      if: [
        isAsRead('backfillId', backfillId),
        isAsRead('status', match.status),
        isAsRead('roster', before),
        IS_NOT_OVER,
      ],
    },
    {
      table: tickets,
      key: keyOf(backfillId),
      set: { state: 'COMPLETED', roster },
      remove: ['pool'],
      if: [FILLED],
    },
    ...newTicketIds.map((ticketId) => {
      const read = linked.find((one) => one.ticketId === ticketId);
      return {
        table: tickets,
        key: { ticketId },
        set: read === undefined ? matched : { ...matched, queue: match.queue },
        remove: ['pool'],
        if: [JOINED, ...(read === undefined ? [] : isOfEntry(read))],
      };
    }),
  ];
}

/** Whether an item of the tickets table is a backfill. */
export function isBackfill(item: Record<string, unknown>): boolean {
  return typeof item.ticketId === 'string' && item.ticketId.startsWith(KEY_PREFIX);
}

const ASKED = statusCondition(MATCH.transitions.askForPlayers, 'matchId');
const FILLED = statusCondition(BACKFILL.transitions.fill, 'ticketId', '#state');
const JOINED = statusCondition(TICKET.transitions.join, 'ticketId');
const IS_NOT_OVER = isAsRead('endedAt', undefined);

function keyOf(backfillId: string): { ticketId: string } {
  return { ticketId: `${KEY_PREFIX}${backfillId}` };
}

/** The pool key of a queue's backfills. Pool keys of tickets end in a layout and a bucket. */
function poolOf(queue: string): string {
  return `${queue}#backfills`;
}

const backfillItem = z.object({
  ticketId: z.string().startsWith(KEY_PREFIX),
  enqueuedAt: z.number(),
  players: jsonOf(storedRequest),
  state: storedState.shape.status,
  roster: storedState.shape.roster,
  reason: storedState.shape.reason,
});

function toItem(backfill: StoredBackfill) {
  const { backfillId, queue, status, enqueuedAt, players, timesOutAt } = backfill;
  return {
    ...keyOf(backfillId),
    state: status,
    enqueuedAt: Date.parse(enqueuedAt),
    players: JSON.stringify(backfillRequestOf(backfill)),
    pool: poolOf(queue),
    poolOrder: poolOrder(backfillId, players),
    expiresAt: secondsAfter(Date.parse(timesOutAt), BACKFILL_DAYS),
  };
}

/** The part of a backfill that is stored as its request. */
export function backfillRequestOf(backfill: StoredBackfill) {
  const { backfillId: _, status: __, enqueuedAt: ___, roster: ____, reason: _____, ...request } = backfill;
  return request;
}

/**
 * A backfill from its item.
 * @throws Unreadable
 */
export function toBackfill(item: Record<string, unknown>): StoredBackfill {
  return backfillOf(readWith(backfillItem, item, `${item.ticketId}`));
}

function backfillOf({
  ticketId,
  enqueuedAt,
  players: request,
  state,
  ...rest
}: z.output<typeof backfillItem>): StoredBackfill {
  return {
    backfillId: ticketId.slice(KEY_PREFIX.length),
    status: state,
    enqueuedAt: new Date(enqueuedAt).toISOString(),
    ...request,
    ...rest,
  };
}
