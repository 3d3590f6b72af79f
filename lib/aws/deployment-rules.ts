import * as z from 'zod';
import { refusalOf } from '../contract/outbound-url.ts';
import { parseSecretGrants } from '../contract/secret-grants.ts';
import type { DeploymentRules } from '../service/queues/deployment-rules.ts';
import { privateAddressesAllowed } from './environment.ts';

/**
 * The rules of this deployment for queue definitions.
 * @param grants JSON, see {@link SecretGrants}
 * @param gameSessionQueues JSON: a list of names and ARNs
 * @param push whether players can connect
 * @throws when a value is malformed, which is a fault of the deployment
 */
export function deploymentRules(grants: string, gameSessionQueues: string, push: boolean): DeploymentRules {
  return {
    refuseUrl: privateAddressesAllowed() ? () => undefined : refusalOf,
    secretGrants: parseSecretGrants(grants),
    push,
    gameSessionQueues: z.array(z.string()).parse(JSON.parse(gameSessionQueues)),
  };
}
