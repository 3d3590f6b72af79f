import { isDeepStrictEqual } from 'node:util';
import { type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Why } from '../contract/reason-code.ts';
import { allOf } from '../service/concurrency/in-parallel.ts';
import { MATCH, type Transition } from '../service/domain/statuses.ts';
import type { MatchStore, SingleMatchStore } from '../service/ports/match-store.ts';
import { allWithAnswers, answersStore, withAnswers } from './answers.ts';
import { type Changed, type ItemChange, isAsRead, type Returned } from './change-item.ts';
import { deadlineGroup } from './deadline-index.ts';
import { conditionally, isTooLarge, secondsAfter, TRANSACTION_MAX, transact } from './dynamo.ts';
import { itemTable } from './item-table.ts';
import {
  ABANDONED,
  hasErasures,
  isAbandoned,
  MATCH_DAYS,
  toAbandoned,
  toExistingMatch,
  toItem,
  toMatch,
} from './match-item.ts';
import { meetingWrite } from './meeting-store.ts';
import { statusCondition } from './status-condition.ts';

/**
 * The tickets of an abandoned match are checked again after this time: its tick may have been slow instead of dead, and may have
 * claimed tickets until its function ended. Longer than a function runs.
 */
const RECHECK_MS = 30_000;

/**
 * Matches in DynamoDB. Key: `matchId`. The sparse index `deadlines` contains the matches with a deadline: see
 * `deadline-index.ts`.
 *
 * The condition of each write on the status is that of its transition in `service/domain/statuses.ts`. Further conditions:
 *
 *     assign     if the match has no assignment
 *     end        if it has not ended
 *     result     if it has no result, and has the roster and the erasures that were read
 *
 * An abandoned match has an item, so that it cannot be created later. Every other operation treats it as missing. For writes
 * whose response is lost see `write-mark.ts`.
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
        ConditionExpression: statusCondition(CREATE, 'matchId').condition,
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
const { abandon: ABANDON, advance: ADVANCE, assign: ASSIGN } = CHANGES;
const { dissolve: DISSOLVE, dissolvePlacing: DISSOLVE_PLACING, result: RESULT } = CHANGES;
const { fail: FAIL, requeue: REQUEUE, end: END, ticketsReturned: RETURNED } = CHANGES;

/** The outcome of a put that found an item: the match itself, whose first response was lost, or an abandoned one. */
function found(item: Record<string, unknown> | undefined): 'created' | 'abandoned' {
  if (item === undefined) throw new Error('Expected the item for which the condition of a put failed');
  return isAbandoned(item) ? 'abandoned' : 'created';
}

/** The operations that need only the matches table. */
export function singleMatchStore(client: DynamoDBDocumentClient, table: string): SingleMatchStore {
  return {
    ...matchReads(client, table),
    ...answersStore(client, table),
    ...matchEnds(changes(client, table)),
    ...matchProgress(changes(client, table)),
  };
}

function matchReads(client: DynamoDBDocumentClient, table: string) {
  const items = itemTable(client, table, keyOf);
  return {
    async get(matchId, consistency) {
      const match = toExistingMatch(await items.get([matchId], consistency));
      return match && withAnswers(client, table, match, consistency);
    },

    async getMany(matchIds) {
      const found = await items.all(matchIds.map((matchId) => [matchId]));
      const matches = found.flatMap((item) => toExistingMatch(item) ?? []);
      const answered = await allWithAnswers(client, table, matches);
      return new Map(answered.map((match) => [match.matchId, match]));
    },

    async abandoned(matchId) {
      const item = await items.get([matchId]);
      return isAbandoned(item) && item!.deadline !== undefined ? toAbandoned(item!) : undefined;
    },
  } satisfies Partial<SingleMatchStore>;
}

const keyOf = (matchId: string) => ({ matchId });

/** Changes a match on the condition that its status is one from which the transition starts. */
type Change = (
  matchId: string,
  transition: Transition<string>,
  change: Omit<ItemChange, 'table' | 'key'>,
  returns?: Returned,
) => Promise<Changed>;

