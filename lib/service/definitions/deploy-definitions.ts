import { conflict, invalid, parseJson, parseWith } from '../../contract/problem.ts';
import { changeOf, type Deployed, digestOf } from '../domain/stored-definition.ts';
import { Unreadable } from '../domain/unreadable.ts';
import type { DeploymentNotes } from '../ports/deployment-notes.ts';
import { capital, danglingChanges, type PlannedDefinition } from './dangling-changes.ts';
import {
  type CheckedDefinitions,
  definitionOrState,
  isOpen,
  type Kind,
  type Live,
  type Named,
} from './definition-kind.ts';
import { isChanging, TRIES_MAX } from './put-definition.ts';

/**
 * CloudFormation rolls a deployment back within this time, when another resource of the same deployment fails. A later return to
 * the previous folders counts as a deployment by the studio.
 */
const ROLLBACK_MS = 3_600_000;
/** The author of a version that a deployment has put. */
const BY = 'deployment';

export interface DeployDeps {
  /** Each kind follows the kind that its definitions name. */
  readonly kinds: readonly CheckedDefinitions<Named>[];
  readonly deployments: DeploymentNotes;
}

/** A text for each definition, by kind and name. A kind without a folder is absent. */
type ByName = Readonly<Partial<Record<Kind, Readonly<Record<string, string>>>>>;
/** Definitions as JSON. */
export type Files = ByName;
/** The digest of each definition; see {@link digestOf}. */
export type Digests = ByName;

export interface DeployRequest {
  readonly wanted: Files;
  /**
   * The definitions of the previous deployment, where known. They are used for definitions without a record of their last
   * deployment: an earlier version of Muster has deployed them, or they were deleted and removed. Undefined in the first
   * deployment.
   */
  readonly before: Digests | undefined;
  /** The same in every repetition of a request. */
  readonly requestId: string;
}

/** The names of the definitions, such as `queue arena`, by what the deployment has done. */
export interface DeployedDefinitions {
  /** Created or changed to the definition in the file. */
  readonly put: string[];
  readonly deleted: string[];
  /** The file has not changed since the last deployment, and the live definition was changed or deleted since: it stays. */
  readonly kept: string[];
  /** Conflicts that did not fail the deployment; see {@link deployDefinitions}. */
  readonly conflicts: string[];
}

/**
 * Applies the changes of the definition folders since the last deployment to the live definitions. Each write also records what
 * the deployment has put. Definitions that no deployment has put, because they were created through the API, do not change.
 *
 *     file               live definition                  result
 *     as in force        any                              nothing to do
 *     not changed        changed or deleted since         stays: a deployment of another definition must not revert it
 *     changed or new     as last deployed, or none        the file's definition is put
 *     changed or new     changed or deleted since         conflict
 *     changed            a queue with an experiment       conflict
 *     changed or new     names a missing definition       conflict
 *     removed            as last deployed                 it is deleted, as by DELETE
 *     removed            changed since                    conflict
 *     removed            another definition names it      conflict
 *
 * A conflict fails the deployment before any change, with advice. There is one exception: within an hour after a deployment, the
 * folders return to the previous ones. This may be a rollback of CloudFormation, which must not fail, so the live definition
 * stays and the deployment succeeds.
 *
 *     record   which folders follow which. A repetition of the request finds its own record
 *     decide   about all definitions, before any change
 *     put      each definition, in an order in which a named definition precedes the one that names it, on the condition that it
 *              is still as it was read; otherwise it is decided again. A crash after some of them: a repetition finds them in
 *              force, and a return to the previous folders finds them as last deployed
 *     delete   each definition, in the opposite order, on the same condition
 *
 * @throws Problem 400 when a definition is invalid, 409 in a conflict
 * @throws Unreadable when a queue whose file was removed cannot be read
 */
export async function deployDefinitions(
  { kinds, deployments }: DeployDeps,
  request: DeployRequest,
  nowMs: number,
): Promise<DeployedDefinitions> {
  const changes = kinds.flatMap((definitions) => changesOf(definitions, request));
  const isReturn = await recordDeployment(deployments, request, changes, nowMs);
  const planned: Planned[] = [];
  for (const change of changes) {
    const live = await definitionOrState(change.definitions, change.name);
    planned.push(toPlanned(change, live, decide(change, live, nowMs)));
  }
  const dangling = await danglingChanges(kinds, planned);
  const conflicts = planned.flatMap((one) =>
    one.decision.action === 'conflict' ? one.decision.message : (dangling.get(one) ?? []),
  );
  if (conflicts.length > 0 && !isReturn)
    throw conflict('DEFINITION_CHANGED', `${conflicts.join(' ')} Nothing was changed.`);
  const done: DeployedDefinitions = { put: [], deleted: [], kept: [], conflicts: [...dangling.values()] };
  const wanted = planned.filter((one) => !dangling.has(one)).map(({ change }) => change);
  const removed = wanted.filter(({ definition }) => definition === undefined).reverse();
  for (const change of [...wanted.filter(({ definition }) => definition !== undefined), ...removed])
    await apply(change, isReturn, nowMs, done);
  return done;
}

