import * as z from 'zod';
import { readState, writeState } from './state-file.ts';

/** The position of each reader in each shard of a stream: the sequence number of the last record handled. */
export interface StreamPositions {
  get(reader: string, shard: string): string | undefined;
  set(reader: string, shard: string, sequenceNumber: string): void;
  /** Writes the remaining positions. */
  close(): void;
}

/** After a crash, records handled within this time may be handled again. No record is skipped. */
const WRITE_EVERY_MS = 200;

/**
 * @param file where positions are stored; when omitted, they are lost when the process ends
 * @throws LocalCloudError when the file cannot be read
 */
export function openStreamPositions(file?: string): StreamPositions {
  const positions = (file === undefined ? undefined : readState(file, storedPositions)) ?? {};
  let timer: NodeJS.Timeout | undefined;
  const write = () => {
    timer = undefined;
    if (file !== undefined) writeState(file, positions);
  };
  return {
    get: (reader, shard) => positions[`${reader} ${shard}`],
    set(reader, shard, sequenceNumber) {
      positions[`${reader} ${shard}`] = sequenceNumber;
      timer ??= setTimeout(write, WRITE_EVERY_MS);
    },
    close() {
      if (timer === undefined) return;
      clearTimeout(timer);
      write();
    },
  };
}

/** Sequence numbers by `READER SHARD`. */
const storedPositions = z.record(z.string(), z.string());
