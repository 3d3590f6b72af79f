import { sizeProblems } from '../../contract/match-size.ts';
import { urlProblems } from '../../contract/outbound-url.ts';
import type { FieldProblem } from '../../contract/problem.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { type SecretGrants, secretProblems } from '../../contract/secret-grants.ts';
import { missingFunctions } from '../../rules/custom/code.ts';

/** The rules of a deployment for definitions, in addition to the schema. */
export interface DeploymentRules {
  /** Why a webhook or provisioner may not have this URL; undefined when it may. */
  refuseUrl(url: URL): string | undefined;
  /** The queues that may use a secret besides their own and the shared ones. */
  readonly secretGrants: SecretGrants;
  /** The queues of GameLift, by name or ARN, that the deployment has access to. `any`: access follows the folder of definitions. */
  readonly gameSessionQueues: readonly string[] | 'any';
  /** Whether players can connect. */
  readonly push: boolean;
  /** The functions of the deployed code, by name. @default there is no code */
  readonly functions?: readonly string[] | undefined;
}

/**
 * The fields of a definition that break the rules of the deployment, or make its matches too large. PUT and a deployment use the
 * rules of the deployment, the synthesis those of the options that it will have, and `muster validate` the widest and the
 * narrowest rules that a deployment may have.
 */
export function deploymentProblems(definition: QueueDefinition, rules: DeploymentRules): FieldProblem[] {
  return [
    ...sizeProblems(definition),
    ...urlProblems(definition, (url) => rules.refuseUrl(url)),
    ...secretProblems(definition, rules.secretGrants),
    ...gameLiftProblems(definition, rules.gameSessionQueues),
    ...presenceProblems(definition, rules.push),
    ...missingFunctions(definition.rules ?? [], rules.functions),
  ];
}

/** Without push no player can connect, so every ticket would be cancelled. */
function presenceProblems({ presence }: QueueDefinition, push: boolean): FieldProblem[] {
  if (push || presence?.required === undefined) return [];
  return [
    {
      pointer: '#/presence/required',
      detail:
        'Expected no `required` without push, because no player can connect then and every ticket would be cancelled: switch the option push on, or remove it',
    },
  ];
}

function gameLiftProblems(
  { provisioner }: QueueDefinition,
  gameSessionQueues: DeploymentRules['gameSessionQueues'],
): FieldProblem[] {
  if (provisioner?.type !== 'gamelift' || gameSessionQueues === 'any') return [];
  const { gameSessionQueue } = provisioner;
  if (gameSessionQueues.includes(gameSessionQueue)) return [];
  const known = gameSessionQueues.length === 0 ? 'none' : gameSessionQueues.join(', ');
  return [
    {
      pointer: '#/provisioner/gameSessionQueue',
      detail: `Expected a GameLift queue that this deployment has access to (${known}), got ${gameSessionQueue}: add it to the deployment's option gameSessionQueues, or put this definition into its folder of queues`,
    },
  ];
}