/** Records a deployment. Returns whether it may be the rollback of the last one. */
async function recordDeployment(
  deployments: DeploymentNotes,
  { before, requestId }: DeployRequest,
  changes: readonly Change[],
  nowMs: number,
): Promise<boolean> {
  const wanted = changes.filter(({ definition }) => definition !== undefined);
  const to = digestOfFolders(wanted.map(({ definitions: { kind }, name, digest }) => [kind, name, digest]));
  const from = before === undefined ? FIRST : digestOfFolders(entriesOf(before));
  const last = await deployments.last();
  if (last?.requestId === requestId) return last.isReturn;
  // A deployment after a return is like any other, even if its folder is the one that was rolled back.
  const returnsToPrevious = last !== undefined && !last.isReturn && last.to === from && last.from === to;
  const isReturn = returnsToPrevious && from !== to && nowMs - last.atMs <= ROLLBACK_MS;
  await deployments.note({ requestId, from, to, isReturn, atMs: nowMs });
  return isReturn;
}

/** The digest before the first deployment, to which no update returns. */
const FIRST = 'first';

/** @param digests each with its kind and name, in any order */
function digestOfFolders(
  digests: readonly (readonly [kind: string, name: string, digest: string])[],
): string {
  // No name has a slash.
  return digestOf(Object.fromEntries(digests.map(([kind, name, digest]) => [`${kind}/${name}`, digest])));
}

function entriesOf(digests: Digests): [kind: string, name: string, digest: string][] {
  return Object.entries(digests).flatMap(([kind, byName]) =>
    Object.entries(byName).map(([name, digest]): [string, string, string] => [kind, name, digest]),
  );
}

/** The change that a deployment requests for a name. */
interface Change {
  readonly definitions: CheckedDefinitions<Named>;
  readonly name: string;
  /** The definition in the file; undefined when the file was removed. */
  readonly definition: Named | undefined;
  /** Its digest; '' when the file was removed. */
  readonly digest: string;
  /** The digest of the definition in the previous deployment, if known. */
  readonly before: string | undefined;
}

/** @throws Problem (400) */
function changesOf(definitions: CheckedDefinitions<Named>, request: DeployRequest): Change[] {
  const { kind } = definitions;
  const [wanted, before] = [request.wanted[kind] ?? {}, request.before?.[kind] ?? {}];
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(before)])];
  // A name may be that of an inherited member, such as constructor.
  const textIn = (texts: Readonly<Record<string, string>>, name: string) =>
    Object.hasOwn(texts, name) ? texts[name] : undefined;
  return names.map((name) => changeTo(definitions, name, textIn(wanted, name), textIn(before, name)));
}

/** @throws Problem (400) */
function changeTo(
  definitions: CheckedDefinitions<Named>,
  name: string,
  json: string | undefined,
  before: string | undefined,
): Change {
  if (json === undefined) return { definitions, name, definition: undefined, digest: '', before };
  const source = `${definitions.kind} ${name}`;
  const definition = parseWith(definitions.schema, parseJson(json, source), source);
  const problems = definitions.problemsOf(definition);
  if (problems.length > 0) throw invalid(source, problems);
  return { definitions, name, definition, digest: digestOf(definition), before };
}

type Decision =
  | { readonly action: 'none' | 'keep' | 'delete' }
  /** The file's definition is in force already. */
  | { readonly action: 'note'; readonly deployed: Deployed }
  | { readonly action: 'put'; readonly deployed: Deployed }
  | { readonly action: 'conflict'; readonly message: string };

/** A change with the decision about it, by the definition as it was read. */
interface Planned extends PlannedDefinition {
  readonly change: Change;
  readonly decision: Decision;
}

