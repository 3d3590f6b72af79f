import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** How far each reader has come in each shard of a stream: the sequence number of the last record handled. */
export interface StreamPositions {
  get(reader: string, shard: string): string | undefined;
  set(reader: string, shard: string, sequenceNumber: string): void;
  /** Writes what is not yet written. */
  close(): void;
}

/** A record may be handled again after a crash that comes within this time; none is left out. */
const WRITE_EVERY_MS = 200;

/** @param file where positions are kept; left out: they are gone with the process */
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
