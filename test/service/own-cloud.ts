import { afterAll, beforeAll, beforeEach } from 'vitest';
import {
  clearTables,
  type EmulatedTables,
  startTables,
  type Tables,
  tablesInMemory,
} from '../aws/emulated-tables.ts';
import { type Streams, VirtualCloud } from './virtual-cloud.ts';

/** A virtual cloud on empty tables. */
export interface OwnCloud {
  readonly cloud: VirtualCloud;
  readonly queue: string;
  readonly tables: EmulatedTables;
}

/**
 * All tests have the same name, because much follows from hashes of names and ids: the slots of a group, which tickets a tick
 * checks. So a test does the same whatever ran before it, and so does each run of a test that begins several times.
 */
const QUEUE = 'queue-1';

/**
 * Gives each test of a suite its own cloud, on empty tables in memory, or on the tables of an emulator, which the suite starts
 * once, empties before each test and stops at its end.
 *
 * @param use takes the cloud of the next test
 * @returns begins once more in the middle of a test, with another cloud and empty tables
 */
export function ownCloudForEachTest(emulator: Tables, use: (own: OwnCloud) => void): () => Promise<void> {
  let tables: EmulatedTables;
  let streams: Streams;
  const take = (started: EmulatedTables) => {
    tables = started;
    streams = [tables.stream('tickets'), tables.stream('matches')];
  };
  const begin = async () => {
    if (emulator === 'memory') take(tablesInMemory());
    else {
      await clearTables(tables);
      await Promise.all(streams.map((read) => read()));
    }
    use({ queue: QUEUE, tables, cloud: new VirtualCloud(tables, streams, `${QUEUE}:`) });
  };
  beforeAll(async () => {
    if (emulator !== 'memory') take(await startTables(emulator));
  });
  afterAll(() => tables?.stop());
  beforeEach(begin);
  return begin;
}
