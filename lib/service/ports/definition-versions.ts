import type { ReplacedDefinition } from '../domain/definition-state.ts';

/** The definitions of a kind that were replaced. */
export interface DefinitionVersions<Definition> {
  /**
   * Keeps a definition that is about to be replaced, in the place of the one 50 versions before it. A repetition, or one
   * that is late, changes nothing.
   */
  keep(replaced: ReplacedDefinition<Definition>): Promise<void>;
  /** The definitions that were kept and that this version of Muster can parse, in no order. */
  kept(name: string): Promise<ReplacedDefinition<Definition>[]>;
}
