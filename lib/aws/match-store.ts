import { isDeepStrictEqual } from 'node:util';
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { assignmentView } from '../contract/match.ts';
import { type StoredMatch, storedGame, storedMatchState } from '../service/placement/stored-match.ts';
import type { MatchStore, SingleMatchStore } from '../service/ports/match-store.ts';
import { StoreBusy } from '../service/ports/store-busy.ts';
import { readWith } from '../service/ports/unreadable.ts';
import { poolKey, poolOrder } from '../service/ticks/buckets.ts';
import { batchGet } from './batch-get.ts';
import { packedGame, packGame } from './compact-game.ts';
import { deadlineGroup } from './deadline-index.ts';
import { conditionally, secondsAfter, transact } from './dynamo.ts';
import { jsonOf, stringSet } from './item.ts';
import { meetingWrite } from './meeting-store.ts';
import { IS_QUEUED, TICKET_DAYS } from './ticket-store.ts';

/** Days that a match is kept. It outlives its tickets, because it holds their status. */
const MATCH_DAYS = 7;

/**
 * Matches in DynamoDB. Key: `matchId`. The sparse index `deadlines` contains the matches with a deadline: see
 * `deadline-index.ts`.
 *
 *     commit    put the match and its meetings, every ticket from QUEUED to the match's status: all or nothing
 *     accept    add a ticket to a set        if status = REQUIRES_ACCEPTANCE
 *     advance   status: from → to            if status = from
 *     assign    the assignment; COMPLETED    if status = PLACING, or COMPLETED without an assignment
 *     dissolve  FAILED, tickets back         if status = REQUIRES_ACCEPTANCE and no ticket accepted since
 *
 * For writes whose response is lost see `write-mark.ts`.
 */
export function matchStore(
  client: DynamoDBDocumentClient,
  tables: { matches: string; tickets: string; ranges?: string },
): MatchStore {
  return {
    ...singleMatchStore(client, tables.matches),

    async commit(match, nowMs, meetings = []) {
      try {
        const outcome = await transact(client, [
          {
            Put: {
              TableName: tables.matches,
              Item: toItem(match, nowMs),
              ConditionExpression: 'attribute_not_exists(matchId)',
            },
          },
          ...match.ticketIds.map((ticketId) => ({
            Update: {
              TableName: tables.tickets,
              Key: { ticketId },
              UpdateExpression:
                'SET #status = :status, matchId = :matchId, expiresAt = :expiresAt REMOVE #pool',
              ConditionExpression: IS_QUEUED,
              ExpressionAttributeNames: { '#status': 'status', '#pool': 'pool' },
              ExpressionAttributeValues: {
                ':queued': 'QUEUED',
                ':status': match.status,
                ':matchId': match.matchId,
                ':expiresAt': secondsAfter(nowMs, TICKET_DAYS),
              },
            },
          })),
          ...meetings.map((record) => meetingWrite(tables.ranges!, match.queue, record)),
        ]);
        return outcome === 'done' ? 'committed' : 'lost-race';
      } catch (error) {
        if (error instanceof StoreBusy) return 'busy';
        throw error;
      }
    },

    async dissolve(match, { requeue, cancel }, layout, reason, nowMs) {
      const theirs = '#status = :requiresAcceptance AND matchId = :matchId';
      const mine = { ':requiresAcceptance': 'REQUIRES_ACCEPTANCE', ':matchId': match.matchId };
      const outcome = await transact(client, [
        {
          Update: {
            TableName: tables.matches,
            Key: { matchId: match.matchId },
            UpdateExpression: 'SET #status = :failed, reason = :reason REMOVE #deadline',
            ConditionExpression: `#status = :requiresAcceptance AND ${match.accepted ? 'accepted = :accepted' : 'attribute_not_exists(accepted)'}`,
            ExpressionAttributeNames: { '#status': 'status', '#deadline': 'deadline' },
            ExpressionAttributeValues: {
              ':requiresAcceptance': 'REQUIRES_ACCEPTANCE',
              ':failed': 'FAILED',
              ':reason': reason,
              ...(match.accepted && { ':accepted': new Set(match.accepted) }),
            },
          },
        },
        ...requeue.map((ticket) => {
          const order = poolOrder(ticket.ticketId, ticket.players);
          return {
            Update: {
              TableName: tables.tickets,
              Key: { ticketId: ticket.ticketId },
              UpdateExpression:
                'SET #status = :queued, #pool = :pool, poolOrder = :poolOrder REMOVE matchId, expiresAt',
              ConditionExpression: theirs,
              ExpressionAttributeNames: { '#status': 'status', '#pool': 'pool' },
              ExpressionAttributeValues: {
                ...mine,
                ':queued': 'QUEUED',
                ':pool': poolKey(ticket.queue, layout!, order),
                ':poolOrder': order,
              },
            },
          };
        }),
        ...cancel.map((ticket) => ({
          Update: {
            TableName: tables.tickets,
            Key: { ticketId: ticket.ticketId },
            UpdateExpression: 'SET #status = :cancelled, reason = :reason, expiresAt = :expiresAt',
            ConditionExpression: theirs,
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: {
              ...mine,
              ':cancelled': 'CANCELLED',
              ':reason': reason,
              ':expiresAt': secondsAfter(nowMs, TICKET_DAYS),
            },
          },
        })),
      ]);
      return outcome === 'done' ? 'dissolved' : 'lost-race';
    },
  };
}