function toPlanned(change: Change, live: Live<Named> | undefined, decision: Decision): Planned {
  const { definitions, name, definition } = change;
  const planned = { change, decision, definitions, name };
  if (decision.action === 'put') return { ...planned, isChanged: true, exists: true, after: definition };
  if (decision.action === 'delete') return { ...planned, isChanged: true, exists: false, after: undefined };
  const open = isOpen(live) ? live : undefined;
  return { ...planned, isChanged: false, exists: open !== undefined, after: open?.definition };
}

function decide(change: Change, live: Live<Named> | undefined, nowMs: number): Decision {
  const { definitions, name, definition, digest, before } = change;
  const inForce = digestInForce(live);
  const { version } = changeOf(live);
  const last = live?.deployed?.digest ?? before;
  if (definition === undefined && !isOpen(live)) return { action: 'none' };
  if (isOpen(live) && inForce === digest)
    return live.deployed?.digest === digest
      ? { action: 'none' }
      : { action: 'note', deployed: { digest, version } };
  if (last === digest) return { action: 'keep' };
  const changeConflict =
    definition === undefined || live === undefined
      ? undefined
      : definitions.changeConflict(name, live, nowMs);
  if (changeConflict !== undefined) return { action: 'conflict', message: changeConflict };
  if (isAsDeployed(live, inForce, last))
    return definition === undefined
      ? { action: 'delete' }
      : { action: 'put', deployed: { digest, version: version + 1 } };
  return { action: 'conflict', message: conflictOf(change, live) };
}

/** The digest of the live definition; '' without one, undefined when it cannot be read. */
function digestInForce(live: Live<Named> | undefined): string | undefined {
  if (!isOpen(live)) return '';
  return live.definition === undefined ? undefined : digestOf(live.definition);
}

/**
 * Whether a definition was neither changed nor deleted since the last deployment. `last` is the digest of what that deployment
 * has put.
 */
function isAsDeployed(
  live: Live<Named> | undefined,
  inForce: string | undefined,
  last: string | undefined,
): boolean {
  if (!isOpen(live)) return last === undefined;
  if (live.deployed !== undefined && live.deployed.version === changeOf(live).version) return true;
  return (
    (inForce !== undefined && inForce === last) || (live.deployed === undefined && live.change?.by === BY)
  );
}

function conflictOf({ definitions, name, definition }: Change, live: Live<Named> | undefined): string {
  const { kind } = definitions;
  const path = `/${kind}s/${name}`;
  const what = definition === undefined ? 'was removed' : 'was changed or is new';
  const { version, at, by } = changeOf(live);
  const made = isOpen(live)
    ? `its definition in force, version ${version}, is not that of a deployment (${by ?? 'changed by an unknown caller'}${at === undefined ? '' : `, ${at}`})`
    : `the ${kind} was deleted`;
  const advice =
    definition === undefined
      ? `DELETE ${path} and deploy again, or put back the file.`
      : isOpen(live)
        ? `To keep the one in force, copy it into the file (GET ${path}). To replace it, PUT ${path} with the file. Then deploy again.`
        : `PUT ${path} with the file and deploy again, or remove the file.`;
  return `${capital(kind)} ${name}: its file ${what} since the last deployment, but ${made}. ${advice}`;
}

/** Decides about a definition in its current state, and applies the decision. */
async function apply(
  change: Change,
  isReturn: boolean,
  nowMs: number,
  done: DeployedDefinitions,
): Promise<void> {
  const { definitions, name, definition } = change;
  const named = `${definitions.kind} ${name}`;
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const live = await definitionOrState(definitions, name);
    const decision = decide(change, live, nowMs);
    switch (decision.action) {
      case 'none':
        return;
      case 'keep':
        done.kept.push(named);
        return;
      case 'conflict':
        // It was changed since the first decision.
        if (!isReturn) throw conflict('DEFINITION_CHANGED', decision.message);
        done.conflicts.push(decision.message);
        return;
      case 'note':
        if (await definitions.recordDeployed(live!, name, decision.deployed)) return;
        break;
      case 'put':
        if (await definitions.replace(live, definition!, nowMs, { by: BY }, decision.deployed)) {
          done.put.push(named);
          return;
        }
        break;
      case 'delete':
        if (await definitions.remove(readable(live!, named), nowMs)) {
          done.deleted.push(named);
          return;
        }
    }
  }
  throw isChanging(definitions.kind, name);
}

/** @throws Unreadable */
function readable(live: Live<Named>, named: string) {
  const { definition } = live;
  if (definition === undefined)
    throw new Unreadable(`${named} cannot be deleted: its definition cannot be read`);
  return { ...live, definition };
}
