import { invalid, Problem } from '../../contract/problem.ts';
import { type QueueVersionView, VERSIONS_KEPT } from '../../contract/queue-versions.ts';
import type { QueueRecord, ReplacedDefinition } from '../domain/queue-record.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { type DeploymentRules, deploymentProblems } from './deployment-rules.ts';
import { etagOf } from './etag.ts';
import { changeOf, openQueue, putQueue } from './queues.ts';

/**
 * The last versions of a definition, the newest first. The first one is in force. Versions that this version of Muster cannot
 * parse are omitted.
 * @throws Problem (404)
 */
export async function listVersions(queues: QueueStore, queue: string): Promise<QueueVersionView[]> {
  const record = await openQueue(queues, queue);
  return [inForceOf(record), ...(await replacedBefore(queues, record)).map(toView)];
}

/**
 * Puts the definition of a version again, as a new version. Changes nothing when the same definition is in force, so it can
 * be repeated; see {@link putQueue} for crashes.
 * @returns the version in force, and whether this has made it
 * @throws Problem (404) there is no such version, (400) its definition breaks a rule of the deployment today
 */
export async function restoreVersion(
  queues: QueueStore,
  queue: string,
  version: number,
  rules: DeploymentRules,
  nowMs: number,
  by: { readonly by?: string } = {},
): Promise<{ readonly isChanged: boolean; readonly inForce: QueueVersionView }> {
  const record = await openQueue(queues, queue);
  if (changeOf(record).version === version) return { isChanged: false, inForce: inForceOf(record) };
  const wanted = (await replacedBefore(queues, record)).find(({ change }) => change.version === version);
  if (wanted === undefined) {
    throw new Problem(
      404,
      `There is no version ${version} of queue ${queue}. The last ${VERSIONS_KEPT} are kept: GET /queues/${queue}/versions lists them.`,
    );
  }
  const problems = deploymentProblems(wanted.definition, rules);
  if (problems.length > 0) throw invalid(`Version ${version} of the queue definition`, problems);
  const { outcome } = await putQueue(queues, wanted.definition, nowMs, { ...by, restored: version });
  return { isChanged: outcome !== 'unchanged', inForce: inForceOf(await openQueue(queues, queue)) };
}

/** The replaced definitions that are kept, the newest first. The one in force is kept too after a change that failed. */
async function replacedBefore(queues: QueueStore, record: QueueRecord): Promise<ReplacedDefinition[]> {
  const newest = changeOf(record).version;
  return (await queues.kept(record.definition.name))
    .filter(({ change }) => change.version < newest && change.version > newest - VERSIONS_KEPT)
    .sort((a, b) => b.change.version - a.change.version);
}

function inForceOf(record: QueueRecord): QueueVersionView {
  const { definition, deployed } = record;
  const change = changeOf(record);
  const isDeployed = deployed && deployed.version === change.version;
  return { ...toView({ definition, change }), ...(isDeployed !== undefined && { isDeployed }) };
}

function toView({ definition, change }: ReplacedDefinition): QueueVersionView {
  const { version, at, by, restored } = change;
  return {
    version,
    changedAt: at ?? null,
    changedBy: by ?? null,
    ...(restored !== undefined && { restored }),
    etag: etagOf({ definition, change }),
    definition,
  };
}
