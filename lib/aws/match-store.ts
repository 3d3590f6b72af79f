import { isDeepStrictEqual } from 'node:util';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { assignmentView } from '../contract/match.ts';
import type { Why } from '../contract/reason-code.ts';
import { allOf } from '../service/concurrency/all-of.ts';
import { MATCH, type Transition } from '../service/domain/statuses.ts';
import { type StoredMatch, storedGame, storedMatchState } from '../service/domain/stored-match.ts';
import { readWith } from '../service/domain/unreadable.ts';
import type { MatchStore, SingleMatchStore } from '../service/ports/match-store.ts';
import { batchGet } from './batch-get.ts';
import { packedGame, packGame } from './compact-game.ts';
import { deadlineGroup } from './deadline-index.ts';
import { conditionally, isTooLarge, itemAfter, secondsAfter, TRANSACTION_MAX, transact } from './dynamo.ts';
import { jsonOf, stringSet } from './item.ts';
import { meetingWrite } from './meeting-store.ts';
import { movedBy } from './status-condition.ts';
import { newWriteMark, wasApplied } from './write-mark.ts';

/** Days that a match is kept. It outlives its tickets, because it holds their status. */
const MATCH_DAYS = 7;
/**
 * The tickets of an abandoned match are looked at again after this: its tick may have been slow instead of dead, and may
 * have claimed tickets until its function ended. Longer than a function runs.
 */
const LOOK_AGAIN_MS = 30_000;

/**
 * Matches in DynamoDB. Key: `matchId`. The sparse index `deadlines` contains the matches with a deadline: see
 * `deadline-index.ts`.
 *
 * The condition of each write on the status is that of its transition in `service/domain/statuses.ts`. Further conditions:
 *
 *     assign    the assignment; COMPLETED    if it has no assignment
 *     end       endedAt                      if it has not ended
 *     dissolve  FAILED                       if no ticket has accepted since
 *
 * An abandoned match has an item, so that it cannot be created later. Every other operation treats it as missing. For
 * writes whose response is lost see `write-mark.ts`.
 */
export function matchStore(
  client: DynamoDBDocumentClient,
  tables: { matches: string; ranges?: string },
): MatchStore {
  return {
    ...singleMatchStore(client, tables.matches),

    async create(match, nowMs, meetings = []) {
      const put = {
        TableName: tables.matches,
        Item: toItem(match, nowMs),
        ConditionExpression: movedBy(CREATE, 'matchId').condition,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      } as const;
      try {
        if (meetings.length === 0) {
          const write = await conditionally(() => client.send(new PutCommand(put)));
          return write.met ? 'created' : found(write.item);
        }
        const writes = meetings.map((record) => meetingWrite(tables.ranges!, match.queue, record));
        const before = writes.splice(TRANSACTION_MAX - 1);
        await allOf(before.map(({ Update }) => client.send(new UpdateCommand(Update))));
        const transaction = await transact(client, [{ Put: put }, ...writes]);
        return transaction.met ? 'created' : found(transaction.items[0]);
      } catch (error) {
        if (!isTooLarge(error)) throw error;
        return 'too-large';
      }
    },
  };
}

const { create: CREATE, ...CHANGES } = MATCH.transitions;
const { abandon: ABANDON, accept: ACCEPT, advance: ADVANCE, assign: ASSIGN } = CHANGES;
const { dissolve: DISSOLVE, fail: FAIL, requeue: REQUEUE, end: END, ticketsReturned: RETURNED } = CHANGES;

/** The status of an abandoned match. */
const ABANDONED = 'ABANDONED';

/** What a put has found in its place: its own match, of which the first response was lost, or an abandoned one. */
function found(item: Record<string, unknown> | undefined): 'created' | 'abandoned' {
  if (item === undefined) throw new Error('Expected the item for which the condition of a put failed');
  return isAbandoned(item) ? 'abandoned' : 'created';
}

/** Whether an item of the matches table is an abandoned match. */
export function isAbandoned(item: Record<string, unknown> | undefined): boolean {
  return item?.status === ABANDONED;
}

