import type { LadderDefinition } from '../../contract/ladder.ts';
import type { DefinitionChange, DefinitionState, Deployed } from '../domain/stored-definition.ts';
import type { DefinitionStore } from './definition-store.ts';

/** A stored ladder. */
export interface LadderRecord extends LadderState {
  readonly definition: LadderDefinition;
}

export interface LadderState extends DefinitionState {
  readonly change: DefinitionChange;
}

/** Stores ladders. */
export interface LadderStore extends DefinitionStore<LadderDefinition, LadderState> {
  /**
   * Replaces the definition that was read. Returns false if another writer was faster, or if the ladder was removed and created
   * again.
   * @param replaced the change that made the stored definition; undefined when there is no such ladder
   * @param deployed what the deployment records in the same write @default the stored record of the last deployment stays
   */
  put(record: LadderRecord, replaced: DefinitionChange | undefined, deployed?: Deployed): Promise<boolean>;
}
