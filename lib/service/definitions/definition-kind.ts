import type * as z from 'zod';
import { type FieldProblem, Problem } from '../../contract/problem.ts';
import type {
  DefinitionChange,
  DefinitionState,
  Deployed,
  ReplacedDefinition,
} from '../domain/stored-definition.ts';
import { Unreadable } from '../domain/unreadable.ts';

/** A kind of definition: queues, and ladders that queues name. */
export type Kind = 'queue' | 'ladder';

export interface Named {
  readonly name: string;
}

/** The state of a stored definition, with the definition if it can be read. */
export type Live<Definition, State = DefinitionState> = State & { readonly definition?: Definition };

/** The stored definitions of one kind. Changes with ETags, versions and deployments are written once, over this interface. */
export interface Definitions<Definition extends Named, State extends DefinitionState = DefinitionState> {
  readonly kind: Kind;
  /** @throws Unreadable */
  get(name: string): Promise<(State & { readonly definition: Definition }) | undefined>;
  /** Without the definition, which may be unreadable. @throws Unreadable */
  state(name: string): Promise<State | undefined>;
  /** The definitions that are not deleted and can be read, in no order. */
  open(): Promise<readonly Definition[]>;
  /** The replaced definitions that are kept, in no order. */
  kept(name: string): Promise<readonly ReplacedDefinition<Definition>[]>;
  /** Why a definition in this state cannot be replaced now; undefined if it can. */
  changeConflict(name: string, live: State, nowMs: number): string | undefined;
  /**
   * Replaces or creates a definition, if it is still as it was read.
   * @param deployed what the deployment records in the same write
   * @returns false if another writer was faster
   * @throws Problem (409) when it cannot be replaced now, or there are too many
   */
  replace(
    old: Live<Definition, State> | undefined,
    definition: Definition,
    nowMs: number,
    change: ChangeNotes,
    deployed?: Deployed,
  ): Promise<boolean>;
  /** Records that a deployment has found its definition in force, if it is still as it was read. */
  recordDeployed(live: State, name: string, deployed: Deployed): Promise<boolean>;
  /** Deletes a definition whose file was removed, if it is still as it was read. If the file returns, it counts as new. */
  remove(live: State & { readonly definition: Definition }, nowMs: number): Promise<boolean>;
}

/** Who changes a definition, and the version that it restores. */
export type ChangeNotes = Pick<DefinitionChange, 'by' | 'restored'>;

/** Definitions with the rules that a definition must satisfy before it is put. */
export interface CheckedDefinitions<Definition extends Named, State extends DefinitionState = DefinitionState>
  extends Definitions<Definition, State> {
  readonly schema: z.ZodType<Definition>;
  /** The fields that break the rules of the deployment. */
  problemsOf(definition: Definition): readonly FieldProblem[];
  /** The kind of definitions that these may name. A named definition has to exist. */
  readonly uses?: {
    readonly definitions: Pick<Definitions<Named>, 'kind' | 'get' | 'state'>;
    nameIn(definition: Definition): string | undefined;
  };
}

/**
 * Reads a definition, or only its state if the definition cannot be read. @throws Unreadable when its state cannot be read either
 */
export async function definitionOrState<Definition extends Named, State extends DefinitionState>(
  definitions: Pick<Definitions<Definition, State>, 'get' | 'state'>,
  name: string,
): Promise<Live<Definition, State> | undefined> {
  try {
    return await definitions.get(name);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return definitions.state(name);
  }
}

/** Whether there is a definition that is not deleted. */
export function isOpen<State extends DefinitionState>(live: State | undefined): live is State {
  return live !== undefined && live.deletedAt === undefined;
}

/** The error for a missing definition. */
export function noSuchDefinition(kind: Kind, name: string): Problem {
  return new Problem(404, `There is no ${kind} ${JSON.stringify(name)}. GET /${kind}s lists all ${kind}s.`);
}
