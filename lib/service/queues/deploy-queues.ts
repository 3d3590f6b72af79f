import { invalid, Problem } from '../../contract/problem.ts';
import { parseQueueDefinition } from '../../contract/queue-definition.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { type DeploymentRules, deploymentProblems } from './deployment-rules.ts';
import { deleteQueue, putQueue } from './queues.ts';

/** The versions of definitions name a deployment so. */
const BY = 'deployment';

/**
 * Creates, updates and deletes the queues of a deployment to match its folder of definitions. Queues that no deployment
 * has named, which were created through the API, are not changed.
 *
 * A repetition after a crash does only the remaining changes.
 * @param wanted definitions as JSON, by name
 * @param before names of the deployment before
 * @throws Problem (400) before any change, when a definition is invalid
 */
export async function deployQueues(
  queues: QueueStore,
  wanted: Readonly<Record<string, string>>,
  before: readonly string[],
  rules: DeploymentRules,
  nowMs: number,
): Promise<{ put: string[]; deleted: string[] }> {
  const definitions = Object.entries(wanted).map(([name, json]) => {
    const definition = parseQueueDefinition(json, `queue ${name}`);
    const problems = deploymentProblems(definition, rules);
    if (problems.length > 0) throw invalid(`queue ${name}`, problems);
    return definition;
  });
  for (const definition of definitions) await putQueue(queues, definition, nowMs, { by: BY });
  const gone = before.filter((name) => !Object.hasOwn(wanted, name));
  for (const name of gone) {
    try {
      await deleteQueue(queues, name, nowMs);
    } catch (error) {
      if (!(error instanceof Problem && error.status === 404)) throw error;
    }
  }
  return { put: definitions.map(({ name }) => name), deleted: gone };
}
