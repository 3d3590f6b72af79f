import { type DynamoDBDocumentClient, GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { allOf } from '../service/concurrency/all-of.ts';
import { poolOrder } from '../service/domain/buckets.ts';
import { BACKFILL, MATCH, TICKET } from '../service/domain/statuses.ts';
import { type StoredBackfill, storedRequest, storedState } from '../service/domain/stored-backfill.ts';
import { readWith } from '../service/domain/unreadable.ts';
import type { BackfillStore } from '../service/ports/backfill-store.ts';
import { StoreBusy } from '../service/ports/store-busy.ts';
import { packGame } from './compact-game.ts';
import { conditionally, isTooLarge, itemAfter, secondsAfter, TRANSACTION_MAX, transact } from './dynamo.ts';
import { jsonOf } from './item.ts';
import { gameOf } from './match-store.ts';
import { meetingWrite } from './meeting-store.ts';
import { movedBy } from './status-condition.ts';
import { TICKET_DAYS } from './ticket-store.ts';
import { newWriteMark, wasApplied } from './write-mark.ts';

/** The maximum of open backfills of a range that a tick reads. */
const OPEN_MAX = 1_000;
/** Days that a backfill is kept. */
const BACKFILL_DAYS = 1;

/** No id of a ticket contains this character, so a backfill is never taken for one. */
const MARK = 'backfill#';

/**
 * Backfills in DynamoDB, in the tables of the tickets and the matches. Key: `ticketId`, as `backfill#ID`. Those that have not
 * ended are in the index `pool` of the tickets, under a pool key of their own for each queue, by the mean skill of the
 * players who are there. The attribute `players` holds the request, because the index contains it. A backfill has a `state`
 * in place of a `status`, so that the stream's filter for tickets skips it.
 *
 *     create   put if no such id              and the match: names it as its newest, if it is PLACING or COMPLETED, has the roster
 *                                             that the request is about and has not ended
 *     fill     COMPLETED if QUEUED            and the match: the next roster, if it names this backfill, has the roster that was
 *                                             read and has not ended; every new ticket: MATCHED if QUEUED
 *     end      update if QUEUED
 *
 * A match names one backfill, and a filling takes the name away. So seats are promised once, whatever comes in between: a
 * newer backfill, a cancel, a time-out, the end of the match, another tick.
 */
export function backfillStore(
  client: DynamoDBDocumentClient,
  tables: { tickets: string; matches: string; ranges?: string },
): BackfillStore {
  return {
    async create(backfill, known) {
      const { backfillId, matchId, queue, status, enqueuedAt } = backfill;
      const enqueuedAtMs = Date.parse(enqueuedAt);
      const created = await transact(client, [
        {
          Put: {
            TableName: tables.tickets,
            Item: {
              ticketId: keyOf(backfillId),
              state: status,
              enqueuedAt: enqueuedAtMs,
              players: JSON.stringify(backfillRequestOf(backfill)),
              pool: poolOf(queue),
              poolOrder: poolOrder(backfillId, backfill.players),
              expiresAt: secondsAfter(Date.parse(backfill.timesOutAt), BACKFILL_DAYS),
            },
            ConditionExpression: movedBy(BACKFILL.transitions.create, 'ticketId').condition,
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          },
        },
        {
          Update: {
            TableName: tables.matches,
            Key: { matchId },
            UpdateExpression: 'SET backfillId = :backfillId',
            ConditionExpression: `${ASKED.condition} AND ${IS_NOT_OVER} AND ${hasRoster(known, ':known')}`,
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: {
              ...ASKED.values,
              ':backfillId': backfillId,
              ...(known !== undefined && { ':known': known }),
            },
          },
        },
      ]);
      if (created.met) return { outcome: 'created' };
      const existing = created.items[0];
      return existing ? { outcome: 'exists', existing: toBackfill(existing) } : { outcome: 'refused' };
    },

    async get(backfillId) {
      const { Item } = await client.send(
        new GetCommand({
          TableName: tables.tickets,
          Key: { ticketId: keyOf(backfillId) },
          ConsistentRead: true,
        }),
      );
      return Item && toBackfill(Item);
    },

    async open(queue, { from, to }) {
      const order =
        from !== undefined && to !== undefined
          ? ' AND poolOrder BETWEEN :from AND :to'
          : from !== undefined
            ? ' AND poolOrder >= :from'
            : to !== undefined
              ? ' AND poolOrder < :to'
              : '';
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName: tables.tickets,
          IndexName: 'pool',
          KeyConditionExpression: `#pool = :pool${order}`,
          ExpressionAttributeNames: { '#pool': 'pool' },
          ExpressionAttributeValues: {
            ':pool': poolOf(queue),
            ...(from !== undefined && { ':from': from }),
            ...(to !== undefined && { ':to': to }),
          },
          Limit: OPEN_MAX,
        }),
      );
      return Items.flatMap((item) => {
        const read = backfillItem.safeParse({ ...item, state: 'QUEUED' });
        return read.success ? [backfillOf(read.data)] : [];
      });
    },

    async fill({ backfillId }, { match, before }, nowMs, meetings) {
      // As for a new match: records that the transaction has no room for are stored just before it.
      const records = meetings.map((record) => meetingWrite(tables.ranges!, match.queue, record));
      const early = records.splice(TRANSACTION_MAX - 2 - match.newTicketIds.length);
      try {
        await allOf(early.map(({ Update }) => client.send(new UpdateCommand(Update))));
        const { met } = await transact(client, [
          {
            Update: {
              TableName: tables.matches,
              Key: { matchId: match.matchId },
              UpdateExpression:
                'SET game = :game, roster = :roster, newTicketIds = :newTicketIds REMOVE backfillId',
              ConditionExpression: `backfillId = :backfillId AND #status = :status AND ${IS_NOT_OVER} AND ${hasRoster(before, ':before')}`,
              ExpressionAttributeNames: { '#status': 'status' },
              ExpressionAttributeValues: {
                ':game': packGame(gameOf(match)),
                ':roster': match.roster,
                ':newTicketIds': match.newTicketIds,
                ':backfillId': backfillId,
                ':status': match.status,
                ...(before !== undefined && { ':before': before }),
              },
            },
          },
          {
            Update: {
              TableName: tables.tickets,
              Key: { ticketId: keyOf(backfillId) },
              UpdateExpression: 'SET #state = :completed, roster = :roster REMOVE #pool',
              ConditionExpression: FILLED.condition,
              ExpressionAttributeNames: { '#state': 'state', '#pool': 'pool' },
              ExpressionAttributeValues: {
                ...FILLED.values,
                ':completed': 'COMPLETED',
                ':roster': match.roster,
              },
            },
          },
          ...match.newTicketIds.map((ticketId) => ({
            Update: {
              TableName: tables.tickets,
              Key: { ticketId },
              UpdateExpression:
                'SET #status = :matched, matchId = :matchId, expiresAt = :expiresAt REMOVE #pool',
              ConditionExpression: JOINED.condition,
              ExpressionAttributeNames: { '#status': 'status', '#pool': 'pool' },
              ExpressionAttributeValues: {
                ...JOINED.values,
                ':matched': 'MATCHED',
                ':matchId': match.matchId,
                ':expiresAt': secondsAfter(nowMs, TICKET_DAYS),
              },
            },
          })),
          ...records,
        ]);
        return met ? 'committed' : 'lost-race';
      } catch (error) {
        if (error instanceof StoreBusy) return 'busy';
        if (isTooLarge(error)) return 'too-large';
        throw error;
      }
    },

    async end(backfillId, status, reason, nowMs) {
      const mark = newWriteMark();
      const transition = status === 'CANCELLED' ? BACKFILL.transitions.cancel : BACKFILL.transitions.timeOut;
      const ended = movedBy(transition, 'ticketId', '#state');
      const update = await conditionally(() =>
        client.send(
          new UpdateCommand({
            TableName: tables.tickets,
            Key: { ticketId: keyOf(backfillId) },
            UpdateExpression:
              'SET #state = :state, reason = :reason, expiresAt = :expiresAt, writeId = :writeId REMOVE #pool',
            ConditionExpression: ended.condition,
            ExpressionAttributeNames: { '#state': 'state', '#pool': 'pool' },
            ExpressionAttributeValues: {
              ...ended.values,
              ':state': status,
              ':reason': reason,
              ':expiresAt': secondsAfter(nowMs, BACKFILL_DAYS),
              ':writeId': mark,
            },
            ReturnValues: 'ALL_NEW',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      const item = itemAfter(update);
      return item && { ended: wasApplied(update, mark), backfill: toBackfill(item) };
    },
  };
}

/** Whether an item of the tickets table is a backfill. */
export function isBackfill(item: Record<string, unknown>): boolean {
  return typeof item.ticketId === 'string' && item.ticketId.startsWith(MARK);
}

const ASKED = movedBy(MATCH.transitions.askForPlayers, 'matchId');
const FILLED = movedBy(BACKFILL.transitions.fill, 'ticketId', '#state');
const JOINED = movedBy(TICKET.transitions.join, 'ticketId');
const IS_NOT_OVER = 'attribute_not_exists(endedAt)';

/** The condition that a match has this roster; undefined for the first. */
function hasRoster(roster: number | undefined, value: string): string {
  return roster === undefined ? 'attribute_not_exists(roster)' : `roster = ${value}`;
}

function keyOf(backfillId: string): string {
  return `${MARK}${backfillId}`;
}

/** The pool key of a queue's backfills. Those of tickets end in a layout and a bucket. */
function poolOf(queue: string): string {
  return `${queue}#backfills`;
}

const backfillItem = z.object({
  ticketId: z.string().startsWith(MARK),
  enqueuedAt: z.number(),
  players: jsonOf(storedRequest),
  state: storedState.shape.status,
  roster: storedState.shape.roster,
  reason: storedState.shape.reason,
});

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
    backfillId: ticketId.slice(MARK.length),
    status: state,
    enqueuedAt: new Date(enqueuedAt).toISOString(),
    ...request,
    ...rest,
  };
}
