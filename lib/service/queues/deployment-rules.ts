import type { FieldProblem } from '../../contract/problem.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { type SecretGrants, secretProblems } from '../../contract/secret-grants.ts';

/** The rules of a deployment for definitions, besides the schema. */
export interface DeploymentRules {
  /** Why a webhook or provisioner may not have this URL; undefined when it may. */
  refuseUrl(url: URL): string | undefined;
  /** The queues that may use a secret besides their own and the shared ones. */
  readonly secretGrants: SecretGrants;
}

/** The fields of a definition that break the rules of the deployment. */
export function deploymentProblems(definition: QueueDefinition, rules: DeploymentRules): FieldProblem[] {
  return [...urlProblems(definition, rules), ...secretProblems(definition, rules.secretGrants)];
}

function urlProblems(
  { webhooks = [], provisioner }: QueueDefinition,
  rules: DeploymentRules,
): FieldProblem[] {
  const urls = webhooks.map(({ url }, i) => ({ pointer: `#/webhooks/${i}/url`, url }));
  if (provisioner?.type === 'http') urls.push({ pointer: '#/provisioner/url', url: provisioner.url });
  return urls.flatMap(({ pointer, url }) => {
    const detail = rules.refuseUrl(new URL(url));
    return detail === undefined ? [] : [{ pointer, detail }];
  });
}