function changes(client: DynamoDBDocumentClient, table: string): Change {
  const items = itemTable(client, table, keyOf);
  return (matchId, transition, change, returns) => {
    const conditions = [statusCondition(transition, 'matchId'), ...(change.if ?? [])];
    return items.change([matchId], { ...change, if: conditions }, returns);
  };
}

/** The writes by which a match continues or ends after its game: acceptance, assignment, end and result. */
function matchProgress(change: Change) {
  return {
    async advance(matchId, from, to, more) {
      const { deadline, reason, reasonCode }: { deadline?: string } & Partial<Why> = more;
      const set = { status: to, deadline, reason, reasonCode };
      const remove = deadline === undefined ? ['deadline'] : [];
      return (await change(matchId, from === 'PLACING' ? FAIL : ADVANCE, { set, remove })).met;
    },

    async assign(matchId, assignment) {
      const update = await change(
        matchId,
        ASSIGN,
        {
          set: { status: 'COMPLETED', assignment: JSON.stringify(assignment) },
          remove: ['deadline'],
          if: [isAsRead('assignment', undefined)],
        },
        'after',
      );
      if (update.met) return { outcome: 'assigned', match: toMatch(update.item!) };
      const match = toExistingMatch(update.item);
      if (match === undefined) return undefined;
      const again = match.status === 'COMPLETED' && isDeepStrictEqual(match.assignment, assignment);
      return { outcome: again ? 'assigned' : 'conflict', match };
    },

    async end(matchId, nowMs) {
      const set = { endedAt: new Date(nowMs).toISOString() };
      return toExistingMatch(
        (await change(matchId, END, { set, if: [isAsRead('endedAt', undefined)] }, 'after')).item,
      );
    },

    async result(read, result) {
      const changed = {
        set: { result: JSON.stringify(result) },
        init: { endedAt: result.at },
        if: [isAsRead('result', undefined), isAsRead('roster', read.roster), hasErasures(read)],
      };
      return toExistingMatch((await change(read.matchId, RESULT, changed, 'after')).item);
    },
  } satisfies Partial<SingleMatchStore>;
}

/** The writes that end a match without a game, until its tickets are returned. */
function matchEnds(change: Change) {
  return {
    async abandon(queue, { matchId, ticketIds }, nowMs) {
      const set = {
        status: ABANDONED,
        queue,
        deadline: new Date(nowMs + RECHECK_MS).toISOString(),
        deadlineGroup: deadlineGroup(matchId),
        expiresAt: secondsAfter(nowMs, MATCH_DAYS),
      };
      const { met } = await change(matchId, ABANDON, { set, add: { ticketIds: new Set(ticketIds) } });
      return met ? 'abandoned' : 'exists';
    },

    async dissolve({ matchId, status, deadline }, cancelled, why, nowMs) {
      const isPlacing = status === 'PLACING';
      const set = {
        status: 'FAILED',
        ...why,
        // `deadline` returns the tickets of a match that was PLACING, because it receives the event of the failure.
        ...(isPlacing ? { requeued: true, deadlineGroup: deadlineGroup(matchId) } : { acceptBy: deadline }),
        // Lists, because DynamoDB has no empty sets.
        cancelled,
        deadline: new Date(nowMs).toISOString(),
      };
      const transition = isPlacing ? DISSOLVE_PLACING : DISSOLVE;
      const { met } = await change(matchId, transition, { set, once: true });
      return met ? 'dissolved' : 'lost-race';
    },

    async requeue(matchId, { reason, reasonCode }, nowMs) {
      const deadline = new Date(nowMs).toISOString();
      const failed = { status: 'FAILED', reason, reasonCode, requeued: true };
      const set = { ...failed, deadline, deadlineGroup: deadlineGroup(matchId) };
      return (await change(matchId, REQUEUE, { set })).met;
    },

    async ticketsReturned(matchId) {
      await change(matchId, RETURNED, { remove: ['deadline'] });
    },
  } satisfies Partial<SingleMatchStore>;
}
