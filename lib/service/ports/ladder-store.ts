import type { LadderDefinition } from '../../contract/ladder.ts';
import type { DefinitionChange, Deployed } from '../domain/queue-record.ts';

/** A stored ladder. */
export interface LadderRecord {
  readonly definition: LadderDefinition;
  /** The change that made the definition. */
  readonly change: DefinitionChange;
  /** What the last deployment of a folder of definitions has put; absent if none has. */
  readonly deployed?: Deployed;
}

/** Ladders. */
export interface LadderStore {
  get(ladder: string): Promise<LadderRecord | undefined>;
  /** All ladders, by name. */
  list(): Promise<LadderRecord[]>;
  /** Stores a definition whose version is one above the stored version. Returns false if another writer was faster. */
  put(record: LadderRecord): Promise<boolean>;
  /** Removes a ladder if its version is still that of the record. Returns true if it is already removed. */
  remove(record: LadderRecord): Promise<boolean>;
}
