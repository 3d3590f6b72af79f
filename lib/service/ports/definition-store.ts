import type { Deployed, ReplacedDefinition } from '../domain/stored-definition.ts';
import type { Unreadable } from '../domain/unreadable.ts';

/** Stored definitions of a kind. */
export interface StoredDefinitions<Record> {
  readonly records: Record[];
  /** Stored definitions that this version of Muster cannot parse. */
  readonly unreadable: { readonly name: string; readonly error: Unreadable }[];
}

/** The definitions of one kind: queues or ladders. `State` is stored with each definition. */
export interface DefinitionStore<Definition, State> {
  /** @throws Unreadable */
  get(name: string): Promise<(State & { readonly definition: Definition }) | undefined>;
  /** The stored state without the definition, which may be unreadable. @throws Unreadable */
  state(name: string): Promise<State | undefined>;
  /** All of them by name, including deleted ones until they are removed. */
  list(): Promise<StoredDefinitions<State & { readonly definition: Definition }>>;
  /** Records that a deployment has found its definition in force, if the definition is still that of the state. */
  recordDeployed(state: State, name: string, deployed: Deployed): Promise<boolean>;
  /**
   * Permanently removes a definition and its earlier versions, if it is still that of the state. Returns true if it is already
   * removed.
   */
  remove(state: State, name: string): Promise<boolean>;
  /**
   * Keeps a definition that is about to be replaced, and drops the one 50 versions before it. A repeated or late request changes
   * nothing.
   */
  keep(replaced: ReplacedDefinition<Definition>): Promise<void>;
  /** The replaced definitions that are kept and that this version of Muster can parse, in no order. */
  kept(name: string): Promise<ReplacedDefinition<Definition>[]>;
}
