import type { FieldProblem } from '../../contract/problem.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { type SecretGrants, secretProblems } from '../../contract/secret-grants.ts';
import { seatsOf } from '../../contract/team-kinds.ts';

/** The rules of a deployment for definitions, besides the schema. */
export interface DeploymentRules {
  /** Why a webhook or provisioner may not have this URL; undefined when it may. */
  refuseUrl(url: URL): string | undefined;
  /** The queues that may use a secret besides their own and the shared ones. */
  readonly secretGrants: SecretGrants;
}

/** The fields of a definition that break the rules of the deployment. */
export function deploymentProblems(definition: QueueDefinition, rules: DeploymentRules): FieldProblem[] {
  return [
    ...seatProblems(definition),
    ...urlProblems(definition, rules),
    ...secretProblems(definition, rules.secretGrants),
  ];
}

/**
 * The maximum of tickets in a match. A match and its tickets are written in one transaction, and a transaction of DynamoDB
 * has at most 100 items.
 */
const TICKETS_PER_MATCH_MAX = 99;

function seatProblems(definition: QueueDefinition): FieldProblem[] {
  const seats = seatsOf(definition);
  if (seats <= TICKETS_PER_MATCH_MAX) return [];
  return [
    {
      pointer: '#/teams',
      detail: `Expected at most ${TICKETS_PER_MATCH_MAX} seats in a queue of the service, got ${seats}: a match and its tickets are written in one transaction of at most 100 items. \`muster match\`, \`partition\`, \`simulate\` and \`tune\` take up to 200`,
    },
  ];
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
