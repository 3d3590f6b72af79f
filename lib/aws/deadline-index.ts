import { crc32 } from 'node:zlib';
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { OverdueMatches } from '../service/ports/deadlines.ts';

/**
 * The number of partition keys of the index. A match writes to it up to four times in its life: 1,000 matches a
 * second that are both accepted and placed make 250 write units a second for each key, of 1,000 that
 * DynamoDB allows.
 */
const GROUPS = 16;
/** The maximum of matches that a sweep reads from each group. */
const GROUP_MAX = 500;

/**
 * The partition key of a match in the index `deadlines`.
 *
 * The index has the key `deadlineGroup`, `deadline` and holds keys only. It contains a match while the match has a
 * `deadline`: while it is REQUIRES_ACCEPTANCE or PLACING, and after it was dissolved or abandoned, until its tickets are
 * returned.
 */
export function deadlineGroup(matchId: string): string {
  return String(crc32(matchId) % GROUPS);
}

/**
 * Reads the index: half a read unit for each group when nothing is overdue.
 *
 * The matches of a queue that cannot be read stay overdue, and may be more than a sweep reads. So a larger group is read in two
 * places: from the longest overdue match, and from a random deadline on, which reaches the others sooner or later.
 * @param random in [0, 1)
 */
export function overdueMatches(
  client: DynamoDBDocumentClient,
  table: string,
  random: () => number,
): OverdueMatches {
  const read = async (group: string, from: string, by: string) => {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName: table,
        IndexName: 'deadlines',
        KeyConditionExpression: 'deadlineGroup = :group AND deadline BETWEEN :from AND :by',
        ExpressionAttributeValues: { ':group': group, ':from': from, ':by': by },
        Limit: GROUP_MAX / 2,
      }),
    );
    return { items: Items as Overdue[], hasMore: LastEvaluatedKey !== undefined };
  };
  const inGroup = async (group: string, byMs: number): Promise<string[]> => {
    const by = new Date(byMs).toISOString();
    const { items, hasMore } = await read(group, FIRST, by);
    const last = items.at(-1);
    if (!hasMore || last === undefined) return items.map(({ matchId }) => matchId);
    const lastMs = Date.parse(last.deadline);
    const others = await read(group, new Date(lastMs + random() * (byMs - lastMs)).toISOString(), by);
    return [...new Set([...items, ...others.items].map(({ matchId }) => matchId))];
  };
  return {
    async findOverdue(byMs) {
      const groups = Array.from({ length: GROUPS }, (_, group) => inGroup(String(group), byMs));
      return (await Promise.all(groups)).flat();
    },
  };
}

/** A key before every deadline. DynamoDB rejects empty key values. */
const FIRST = '0';

/** The keys of an item of the index. */
interface Overdue {
  readonly matchId: string;
  readonly deadline: string;
}
