import { crc32 } from 'node:zlib';
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { OverdueMatches } from '../service/ports/overdue-matches.ts';

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

/** Reads the index: half a read unit for each group when nothing is overdue. */
export function overdueMatches(client: DynamoDBDocumentClient, table: string): OverdueMatches {
  const inGroup = async (group: string, by: string): Promise<string[]> => {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: table,
        IndexName: 'deadlines',
        KeyConditionExpression: 'deadlineGroup = :group AND deadline <= :by',
        ExpressionAttributeValues: { ':group': group, ':by': by },
        Limit: GROUP_MAX,
      }),
    );
    return Items.map(({ matchId }) => matchId as string);
  };
  return {
    async until(byMs) {
      const by = new Date(byMs).toISOString();
      const groups = Array.from({ length: GROUPS }, (_, group) => inGroup(String(group), by));
      return (await Promise.all(groups)).flat();
    },
  };
}
