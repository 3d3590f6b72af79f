import { invalid, Problem } from '../../contract/problem.ts';
import { parseQueueDefinition, type QueueDefinition } from '../../contract/queue-definition.ts';
import { digestOf } from '../domain/digest.ts';
import type { Deployed } from '../domain/queue-record.ts';
import { isExperimenting } from '../domain/running-experiment.ts';
import { Unreadable } from '../domain/unreadable.ts';
import type { DeploymentNotes } from '../ports/deployment-notes.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import { type DeploymentRules, deploymentProblems } from './deployment-rules.ts';
import {
  changeOf,
  closed,
  experimentConflict,
  type LiveQueue,
  queueOrState,
  replaceDefinition,
} from './queues.ts';

/** The maximum of tries to change a queue that others are changing. */
const TRIES_MAX = 5;
/**
 * A rollback takes a deployment back within this time: CloudFormation begins it when another resource of the same deployment
 * fails. A later return to the folder before is the studio's own.
 */
const ROLLBACK_MS = 3_600_000;
/** The versions of definitions name a deployment so. */
const BY = 'deployment';

export interface DeployDeps {
  readonly queues: QueueStore;
  readonly deployments: DeploymentNotes;
}

export interface DeployRequest {
  /** Definitions as JSON, by name. */
  readonly wanted: Readonly<Record<string, string>>;
  /**
   * Those of the deployment before, as far as they are known. They stand in for notes that a queue does not have, because an
   * earlier version of Muster has deployed it, or because it was deleted and removed. Undefined in the first deployment.
   */
  readonly before: Readonly<Record<string, string>> | undefined;
  /** The same in every repetition of a request. */
  readonly requestId: string;
}

/** The names of queues by what a deployment has done about them. */
export interface DeployedQueues {
  /** Created or changed to the definition in the file. */
  readonly put: string[];
  readonly deleted: string[];
  /** The file is that of the last deployment, and the live definition was changed or deleted since: it stays. */
  readonly kept: string[];
  /** Conflicts that did not fail the deployment; see {@link deployQueues}. */
  readonly conflicts: string[];
}

/**
 * Brings the changes of a folder of definitions since the last deployment to the queues. Each queue notes what a deployment
 * has put, in the same write as the definition. Queues that no deployment has named, which were created through the API,
 * are not changed.
 *
 *     the file                the live definition
 *     as it is in force       –                             nothing to do
 *     not changed             changed or deleted since      stays: a deployment of another queue must not revert it
 *     changed or new          as last deployed, or none     the file's definition is put
 *     changed or new          changed or deleted since      conflict
 *     changed                 with a running experiment     conflict
 *     removed                 as last deployed              the queue is deleted, and its experiment ends
 *     removed                 changed since                 conflict
 *
 * A conflict fails the deployment before any change, with what to do. Only when the folder returns within an hour from that of
 * the last deployment to the one before it, the live definition stays and the deployment succeeds: this may be a rollback of
 * CloudFormation, which must not fail.
 *
 *     note      which folder follows which. A repetition of the same request finds its own note
 *     decide    about all queues, before any change
 *     put       each queue, on the condition that it is still as it was read; else it is decided again. A crash after some
 *               of them: a repetition finds these in force, and the deployment before finds them as last deployed
 *
 * @throws Problem 400 when a definition is invalid, 409 in a conflict
 * @throws Unreadable when a queue whose file was removed cannot be read
 */
export async function deployQueues(
  { queues, deployments }: DeployDeps,
  request: DeployRequest,
  rules: DeploymentRules,
  nowMs: number,
): Promise<DeployedQueues> {
  const { wanted, before = {} } = request;
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(before)])];
  const changes = names.map((name) => changeTo(name, wanted[name], before[name], rules));
  const isReturn = await noteReturn(deployments, request, nowMs);
  const conflicts: string[] = [];
  for (const change of isReturn ? [] : changes) {
    const decision = decide(change, await queueOrState(queues, change.name), nowMs);
    if (decision.action === 'conflict') conflicts.push(decision.message);
  }
  if (conflicts.length > 0) throw new Problem(409, `${conflicts.join(' ')} No queue was changed.`);
  const done: DeployedQueues = { put: [], deleted: [], kept: [], conflicts: [] };
  for (const change of changes) await apply(queues, change, isReturn, nowMs, done);
  return done;
}

/** Notes a deployment, and returns whether it may be the rollback of the last one. */
async function noteReturn(
  deployments: DeploymentNotes,
  { wanted, before, requestId }: DeployRequest,
  nowMs: number,
): Promise<boolean> {
  const [to, from] = [folderDigest(wanted), before === undefined ? FIRST : folderDigest(before)];
  const last = await deployments.last();
  if (last?.requestId === requestId) return last.isReturn;
  // What follows a return is a deployment like any other, also when it has the folder that was taken back.
  const takesBack = last !== undefined && !last.isReturn && last.to === from && last.from === to;
  const isReturn = takesBack && from !== to && nowMs - last.atMs <= ROLLBACK_MS;
  await deployments.note({ requestId, from, to, isReturn, atMs: nowMs });
  return isReturn;
}

/** What is before the first deployment: no update returns to it. */
const FIRST = 'first';

function folderDigest(files: Readonly<Record<string, string>>): string {
  return digestOf(Object.fromEntries(Object.entries(files).map(([name, json]) => [name, JSON.parse(json)])));
}