/** The operations that need only the matches table. */
export function singleMatchStore(client: DynamoDBDocumentClient, table: string): SingleMatchStore {
  const itemOf = async (matchId: string) => {
    const { Item } = await client.send(
      new GetCommand({ TableName: table, Key: { matchId }, ConsistentRead: true }),
    );
    return Item;
  };

  return {
    async get(matchId) {
      return existing(await itemOf(matchId));
    },

    async getMany(matchIds) {
      const keys = matchIds.map((matchId) => ({ matchId }));
      const matches = (await batchGet(client, table, keys)).flatMap((item) => existing(item) ?? []);
      return new Map(matches.map((match) => [match.matchId, match]));
    },

    async abandon(queue, { matchId, ticketIds }, nowMs) {
      const update = await conditionally(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: { matchId },
            UpdateExpression:
              'SET #status = :abandoned, queue = :queue, #deadline = :deadline, deadlineGroup = :group, expiresAt = :expiresAt ADD ticketIds :ticketIds',
            ConditionExpression: statusOf(ABANDON).condition,
            ExpressionAttributeNames: { '#status': 'status', '#deadline': 'deadline' },
            ExpressionAttributeValues: {
              ...statusOf(ABANDON).values,
              ':abandoned': ABANDONED,
              ':queue': queue,
              ':ticketIds': new Set(ticketIds),
              ':deadline': new Date(nowMs + LOOK_AGAIN_MS).toISOString(),
              ':group': deadlineGroup(matchId),
              ':expiresAt': secondsAfter(nowMs, MATCH_DAYS),
            },
          }),
        ),
      );
      return update.met ? 'abandoned' : 'exists';
    },

    async abandoned(matchId) {
      const item = await itemOf(matchId);
      if (!isAbandoned(item) || item!.deadline === undefined) return undefined;
      return readWith(abandonedItem, item, `abandoned match ${matchId}`);
    },

    async dissolve(match, cancelled, { reason, reasonCode, declinedBy }, nowMs) {
      const acceptBy = match.deadline;
      const mark = newWriteMark();
      const update = await conditionally(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: { matchId: match.matchId },
            UpdateExpression: `SET #status = :failed, reason = :reason, reasonCode = :code, cancelled = :cancelled, #deadline = :now, writeId = :writeId${acceptBy ? ', acceptBy = :acceptBy' : ''}${declinedBy ? ', declinedBy = :declinedBy' : ''}`,
            ConditionExpression: `${statusOf(DISSOLVE).condition} AND ${match.accepted ? 'accepted = :accepted' : 'attribute_not_exists(accepted)'}`,
            ExpressionAttributeNames: { '#status': 'status', '#deadline': 'deadline' },
            ExpressionAttributeValues: {
              ...statusOf(DISSOLVE).values,
              ':failed': 'FAILED',
              ':reason': reason,
              ':code': reasonCode,
              ...(acceptBy !== undefined && { ':acceptBy': acceptBy }),
              ...(declinedBy !== undefined && { ':declinedBy': declinedBy }),
              // A list, because the set of no ticket is not a value.
              ':cancelled': cancelled,
              ':now': new Date(nowMs).toISOString(),
              ':writeId': mark,
              ...(match.accepted && { ':accepted': new Set(match.accepted) }),
            },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return wasApplied(update, mark) ? 'dissolved' : 'lost-race';
    },

    async requeue(matchId, { reason, reasonCode }, nowMs) {
      const update = await conditionally(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: { matchId },
            UpdateExpression:
              'SET #status = :failed, reason = :reason, reasonCode = :code, requeued = :true, #deadline = :now, deadlineGroup = :group',
            ConditionExpression: statusOf(REQUEUE).condition,
            ExpressionAttributeNames: { '#status': 'status', '#deadline': 'deadline' },
            ExpressionAttributeValues: {
              ...statusOf(REQUEUE).values,
              ':failed': 'FAILED',
              ':reason': reason,
              ':code': reasonCode,
              ':true': true,
              ':now': new Date(nowMs).toISOString(),
              ':group': deadlineGroup(matchId),
            },
          }),
        ),
      );
      return update.met;
    },

    async ticketsReturned(matchId) {
      await conditionally(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: { matchId },
            UpdateExpression: 'REMOVE #deadline',
            ConditionExpression: statusOf(RETURNED).condition,
            ExpressionAttributeNames: { '#status': 'status', '#deadline': 'deadline' },
            ExpressionAttributeValues: statusOf(RETURNED).values,
          }),
        ),
      );
    },

    async accept(matchId, ticketId) {
      const update = await conditionally(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: { matchId },
            UpdateExpression: 'ADD accepted :ticket',
            ConditionExpression: statusOf(ACCEPT).condition,
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: { ...statusOf(ACCEPT).values, ':ticket': new Set([ticketId]) },
            ReturnValues: 'ALL_NEW',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return existing(itemAfter(update));
    },

    async end(matchId, nowMs) {
      const update = await conditionally(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: { matchId },
            UpdateExpression: 'SET endedAt = :now',
            ConditionExpression: `${statusOf(END).condition} AND attribute_not_exists(endedAt)`,
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: { ...statusOf(END).values, ':now': new Date(nowMs).toISOString() },
            ReturnValues: 'ALL_NEW',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return existing(itemAfter(update));
    },

    async advance(matchId, from, to, change) {
      const { deadline, reason, reasonCode }: { deadline?: string } & Partial<Why> = change;
      const moved = statusOf(from === 'PLACING' ? FAIL : ADVANCE);
      const sets = [
        '#status = :to',
        deadline && '#deadline = :deadline',
        reason && 'reason = :reason',
        reasonCode && 'reasonCode = :code',
      ].filter(Boolean);
      const update = await conditionally(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: { matchId },
            UpdateExpression: `SET ${sets.join(', ')}${deadline ? '' : ' REMOVE #deadline'}`,
            ConditionExpression: moved.condition,
            ExpressionAttributeNames: { '#status': 'status', '#deadline': 'deadline' },
            ExpressionAttributeValues: {
              ...moved.values,
              ':to': to,
              ...(deadline !== undefined && { ':deadline': deadline }),
              ...(reason !== undefined && { ':reason': reason }),
              ...(reasonCode !== undefined && { ':code': reasonCode }),
            },
          }),
        ),
      );
      return update.met;
    },

    async assign(matchId, assignment) {
      const update = await conditionally(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: { matchId },
            UpdateExpression: 'SET #status = :completed, assignment = :assignment REMOVE #deadline',
            ConditionExpression: `${statusOf(ASSIGN).condition} AND attribute_not_exists(assignment)`,
            ExpressionAttributeNames: { '#status': 'status', '#deadline': 'deadline' },
            ExpressionAttributeValues: {
              ...statusOf(ASSIGN).values,
              ':completed': 'COMPLETED',
              ':assignment': JSON.stringify(assignment),
            },
            ReturnValues: 'ALL_NEW',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      if (update.met) return { outcome: 'assigned', match: toMatch(update.result.Attributes!) };
      const match = existing(update.item);
      if (match === undefined) return undefined;
      const again = match.status === 'COMPLETED' && isDeepStrictEqual(match.assignment, assignment);
      return { outcome: again ? 'assigned' : 'conflict', match };
    },
  };
}

