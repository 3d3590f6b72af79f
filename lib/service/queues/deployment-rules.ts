import { sizeProblems } from '../../contract/match-size.ts';
import type { FieldProblem } from '../../contract/problem.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { type SecretGrants, secretProblems } from '../../contract/secret-grants.ts';

/** The rules of a deployment for definitions, besides the schema. */
export interface DeploymentRules {
  /** Why a webhook or provisioner may not have this URL; undefined when it may. */
  refuseUrl(url: URL): string | undefined;
  /** The queues that may use a secret besides their own and the shared ones. */
  readonly secretGrants: SecretGrants;
  /** The queues of GameLift, by name or ARN, that the deployment has access to. */
  readonly gameSessionQueues: readonly string[];
}

/** The fields of a definition that break the rules of the deployment, or make its matches too large. */
export function deploymentProblems(definition: QueueDefinition, rules: DeploymentRules): FieldProblem[] {
  return [
    ...sizeProblems(definition),
    ...urlProblems(definition, rules),
    ...secretProblems(definition, rules.secretGrants),
    ...gameLiftProblems(definition, rules.gameSessionQueues),
  ];
}

function urlProblems(
  { webhooks = [], provisioner }: QueueDefinition,
  rules: DeploymentRules,
): FieldProblem[] {
  const urls = webhooks.map(({ url }, i) => ({ pointer: `#/webhooks/${i}/url`, url }));
  if (provisioner?.type === 'http') urls.push({ pointer: '#/provisioner/url', url: provisioner.url });
  if (provisioner?.type === 'agones') urls.push(...allocatorsOf(provisioner.allocator));
  return urls.flatMap(({ pointer, url }) => {
    const detail = rules.refuseUrl(new URL(url));
    return detail === undefined ? [] : [{ pointer, detail }];
  });
}

function gameLiftProblems(
  { provisioner }: QueueDefinition,
  gameSessionQueues: readonly string[],
): FieldProblem[] {
  if (provisioner?.type !== 'gamelift') return [];
  const { gameSessionQueue } = provisioner;
  if (gameSessionQueues.includes(gameSessionQueue)) return [];
  const known = gameSessionQueues.length === 0 ? 'none' : gameSessionQueues.join(', ');
  return [
    {
      pointer: '#/provisioner/gameSessionQueue',
      detail: `Expected a GameLift queue that this deployment has access to (${known}), got ${gameSessionQueue}: add it to the deployment's option gameSessionQueues`,
    },
  ];
}

function allocatorsOf(allocator: string | Readonly<Record<string, string>>) {
  const pointer = '#/provisioner/allocator';
  if (typeof allocator === 'string') return [{ pointer, url: allocator }];
  return Object.entries(allocator).map(([region, url]) => ({ pointer: `${pointer}/${region}`, url }));
}
