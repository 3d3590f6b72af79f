import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { overdueMatches } from '../../lib/aws/deadline-index.ts';
import { startTables } from './emulated-tables.ts';
import { NOW_MS } from './samples.ts';

it('finds an overdue match sooner or later beside more matches than it reads, which stay overdue', async () => {
  const tables = await startTables('memory');
  const client = tables.client();
  const put = (matchId: string, deadlineMs: number) =>
    client.send(
      new PutCommand({
        TableName: tables.names.matches,
        Item: { matchId, deadlineGroup: '0', deadline: new Date(deadlineMs).toISOString() },
      }),
    );
  const HOUR_MS = 3_600_000;
  const count = 2_000;
  for (let i = 0; i < count; i++) await put(`stuck-${i}`, NOW_MS + (HOUR_MS * i) / count);
  await put('lost', NOW_MS + 0.7 * HOUR_MS);

  const sweeps = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      overdueMatches(client, tables.names.matches, () => i / 20).findOverdue(NOW_MS + HOUR_MS),
    ),
  );
  const found = sweeps.filter((matchIds) => matchIds.includes('lost'));
  expect(found.length).toBeGreaterThanOrEqual(2);
  for (const matchIds of sweeps) {
    expect(matchIds.length).toBeLessThanOrEqual(500);
    expect(matchIds).toContain('stuck-0');
  }
  await tables.stop();
});