/** The operations that need only the matches table. */
export function singleMatchStore(client: DynamoDBDocumentClient, table: string): SingleMatchStore {
  return {
    async get(matchId) {
      const { Item } = await client.send(
        new GetCommand({ TableName: table, Key: { matchId }, ConsistentRead: true }),
      );
      return Item && toMatch(Item);
    },

    async getMany(matchIds) {
      const keys = matchIds.map((matchId) => ({ matchId }));
      const matches = (await batchGet(client, table, keys)).map(toMatch);
      return new Map(matches.map((match) => [match.matchId, match]));
    },

    async accept(matchId, ticketId) {
      const update = await conditionally(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: { matchId },
            UpdateExpression: 'ADD accepted :ticket',
            ConditionExpression: '#status = :requiresAcceptance',
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: {
              ':ticket': new Set([ticketId]),
              ':requiresAcceptance': 'REQUIRES_ACCEPTANCE',
            },
            ReturnValues: 'ALL_NEW',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      const item = update.met ? update.result.Attributes : update.item;
      return item && toMatch(item);
    },

    async advance(matchId, from, to, { deadline, reason }) {
      const sets = [
        '#status = :to',
        deadline && '#deadline = :deadline',
        reason && 'reason = :reason',
      ].filter(Boolean);
      const update = await conditionally(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: { matchId },
            UpdateExpression: `SET ${sets.join(', ')}${deadline ? '' : ' REMOVE #deadline'}`,
            ConditionExpression: '#status = :from',
            ExpressionAttributeNames: { '#status': 'status', '#deadline': 'deadline' },
            ExpressionAttributeValues: {
              ':from': from,
              ':to': to,
              ...(deadline !== undefined && { ':deadline': deadline }),
              ...(reason !== undefined && { ':reason': reason }),
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
            ConditionExpression:
              '#status = :placing OR (#status = :completed AND attribute_not_exists(assignment))',
            ExpressionAttributeNames: { '#status': 'status', '#deadline': 'deadline' },
            ExpressionAttributeValues: {
              ':placing': 'PLACING',
              ':completed': 'COMPLETED',
              ':assignment': JSON.stringify(assignment),
            },
            ReturnValues: 'ALL_NEW',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      if (update.met) return { outcome: 'assigned', match: toMatch(update.result.Attributes!) };
      if (update.item === undefined) return undefined;
      const match = toMatch(update.item);
      const again = match.status === 'COMPLETED' && isDeepStrictEqual(match.assignment, assignment);
      return { outcome: again ? 'assigned' : 'conflict', match };
    },
  };
}

/** The game as packed JSON: exact for every number, and small. */
function toItem(match: StoredMatch, nowMs: number): Record<string, unknown> {
  const { matchId, queue, status, createdAt, deadline, ticketIds, ...game } = match;
  return {
    matchId,
    queue,
    status,
    createdAt,
    deadline,
    deadlineGroup: deadline && deadlineGroup(matchId),
    game: packGame({ ticketIds, ...game }),
    expiresAt: secondsAfter(nowMs, MATCH_DAYS),
  };
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
