import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type EmulatedTables, startTables, type Tables, tablesInMemory } from '../aws/emulated-tables.ts';
import { type Streams, VirtualCloud } from './virtual-cloud.ts';

/** A virtual cloud for one test, with a queue name that no other test on the same tables uses. */
export interface OwnCloud {
  readonly cloud: VirtualCloud;
  readonly queue: string;
  readonly tables: EmulatedTables;
}

/**
 * Gives each test of a suite its own cloud and queue name, on empty tables in memory, or on the tables of an emulator, which the
 * suite starts once and stops at its end.
 *
 * @param use takes the cloud of the next test
 * @returns begins once more in the middle of a test, with another cloud and queue name
 */
export function ownCloudForEachTest(emulator: Tables, use: (own: OwnCloud) => void): () => void {
  let tables: EmulatedTables;
  let streams: Streams;
  let count = 0;
  const take = (started: EmulatedTables) => {
    tables = started;
    streams = [tables.stream('tickets'), tables.stream('matches')];
  };
  const begin = () => {
    // A cloud runs the ticks of all queues in its tables.
    if (emulator === 'memory') take(tablesInMemory());
    const queue = `queue-${++count}`;
    use({ queue, tables, cloud: new VirtualCloud(tables, streams, `${queue}:`) });
  };
  beforeAll(async () => {
    if (emulator !== 'memory') take(await startTables(emulator));
  });
  afterAll(() => tables?.stop());
  beforeEach(begin);
  return begin;
}
