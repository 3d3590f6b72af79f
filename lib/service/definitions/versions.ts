import { type DefinitionVersion, VERSIONS_KEPT } from '../../contract/definition-versions.ts';
import { invalid, Problem } from '../../contract/problem.ts';
import { changeOf, type DefinitionState, type ReplacedDefinition } from '../domain/stored-definition.ts';
import {
  type ChangeNotes,
  type CheckedDefinitions,
  type Definitions,
  type Named,
  noSuchDefinition,
} from './definition-kind.ts';
import { etagOf } from './etag.ts';
import { problemsOf, putDefinition } from './put-definition.ts';

/**
 * The last versions of a definition, the newest first. The first one is in force. Versions that this version of Muster cannot
 * parse are omitted.
 * @throws Problem (404)
 */
export async function listVersions<Definition extends Named>(
  definitions: Definitions<Definition>,
  name: string,
): Promise<DefinitionVersion<Definition>[]> {
  const record = await openDefinition(definitions, name);
  return [inForceOf(record), ...(await replacedBefore(definitions, record)).map(toView)];
}

/**
 * Puts the definition of a version again, as a new version. Changes nothing when the same definition is in force, so it can be
 * repeated; see {@link putDefinition} for crashes.
 * @returns the version in force, and whether this request has made it
 * @throws Problem (404) no such version, (400) its definition breaks a rule of the current deployment
 */
export async function restoreVersion<Definition extends Named>(
  definitions: CheckedDefinitions<Definition>,
  name: string,
  version: number,
  nowMs: number,
  by: Pick<ChangeNotes, 'by'> = {},
): Promise<{ readonly isChanged: boolean; readonly inForce: DefinitionVersion<Definition> }> {
  const { kind } = definitions;
  const record = await openDefinition(definitions, name);
  if (changeOf(record).version === version) return { isChanged: false, inForce: inForceOf(record) };
  const replaced = await replacedBefore(definitions, record);
  const wanted = replaced.find(({ change }) => change.version === version);
  if (wanted === undefined) {
    throw new Problem(
      404,
      `There is no version ${version} of ${kind} ${name}. The last ${VERSIONS_KEPT} are kept: GET /${kind}s/${name}/versions lists them.`,
    );
  }
  const problems = await problemsOf(definitions, wanted.definition);
  if (problems.length > 0) throw invalid(`Version ${version} of the ${kind} definition`, problems);
  const { outcome } = await putDefinition(definitions, wanted.definition, nowMs, {
    ...by,
    restored: version,
  });
  return {
    isChanged: outcome !== 'unchanged',
    inForce: inForceOf(await openDefinition(definitions, name)),
  };
}

type Stored<Definition> = DefinitionState & { readonly definition: Definition };

/** @throws Problem (404) */
export async function openDefinition<Definition extends Named, State extends DefinitionState>(
  { kind, get }: Pick<Definitions<Definition, State>, 'kind' | 'get'>,
  name: string,
): Promise<State & { readonly definition: Definition }> {
  const record = await get(name);
  if (record === undefined || record.deletedAt !== undefined) throw noSuchDefinition(kind, name);
  return record;
}

/**
 * The replaced definitions that are kept, the newest first. After a change that failed, the definition in force may be among
 * them.
 */
async function replacedBefore<Definition extends Named>(
  definitions: Definitions<Definition>,
  record: Stored<Definition>,
): Promise<ReplacedDefinition<Definition>[]> {
  const newest = changeOf(record).version;
  return (await definitions.kept(record.definition.name))
    .filter(({ change }) => change.version < newest && change.version > newest - VERSIONS_KEPT)
    .sort((a, b) => b.change.version - a.change.version);
}

function inForceOf<Definition>(record: Stored<Definition>): DefinitionVersion<Definition> {
  const { definition, deployed } = record;
  const change = changeOf(record);
  const isDeployed = deployed && deployed.version === change.version;
  return { ...toView({ definition, change }), ...(isDeployed !== undefined && { isDeployed }) };
}

function toView<Definition>({
  definition,
  change,
}: ReplacedDefinition<Definition>): DefinitionVersion<Definition> {
  const { version, at, by, restored } = change;
  return {
    version,
    changedAt: at ?? null,
    changedBy: by ?? null,
    ...(restored !== undefined && { restored }),
    etag: etagOf({ definition: definition as object, change }),
    definition,
  };
}
