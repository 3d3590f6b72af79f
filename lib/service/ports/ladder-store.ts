import type { LadderDefinition } from '../../contract/ladder.ts';
import type { DefinitionChange, DefinitionState, Deployed } from '../domain/definition-state.ts';
import type { Unreadable } from '../domain/unreadable.ts';
import type { DefinitionVersions } from './definition-versions.ts';

/** A stored ladder. */
export interface LadderRecord extends LadderState {
  readonly definition: LadderDefinition;
}

export interface LadderState extends DefinitionState {
  readonly change: DefinitionChange;
}

export interface StoredLadders {
  readonly records: LadderRecord[];
  /** Existing ladders that this version of Muster cannot parse. */
  readonly unreadable: { readonly ladder: string; readonly error: Unreadable }[];
}

/** Ladders. */
export interface LadderStore extends DefinitionVersions<LadderDefinition> {
  /** @throws Unreadable */
  get(ladder: string): Promise<LadderRecord | undefined>;
  /** The stored state of a ladder without its definition, which may be unreadable. @throws Unreadable */
  state(ladder: string): Promise<LadderState | undefined>;
  /** All ladders, by name. */
  list(): Promise<StoredLadders>;
  /**
   * Stores a definition instead of the one that was read. Returns false if another writer was faster, also one that has removed
   * the ladder and created it again.
   * @param replaced the change that made the stored definition; undefined when there is no such ladder
   * @param deployed what a deployment notes in the same write @default the note stays as it is stored
   */
  put(record: LadderRecord, replaced: DefinitionChange | undefined, deployed?: Deployed): Promise<boolean>;
  /** Notes that a deployment has found its definition in force, if the stored change is still that of the record. */
  noteDeployed(record: LadderState, ladder: string, deployed: Deployed): Promise<boolean>;
  /**
   * Permanently removes a ladder and its earlier definitions if its change is still that of the record. Returns true if it is
   * already removed.
   */
  remove(record: LadderState, ladder: string): Promise<boolean>;
}
