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
 * @param functions those of the deployed code, by name, separated by commas; undefined without code
 * @throws when a value is malformed, which is a fault of the deployment
 */
export function deploymentRules(
  grants: string,
  gameSessionQueues: string,
  push: boolean,
  functions?: string,
): DeploymentRules {
  return {
    refuseUrl: privateAddressesAllowed() ? () => undefined : refusalOf,
    secretGrants: parseSecretGrants(grants),
    push,
    functions: functions?.split(','),
    gameSessionQueues: z.array(z.string()).parse(JSON.parse(gameSessionQueues)),
  };
}
