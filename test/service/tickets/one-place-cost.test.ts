import { readFileSync } from 'node:fs';
import { join as path } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ticketStore } from '../../../lib/aws/ticket-store.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import type { StoredMatch } from '../../../lib/service/domain/stored-match.ts';
import type { QueuedTicket } from '../../../lib/service/domain/stored-ticket.ts';
import { freePlaces } from '../../../lib/service/tickets/one-place.ts';
import { type EmulatedTables, startTables, type Wire } from '../../aws/emulated-tables.ts';
import { bucketLayout, match, NOW_MS, ticket } from '../../aws/samples.ts';

/** The write and read units of posting a ticket, counted by the tables in memory as DynamoDB counts them. */
interface Units {
  write: number;
  read: number;
}

interface Consumed {
  readonly CapacityUnits: number;
}

let tables: EmulatedTables;
beforeAll(async () => {
  tables = await startTables('memory');
});

it('costs the units that the documentation says', async () => {
  const rows: string[] = [];
  for (const size of [1, 5]) {
    for (const again of [false, true]) {
      const without = await unitsOf(`plain-${size}-${again}`, size, again, false);
      const withPlaces = await unitsOf(`place-${size}-${again}`, size, again, true);
      const who = `${size === 1 ? 'one player' : `${size} players`}, ${again ? `who ${size === 1 ? 'has' : 'have'} played before` : 'for the first time'}`;
      rows.push(`| ${who} | ${without.write} | ${withPlaces.write} | ${withPlaces.read} |`);
    }
  }
  const page = readFileSync(path(import.meta.dirname, '../../../docs/benchmarks.md'), 'utf8');
  for (const row of rows) expect(page).toContain(row);
});

/** @param again whether the players' places name a ticket whose match has ended */
async function unitsOf(queue: string, size: number, again: boolean, onePlace: boolean): Promise<Units> {
  const units: Units = { write: 0, read: 0 };
  let counts = false;
  const metered: Wire = async (call, send) => {
    const input = { ...call.input, ReturnConsumedCapacity: 'INDEXES' };
    const reply = await send({ ...call, input, body: JSON.stringify(input) });
    const consumed = [JSON.parse(reply.body).ConsumedCapacity].flat() as Consumed[];
    const kind = /^(Get|BatchGet|Query)/.test(call.operation) ? 'read' : 'write';
    if (counts) for (const { CapacityUnits } of consumed) units[kind] += CapacityUnits;
    return reply;
  };
  const tickets = ticketStore(tables.client(metered), tables.names);
  const of = (name: string) => {
    const one = ticket(queue, `${queue}-3f0c8a6e-4b7a-9c02-1e6b7${name}`, Array(size).fill(1500));
    const players = one.players.map((player, i) => ({
      ...player,
      playerId: `9b2fd1c4-77aa-4c55-8e3b-0a1f2e3d4c${10 + i}`,
    }));
    return { ...one, players };
  };
  const ended: StoredMatch = match(queue, 'm', [of('00').ticketId], { endedAt: '2026-01-01T12:00:00.000Z' });
  const matches = {
    get: async () => {
      // A match of ten players is one item of less than 4 KB, read consistently.
      if (counts) units.read += 1;
      return ended;
    },
  };
  const noQueues = { get: async () => undefined };
  const layout = bucketLayout(1);
  const post = async (one: QueuedTicket) => {
    const places = onePlace
      ? await freePlaces({ tickets, matches, queues: noQueues }, one, queue, NOW_MS)
      : undefined;
    if (places instanceof Problem) throw places;
    await tickets.create(one, layout, false, places && { places: [places] });
  };
  if (again) {
    await post(of('00'));
    await tickets.claim(of('00').ticketId, 'm', Date.parse(of('00').enqueuedAt));
  }
  counts = true;
  await post(of('01'));
  return units;
}
