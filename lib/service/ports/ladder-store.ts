import type { LadderDefinition } from '../../contract/ladder.ts';
import type { DefinitionChange, DefinitionState, Deployed } from '../domain/definition-state.ts';
import type { DefinitionStore } from './definition-store.ts';

/** A stored ladder. */
export interface LadderRecord extends LadderState {
  readonly definition: LadderDefinition;
}

export interface LadderState extends DefinitionState {
  readonly change: DefinitionChange;
}

/** Ladders. */
export interface LadderStore extends DefinitionStore<LadderDefinition, LadderState> {
  /**
   * Stores a definition instead of the one that was read. Returns false if another writer was faster, also one that has removed
   * the ladder and created it again.
   * @param replaced the change that made the stored definition; undefined when there is no such ladder
   * @param deployed what a deployment notes in the same write @default the note stays as it is stored
   */
  put(record: LadderRecord, replaced: DefinitionChange | undefined, deployed?: Deployed): Promise<boolean>;
}
