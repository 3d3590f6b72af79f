import type { EmulatedTables, Wire } from '../aws/emulated-tables.ts';
import { VirtualCloud } from './virtual-cloud.ts';

/** The write and read units of a request, counted by the tables in memory as DynamoDB counts them. */
export interface Units {
  write: number;
  read: number;
}

interface Consumed {
  readonly CapacityUnits: number;
}

/** A cloud on these tables whose calls are counted. */
export function metered(tables: EmulatedTables, queue: string) {
  const units: Units = { write: 0, read: 0 };
  const meter: Wire = async (call, send) => {
    const input = { ...call.input, ReturnConsumedCapacity: 'INDEXES' };
    const reply = await send({ ...call, input, body: JSON.stringify(input) });
    const consumed = [JSON.parse(reply.body).ConsumedCapacity ?? []].flat() as Consumed[];
    const kind = /^(Get|BatchGet|Query)/.test(call.operation) ? 'read' : 'write';
    for (const { CapacityUnits } of consumed) units[kind] += CapacityUnits;
    return reply;
  };
  const both: EmulatedTables = {
    ...tables,
    client: (wire = (call, send) => send(call)) =>
      tables.client((call, send) => wire(call, (changed) => meter(changed ?? call, send))),
  };
  const streams = [tables.stream('tickets'), tables.stream('matches')];
  const cloud = new VirtualCloud(both, streams, `${queue}:`);
  const unitsOf = async (task: () => Promise<unknown>): Promise<Units> => {
    const before = { ...units };
    await task();
    return { write: units.write - before.write, read: units.read - before.read };
  };
  return { cloud, unitsOf };
}
