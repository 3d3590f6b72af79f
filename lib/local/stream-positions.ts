import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** The position of each reader in each shard of a stream: the sequence number of the last record handled. */
export interface StreamPositions {
  get(reader: string, shard: string): string | undefined;
  set(reader: string, shard: string, sequenceNumber: string): void;
  /** Writes the remaining positions. */
  close(): void;
}

/** After a crash, records handled within this time may be handled again. No record is skipped. */
const WRITE_EVERY_MS = 200;

/** @param file where positions are stored; when omitted, they are lost when the process ends */
export function openStreamPositions(file?: string): StreamPositions {
  const positions: Record<string, string> = file === undefined ? {} : read(file);
  let timer: NodeJS.Timeout | undefined;
  const write = () => {
    timer = undefined;
    if (file === undefined) return;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, JSON.stringify(positions));
    renameSync(`${file}.new`, file);
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

function read(file: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
