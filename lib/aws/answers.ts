import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { type Answers, askedSeats } from '../service/domain/answers.ts';
import { ANSWERS } from '../service/domain/statuses.ts';
import type { StoredMatch } from '../service/domain/stored-match.ts';
import { readWith } from '../service/domain/unreadable.ts';
import type { Consistency } from '../service/ports/consistency.ts';
import type { SingleMatchStore } from '../service/ports/match-store.ts';
import { secondsAfter } from './dynamo.ts';
import { numberSet } from './item.ts';
import { itemTable } from './item-table.ts';
import { statusCondition } from './status-condition.ts';

/** No id of a match contains this character, so answers are never taken for one. */
const KEY_PREFIX = 'answers#';
/** Days that answers are kept. A match requires them for 15 minutes at most; later a repeated request reads them. */
const ANSWERS_DAYS = 1;

/**
 * The answers to matches that require acceptance, in DynamoDB, in the table of the matches, whose stream reports them to game
 * clients. Key: `matchId`, as `answers#MATCH`. The item is below a kilobyte for 200 seats, so each answer is one write unit.
 *
 * The condition of each write is that of its transition in `service/domain/statuses.ts`. `decline` and `expire` also depend on
 * the number of seats that have accepted. A repetition after a lost response finds its own effect: see `write-mark.ts`.
 */
export function answersStore(client: DynamoDBDocumentClient, table: string) {
  const items = itemTable(client, table, keyOf);
  return {
    async answers(matchId) {
      const item = await items.get([matchId]);
      return item && toAnswers(item);
    },

    async answer(match, write, seats, nowMs) {
      const transition = ANSWERS.transitions[write];
      const of = askedSeats(match).length;
      const isIncomplete = {
        condition: '(attribute_not_exists(accepted) OR size(accepted) < :of)',
        values: { ':of': of },
      };
      const { item } = await items.change(
        [match.matchId],
        {
          set: {
            status: transition.to[0],
            queue: match.queue,
            of,
            declined: write === 'decline' ? new Set(seats) : undefined,
            expiresAt: secondsAfter(nowMs, ANSWERS_DAYS),
          },
          ...(write === 'accept' && { add: { accepted: new Set(seats) } }),
          if: [statusCondition(transition, 'matchId'), ...(write === 'accept' ? [] : [isIncomplete])],
        },
        'after',
      );
      return toAnswers(item!);
    },
  } satisfies Partial<SingleMatchStore>;
}

/** A match with the seats that have accepted, read if it requires acceptance. Functions that read it may not read batches. */
export async function withAnswers(
  client: DynamoDBDocumentClient,
  table: string,
  match: StoredMatch,
  consistency?: Consistency,
): Promise<StoredMatch> {
  if (match.status !== 'REQUIRES_ACCEPTANCE') return match;
  return answered(match, await itemTable(client, table, keyOf).get([match.matchId], consistency));
}

/** The same of several matches, by batches: the functions that read these may not read single items. */
export async function allWithAnswers(
  client: DynamoDBDocumentClient,
  table: string,
  matches: readonly StoredMatch[],
): Promise<StoredMatch[]> {
  const asked = matches.filter(({ status }) => status === 'REQUIRES_ACCEPTANCE');
  const items = await itemTable(client, table, keyOf).all(asked.map(({ matchId }) => [matchId]));
  const found = new Map(items.map((item) => [item.matchId, item]));
  return matches.map((match) => answered(match, found.get(keyOf(match.matchId).matchId)));
}

function answered(match: StoredMatch, item: Record<string, unknown> | undefined): StoredMatch {
  const accepted = item ? toAnswers(item).accepted : [];
  return accepted.length === 0 ? match : { ...match, accepted };
}

/** Whether an item of the matches table has the answers to a match. */
export function isAnswers(item: Record<string, unknown>): boolean {
  return typeof item.matchId === 'string' && item.matchId.startsWith(KEY_PREFIX);
}

/** The match of an item with answers, its queue, and the numbers of players who are asked and who are ready. */
export function readinessIn(item: Record<string, unknown>) {
  const { matchId, queue, of, accepted } = readWith(answersItem, item, `answers ${item.matchId}`);
  return { matchId: matchId.slice(KEY_PREFIX.length), queue, of, ready: accepted.length };
}

/** @throws Unreadable */
function toAnswers(item: Record<string, unknown>): Answers {
  const { status, accepted, declined } = readWith(answersItem, item, `answers ${item.matchId}`);
  return { status, accepted, ...(declined && { declined }) };
}

function keyOf(matchId: string): { matchId: string } {
  return { matchId: `${KEY_PREFIX}${matchId}` };
}

const answersItem = z.object({
  matchId: z.string(),
  queue: z.string(),
  status: z.enum(ANSWERS.statuses),
  of: z.number(),
  accepted: numberSet.optional().transform((seats) => seats ?? []),
  declined: numberSet.exactOptional(),
});
