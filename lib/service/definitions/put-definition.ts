import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { check, type FieldProblem, invalid } from '../../contract/problem.ts';
import { queueName } from '../../contract/queue-definition.ts';
import { changeOf, type DefinitionState } from '../domain/stored-definition.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import {
  type ChangeNotes,
  type CheckedDefinitions,
  type Definitions,
  definitionOrState,
  isOpen,
  type Kind,
  type Named,
} from './definition-kind.ts';
import { checkIfMatch, etagOf } from './etag.ts';

/** The maximum of tries to change a definition that others are changing. */
export const TRIES_MAX = 5;

/**
 * Parses the definition that a client PUTs under a name.
 * @throws Problem (400)
 */
export async function parsePut<Definition extends Named>(
  definitions: CheckedDefinitions<Definition>,
  name: string,
  body: unknown,
): Promise<Definition> {
  const { data, problems = [] } = check(definitions.schema, body);
  const { name: written } = named.safeParse(body).data ?? { name };
  if (written !== name)
    problems.push({ pointer: '#/name', detail: `Expected the name in the path, ${name}, got ${written}` });
  if (data !== undefined) problems.push(...(await problemsOf(definitions, data)));
  if (data === undefined || problems.length > 0)
    throw invalid(`The ${definitions.kind} definition`, problems);
  return data;
}

const named = z.object({ name: queueName });

/** Why a definition cannot be put: fields that break the rules of the deployment, and names of missing definitions. */
export async function problemsOf<Definition extends Named>(
  definitions: CheckedDefinitions<Definition>,
  definition: Definition,
): Promise<readonly FieldProblem[]> {
  const { uses } = definitions;
  const used = uses?.nameIn(definition);
  if (uses === undefined || used === undefined) return definitions.problemsOf(definition);
  if (isOpen(await definitionOrState(uses.definitions, used))) return definitions.problemsOf(definition);
  return [...definitions.problemsOf(definition), missing(uses.definitions.kind, used)];
}

function missing(kind: Kind, name: string): FieldProblem {
  return {
    pointer: `#/${kind}`,
    detail: `Expected the name of a ${kind} (GET /${kind}s), got ${name}: PUT /${kind}s/${name} first`,
  };
}

/**
 * Creates or changes a definition. Putting the definition in force again changes nothing.
 *
 *     keep   the definition in force, among the versions that can be restored. A crash after it: it is kept and still in force,
 *            and `versions.ts` lists it once
 *     put    one conditional write. After it the change is complete
 *
 * A definition that cannot be read is replaced too; the rest of its record stays.
 * @param notes the author of the change, and the version that it restores
 * @param ifMatch the ETag of the definition that may be replaced. It is not checked when the definition is in force already, so a
 * repeated request succeeds @default any may be replaced
 * @throws Problem 409 it cannot be replaced now, or there are too many, 412 another definition is in force
 * @throws Unreadable when the state cannot be read either
 */
export async function putDefinition<Definition extends Named, State extends DefinitionState>(
  definitions: Definitions<Definition, State>,
  definition: Definition,
  nowMs: number,
  notes: ChangeNotes = {},
  ifMatch?: string,
): Promise<{ outcome: 'created' | 'changed' | 'unchanged'; definition: Definition; etag: string }> {
  const { kind } = definitions;
  const { name } = definition;
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const old = await definitionOrState(definitions, name);
    const inForce = isOpen(old) ? old : undefined;
    const change = changeOf(old);
    if (isDeepStrictEqual(inForce?.definition, definition))
      return { outcome: 'unchanged', definition, etag: etagOf({ definition, change }) };
    if (ifMatch !== undefined) checkIfMatch(ifMatch, kind, name, inForce && { ...inForce, change });
    if (await definitions.replace(old, definition, nowMs, notes)) {
      const etag = etagOf({ definition, change: { version: change.version + 1 } });
      return { outcome: inForce === undefined ? 'created' : 'changed', definition, etag };
    }
  }
  throw isChanging(kind, name);
}

/** The error of a change that lost every race against other writers. */
export function isChanging(kind: Kind, name: string): StoreBusy {
  return new StoreBusy(`${kind} ${name} is being changed by others`);
}