/** What a deployment wants for a queue. */
interface Change {
  readonly name: string;
  /** The definition in the file; undefined when the file was removed. */
  readonly definition: QueueDefinition | undefined;
  /** Its digest; '' when the file was removed. */
  readonly digest: string;
  /** The digest of the file of the deployment before, if it is known. */
  readonly before: string | undefined;
}

/** @throws Problem (400) */
function changeTo(
  name: string,
  json: string | undefined,
  before: string | undefined,
  rules: DeploymentRules,
): Change {
  const earlier = before === undefined ? undefined : digestOf(JSON.parse(before));
  if (json === undefined) return { name, definition: undefined, digest: '', before: earlier };
  const definition = parseQueueDefinition(json, `queue ${name}`);
  const problems = deploymentProblems(definition, rules);
  if (problems.length > 0) throw invalid(`queue ${name}`, problems);
  return { name, definition, digest: digestOf(definition), before: earlier };
}

type Decision =
  | { readonly action: 'none' | 'keep' | 'delete' }
  /** The live definition is the file's. */
  | { readonly action: 'note'; readonly deployed: Deployed }
  | { readonly action: 'put'; readonly deployed: Deployed }
  | { readonly action: 'conflict'; readonly message: string };

function decide(
  { name, definition, digest, before }: Change,
  live: LiveQueue | undefined,
  nowMs: number,
): Decision {
  const isLive = live !== undefined && live.deletedAt === undefined;
  const inForce = digestInForce(live);
  const { version } = changeOf(live);
  const last = live?.deployed?.digest ?? before;
  if (definition === undefined && !isLive) return { action: 'none' };
  if (isLive && inForce === digest)
    return live.deployed?.digest === digest
      ? { action: 'none' }
      : { action: 'note', deployed: { digest, version } };
  if (last === digest) return { action: 'keep' };
  if (definition !== undefined && live !== undefined && isExperimenting(live, nowMs))
    return { action: 'conflict', message: experimentConflict(name, live.experiment!.definition.name) };
  if (isAsDeployed(live, inForce, last))
    return definition === undefined
      ? { action: 'delete' }
      : { action: 'put', deployed: { digest, version: version + 1 } };
  return { action: 'conflict', message: conflictOf(name, definition, live) };
}

/** The digest of the live definition; '' without a live queue, undefined when the definition cannot be read. */
function digestInForce(live: LiveQueue | undefined): string | undefined {
  if (live === undefined || live.deletedAt !== undefined) return '';
  return live.definition === undefined ? undefined : digestOf(live.definition);
}

/** Whether a queue is as the last deployment left it: neither changed nor deleted since. `last` is the digest of what this has put. */
function isAsDeployed(
  live: LiveQueue | undefined,
  inForce: string | undefined,
  last: string | undefined,
): boolean {
  if (live === undefined || live.deletedAt !== undefined) return last === undefined;
  if (live.deployed !== undefined && live.deployed.version === changeOf(live).version) return true;
  return (
    (inForce !== undefined && inForce === last) || (live.deployed === undefined && live.change?.by === BY)
  );
}

function conflictOf(
  name: string,
  definition: QueueDefinition | undefined,
  live: LiveQueue | undefined,
): string {
  const what = definition === undefined ? 'was removed' : 'was changed or is new';
  const { version, at, by } = changeOf(live);
  const isGone = live === undefined || live.deletedAt !== undefined;
  const made = isGone
    ? 'the queue was deleted'
    : `its definition in force, version ${version}, is not that of a deployment (${by ?? 'changed by somebody unknown'}${at === undefined ? '' : `, ${at}`})`;
  const advice =
    definition === undefined
      ? `DELETE /queues/${name} and deploy again, or put back the file.`
      : isGone
        ? `PUT /queues/${name} with the file and deploy again, or remove the file.`
        : `To keep the one in force, copy it into the file (GET /queues/${name}). To replace it, PUT /queues/${name} with the file. Then deploy again.`;
  return `Queue ${name}: its file ${what} since the last deployment, but ${made}. ${advice}`;
}

/** Applies what is decided for a queue as it is now. */
async function apply(
  queues: QueueStore,
  change: Change,
  isReturn: boolean,
  nowMs: number,
  done: DeployedQueues,
): Promise<void> {
  const { name, definition } = change;
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const live = await queueOrState(queues, name);
    const decision = decide(change, live, nowMs);
    switch (decision.action) {
      case 'none':
        return;
      case 'keep':
        done.kept.push(name);
        return;
      case 'conflict':
        // It was changed since the decision about all queues.
        if (!isReturn) throw new Problem(409, decision.message);
        done.conflicts.push(decision.message);
        return;
      case 'note':
        if (await queues.noteDeployed(live!, name, decision.deployed)) return;
        break;
      case 'put':
        if (await replaceDefinition(queues, live, definition!, nowMs, { by: BY }, decision.deployed)) {
          done.put.push(name);
          return;
        }
        break;
      case 'delete':
        if (await deleted(queues, name, live!, nowMs)) {
          done.deleted.push(name);
          return;
        }
    }
  }
  throw new StoreBusy(`queue ${name} is being changed by others`);
}

/** Closes a queue whose file was removed, as `deleteQueue` does. A file with its name is new then. */
async function deleted(queues: QueueStore, name: string, live: LiveQueue, nowMs: number): Promise<boolean> {
  const { definition } = live;
  if (definition === undefined)
    throw new Unreadable(`queue ${name} cannot be deleted: its definition cannot be read`);
  return queues.put(closed({ ...live, definition }, nowMs), null);
}