function statusOf(transition: Transition<string>) {
  return movedBy(transition, 'matchId');
}

/** The game as packed JSON: exact for every number, and small. */
function toItem(match: StoredMatch, nowMs: number): Record<string, unknown> {
  const { matchId, queue, status, createdAt, deadline } = match;
  return {
    matchId,
    queue,
    status,
    createdAt,
    deadline,
    deadlineGroup: deadline && deadlineGroup(matchId),
    game: packGame(gameOf(match)),
    expiresAt: secondsAfter(nowMs, MATCH_DAYS),
  };
}

/** A match from its item; undefined when there is none or it was abandoned. */
function existing(item: Record<string, unknown> | undefined): StoredMatch | undefined {
  return item === undefined || isAbandoned(item) ? undefined : toMatch(item);
}

const abandonedItem = z.object({ matchId: z.string(), queue: z.string(), ticketIds: stringSet });

/** The part of a match that is stored as its game. */
export function gameOf(match: StoredMatch) {
  const { matchId, queue, status, createdAt, deadline, accepted, cancelled, assignment, ...rest } = match;
  const { reason, reasonCode, acceptBy, declinedBy, requeued, ...later } = rest;
  const { roster, newTicketIds, endedAt, backfillId, ...game } = later;
  return game;
}

const matchItem = storedMatchState.extend({
  game: packedGame(storedGame),
  accepted: stringSet.exactOptional(),
  assignment: jsonOf(assignmentView).exactOptional(),
});

/**
 * A match from its item.
 * @throws Unreadable
 */
export function toMatch(item: Record<string, unknown>): StoredMatch {
  const { game, ...state } = readWith(matchItem, item, `match ${item.matchId}`);
  return { ...game, ...state };
}
