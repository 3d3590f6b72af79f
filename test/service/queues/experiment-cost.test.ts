import { beforeAll, expect, it } from 'vitest';
import { block } from '../../../lib/experiments/schedule.ts';
import { putExperiment } from '../../../lib/service/queues/experiments.ts';
import { cancelTicket } from '../../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { type EmulatedTables, startTables, type Wire } from '../../aws/emulated-tables.ts';
import { definition, putQueue } from '../definitions.ts';
import { VirtualCloud } from '../virtual-cloud.ts';

/** A request to the tables, with the units that the tables in memory count as DynamoDB counts them. */
interface Request {
  readonly operation: string;
  readonly units: number;
  /** Its input without what differs between two runs. */
  readonly input: string;
}

const EXPERIMENT = {
  name: 'patience',
  variants: [
    { name: 'today', changes: {} },
    { name: 'patient', changes: { release: { policy: 'periodic', everySeconds: 20 } } },
  ],
  blockMinutes: 5,
  days: 1,
};
/** What differs between runs of the same length: hashes of ticket ids, ids of writes, and the version of the queue's record. */
const DIFFERENT = /(?<=":v\d":")[\w-]{12}(?=")|(?<=\.\d{6}#)[\w-]{9,12}(?=")|(?<=":version":)\d/g;
const STEP_MS = 12_000;

let tables: EmulatedTables;
beforeAll(async () => {
  tables = await startTables('memory');
});

it('costs a write for each tick and stream batch that counts, and a queue without one nothing', async () => {
  const plain = await life('plain-', false);
  const tried = await life('tried-', true);
  const isOfExperiment = ({ input }: Request) => input.includes('#experiment#');
  expect(plain.filter(isOfExperiment)).toEqual([]);
  // Two ticks that match, and a cancelled ticket.
  expect(tried.filter(isOfExperiment).map(({ operation, units }) => [operation, units])).toEqual(
    Array(3).fill(['UpdateItem', 1]),
  );
  // All other requests are the same to the byte, with the matches that they write.
  expect(tried.filter((request) => !isOfExperiment(request))).toEqual(plain);
  expect(plain.filter(({ operation }) => operation === 'PutItem').length).toBeGreaterThan(2);
});

/** The requests of two matches and of a cancelled ticket, while the first variant is in force. */
async function life(queue: string, hasExperiment: boolean): Promise<Request[]> {
  const { cloud, requests } = recorded(queue);
  await putQueue(
    cloud.deps.queues,
    definition({ name: queue, tickSeconds: 10, timeoutSeconds: 60 }),
    cloud.nowMs,
  );
  const before = (await cloud.deps.queues.get(queue))!;
  await putExperiment(cloud.deps.queues, queue, EXPERIMENT, () => 7, cloud.nowMs);
  const begun = (await cloud.deps.queues.get(queue))!;
  const { schedule } = begun.experiment!;
  if (!hasExperiment) {
    await cloud.deps.queues.remove(begun);
    await cloud.deps.queues.put({ ...before, version: 1 });
  }
  const first = [0, 1].map((number) => block(schedule, number)).find(({ variant }) => variant === 0)!;
  cloud.nowMs = first.fromMs + schedule.burnInMs + STEP_MS;
  requests.length = 0;
  const join = async (name: string) => {
    const ticketId = `${queue}:${name}`;
    const players = [{ playerId: `p-${ticketId}`, skill: 1 }];
    await enqueue(cloud.deps, queue, { ticketId, players }, cloud.nowMs);
    return ticketId;
  };
  for (const game of ['1', '2']) {
    await join(`a${game}`);
    await join(`b${game}`);
    await cloud.run(STEP_MS);
  }
  await cancelTicket(cloud.deps, await join('c'), cloud.nowMs);
  await cloud.run(STEP_MS);
  return requests;
}

/** A cloud whose requests are recorded. */
function recorded(queue: string): { cloud: VirtualCloud; requests: Request[] } {
  const requests: Request[] = [];
  const recorder: Wire = async (call, send) => {
    const input = { ...call.input, ReturnConsumedCapacity: 'INDEXES' };
    const reply = await send({ ...call, input, body: JSON.stringify(input) });
    const consumed = [JSON.parse(reply.body).ConsumedCapacity ?? []].flat() as { CapacityUnits: number }[];
    requests.push({
      operation: call.operation,
      units: consumed.reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0),
      input: JSON.stringify(call.input)
        .replaceAll(queue, 'queue-')
        .replace(DIFFERENT, ({ length }) => '.'.repeat(length)),
    });
    return reply;
  };
  const both: EmulatedTables = {
    ...tables,
    client: (wire = (call, send) => send(call)) =>
      tables.client((call, send) => wire(call, (changed) => recorder(changed ?? call, send))),
  };
  const streams = [tables.stream('tickets'), tables.stream('matches')];
  return { cloud: new VirtualCloud(both, streams, `${queue}:`), requests };
}
