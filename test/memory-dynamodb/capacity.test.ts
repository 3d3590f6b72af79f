import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { latestMatches } from '../../lib/aws/latest-index.ts';
import { matchStore } from '../../lib/aws/match-store.ts';
import { poolSample } from '../../lib/aws/pool-sample.ts';
import { queueStore } from '../../lib/aws/queue-store.ts';
import { rangeStore } from '../../lib/aws/range-store.ts';
import { ticketStore } from '../../lib/aws/ticket-store.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { EMULATORS, type EmulatedTables, startTables, suiteName, type Wire } from '../aws/emulated-tables.ts';
import { bucketLayout, match, NOW_MS, ticket, unplaced, why } from '../aws/samples.ts';
import { definition } from '../service/definitions.ts';

const { emulator, skipped } = EMULATORS[0]!;

/** The units of a call, by table and index. */
type Bill = Readonly<Record<string, number>>;

describe.skipIf(skipped !== undefined)(suiteName('the capacity units in memory', emulator, skipped), () => {
  let emulated: EmulatedTables;
  let inMemory: EmulatedTables;
  beforeAll(async () => {
    [emulated, inMemory] = await Promise.all([startTables(emulator), startTables('memory')]);
  });
  afterAll(() => emulated?.stop());

  it('are those of the emulator for each call of the stores', async () => {
    const bills = await Promise.all([emulated, inMemory].map((tables) => billsOf(tables)));
    // Calls of one store operation run concurrently and end in any order.
    const lines = bills.map((all) => all.map((one) => JSON.stringify(one)).sort());
    expect(lines[1]).toEqual(lines[0]);
    const units = bills[0]!.flatMap(([, bill]) => Object.values(bill));
    expect(new Set(units).size).toBeGreaterThan(5);
  });
});

/** Calls the stores with items of many sizes. Returns the units of each call. */
async function billsOf(tables: EmulatedTables): Promise<[operation: string, bill: Bill][]> {
  const bills: [string, Bill][] = [];
  const metered: Wire = async (call, send) => {
    const input = { ...call.input, ReturnConsumedCapacity: 'INDEXES' };
    const reply = await send({ ...call, input, body: JSON.stringify(input) });
    if (reply.status === 200) bills.push([call.operation, billOf(JSON.parse(reply.body).ConsumedCapacity)]);
    return reply;
  };
  const client = tables.client(metered);
  const [tickets, matches] = [ticketStore(client, tables.names), matchStore(client, tables.names)];
  const [queues, ranges] = [queueStore(client, tables.names.queues), rangeStore(client, tables.names.ranges)];
  const random = seededRandom(1);
  const layouts = [bucketLayout(1, 50), bucketLayout(2)];

  const record = { definition: definition(), version: 1, layouts, awakeUntilMs: 0, sentUntilMs: 0 };
  await queues.put(record);
  await queues.put({ ...record, version: 2, definition: definition({ timeoutSeconds: 77 }) });
  await queues.keep({ definition: record.definition, change: { version: 1 } });
  await queues.kept('duel');
  await queues.get('duel');
  const ids = Array.from({ length: 40 }, (_, i) => `ticket-${i}-${'x'.repeat(random.integer(40))}`);
  for (const [i, ticketId] of ids.entries()) {
    const skills = Array.from({ length: 1 + random.integer(60) }, () => 100 * random.uniform());
    await tickets.create(ticket('duel', ticketId, skills), layouts[i % 2]!);
  }
  await tickets.waiting('duel', layouts, {});
  await tickets.waiting('duel', layouts, { from: '0000000020', to: '0000000060' });
  await tickets.waiting('duel', layouts, {}, { limit: 10, hasTime: () => true });
  await poolSample(client, tables.names).of('duel', layouts, 8);
  await tickets.survey('duel', layouts, {}, () => true);
  await tickets.hasWaiting('duel', layouts[0]!);
  await tickets.getMany(ids);
  for (const ticketId of ids.slice(0, 10)) await tickets.get(ticketId);
  for (const ticketId of ids.slice(0, 6)) await tickets.claim(ticketId, 'one', NOW_MS);
  await matches.create(match('duel', 'one', ids.slice(0, 6)), NOW_MS);
  for (const ticketId of ids.slice(6, 20)) await tickets.claim(ticketId, 'two', NOW_MS);
  await matches.create(
    {
      ...match('duel', 'two', ids.slice(6, 20)),
      status: 'PLACING',
      deadline: new Date(NOW_MS).toISOString(),
    },
    NOW_MS,
    [{ playerId: 'p', met: [['q', NOW_MS]], expiresAtMs: NOW_MS }],
  );
  for (const ticketId of ids.slice(20, 30)) await tickets.claim(ticketId, 'three', NOW_MS);
  await matches.abandon('duel', { matchId: 'three', ticketIds: ids.slice(20, 30) }, NOW_MS);
  await matches.ticketsReturned('three');
  for (const ticketId of ids.slice(20, 30))
    await tickets.release((await tickets.get(ticketId))!, 'three', layouts[1]!, false, NOW_MS);
  await matches.advance('two', 'PLACING', 'FAILED', unplaced('late'));
  await latestMatches(client, tables.names).of('duel', 2);
  await matches.get('one');
  for (const ticketId of ids.slice(20, 30))
    await tickets.end(ticketId, 'CANCELLED', why('by its player'), NOW_MS);
  const lease = { owner: 'tick', slotMs: 1_000, nowMs: NOW_MS, untilMs: NOW_MS + 10 };
  await ranges.takeLease('duel', ['1.0'], lease);
  await ranges.takeLease('duel', ['1.1', '1.2'], lease);
  await ranges.endLease('duel', ['1.0', '1.1', '1.2'], lease);
  await ranges.putJournal('duel', 'tick', 0, [{ matchId: 'one', ticketIds: ids.slice(0, 6) }], NOW_MS);
  await ranges.journalUntilClosed('duel', 'tick', 0, NOW_MS);
  await ranges.journalUntilClosed('duel', 'tick', 1, NOW_MS);
  await ranges.crashed('duel', ['1.0', '1.1', '1.2', '1.3'], NOW_MS);
  await ranges.remove('duel', ['1.0'], []);
  return bills;
}

function billOf(consumed: Capacity | readonly Capacity[]): Bill {
  const all = [consumed].flat() as Capacity[];
  return Object.fromEntries(
    all.flatMap(({ TableName, Table, GlobalSecondaryIndexes = {} }) => [
      ...(Table === undefined ? [] : [[TableName, Table.CapacityUnits] as const]),
      ...Object.entries(GlobalSecondaryIndexes).map(
        ([index, { CapacityUnits }]) => [`${TableName} ${index}`, CapacityUnits] as const,
      ),
    ]),
  );
}

interface Capacity {
  readonly TableName: string;
  readonly Table?: { readonly CapacityUnits: number };
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits: number }>>;
}
