import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { isAnswers } from '../../lib/aws/answers.ts';
import type { LocalCloud } from '../../lib/local/local-cloud.ts';
import type { NotifiedMatch } from './clients.ts';

/** The state of the tables at the end of a run. */
export interface Audit {
  /** Tickets by their status at the end. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Accepted tickets that are missing. */
  readonly lost: readonly string[];
  /** Tickets that have not ended. */
  readonly stuck: readonly string[];
  /** Tickets in more than one completed match, or in another match than their item names. */
  readonly misplaced: readonly string[];
  readonly matches: number;
  /** Matches without a webhook. */
  readonly unnotified: readonly string[];
}

interface Row {
  readonly ticketId: string;
  readonly status: string;
  readonly matchId?: string;
}

const FINAL = ['COMPLETED', 'CANCELLED', 'TIMED_OUT', 'FAILED'];

/**
 * Compares the tables with the clients' records.
 *
 * @param accepted the ids of the tickets that the API accepted
 * @param notified the matches that arrived by webhook
 */
export async function audit(
  cloud: LocalCloud,
  accepted: readonly string[],
  notified: readonly NotifiedMatch[],
): Promise<Audit> {
  const { TICKETS_TABLE, MATCHES_TABLE } = cloud.function('deadline').environment;
  const client = new DynamoDBClient(cloud.awsConfig);
  const tickets = new Map<string, Row>();
  for await (const row of rows(client, TICKETS_TABLE!, ['ticketId', 'status', 'matchId'])) {
    tickets.set(String(row.ticketId), row as unknown as Row);
  }
  const statusOfMatch = new Map<string, string>();
  for await (const row of rows(client, MATCHES_TABLE!, ['matchId', 'status'])) {
    // An abandoned match never existed. The answers to a match are an item beside it.
    if (row.status !== 'ABANDONED' && !isAnswers(row))
      statusOfMatch.set(String(row.matchId), String(row.status));
  }
  client.destroy();
  const notifiedIds = new Set(notified.map(({ matchId }) => matchId));
  const completed = notified.filter(({ matchId }) => statusOfMatch.get(matchId) === 'COMPLETED');
  const matchOf = new Map<string, string>();
  const twice: string[] = [];
  for (const { matchId, ticketIds } of completed) {
    for (const ticketId of ticketIds) {
      if (matchOf.has(ticketId)) twice.push(ticketId);
      matchOf.set(ticketId, matchId);
    }
  }
  const statusOf = ({ status, matchId }: Row) =>
    matchId === undefined || FINAL.includes(status) ? status : (statusOfMatch.get(matchId) ?? status);
  const all = [...tickets.values()];
  const elsewhere = all.filter(
    (row) => (statusOf(row) === 'COMPLETED' ? row.matchId : undefined) !== matchOf.get(row.ticketId),
  );
  return {
    statuses: Object.fromEntries(
      [...Map.groupBy(all, statusOf)].map(([status, those]) => [status, those.length]),
    ),
    lost: accepted.filter((ticketId) => !tickets.has(ticketId)),
    stuck: all.filter((row) => !FINAL.includes(statusOf(row))).map(({ ticketId }) => ticketId),
    misplaced: [...twice, ...elsewhere.map(({ ticketId }) => ticketId)],
    matches: statusOfMatch.size,
    unnotified: [...statusOfMatch.keys()].filter((matchId) => !notifiedIds.has(matchId)),
  };
}

/** These attributes of every row of a table, read page by page. */
async function* rows(client: DynamoDBClient, table: string, attributes: readonly string[]) {
  let startKey: Record<string, AttributeValue> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({
        TableName: table,
        ProjectionExpression: attributes.map((_, i) => `#${i}`).join(),
        ExpressionAttributeNames: Object.fromEntries(attributes.map((name, i) => [`#${i}`, name])),
        ConsistentRead: true,
        ...(startKey && { ExclusiveStartKey: startKey }),
      }),
    );
    for (const item of Items) yield unmarshall(item);
    startKey = LastEvaluatedKey;
  } while (startKey !== undefined);
}
