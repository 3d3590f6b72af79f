import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type EmulatedTables, startTables } from '../aws/emulated-tables.ts';
import { type Streams, VirtualCloud } from './virtual-cloud.ts';

/** A virtual cloud for one test, with a queue name that no other test on the same tables uses. */
export interface OwnCloud {
  readonly cloud: VirtualCloud;
  readonly queue: string;
  /** Those of the suite. */
  readonly tables: EmulatedTables;
}

/**
 * Gives each test of a suite its own cloud and queue name, on tables that the suite starts once and stops at its end.
 *
 * @param use takes the cloud of the next test
 * @returns begins once more in the middle of a test, with another cloud and queue name
 */
export function ownCloudForEachTest(
  emulator: Parameters<typeof startTables>[0],
  use: (own: OwnCloud) => void,
): () => void {
  let tables: EmulatedTables;
  let streams: Streams;
  let count = 0;
  const begin = () => {
    const queue = `queue-${++count}`;
    use({ queue, tables, cloud: new VirtualCloud(tables, streams, `${queue}:`) });
  };
  beforeAll(async () => {
    tables = await startTables(emulator);
    streams = [tables.stream('tickets'), tables.stream('matches')];
  });
  afterAll(() => tables?.stop());
  beforeEach(begin);
  return begin;
}
