import { parseSecretGrants } from '../contract/secret-grants.ts';
import type { DeploymentRules } from '../service/queues/deployment-rules.ts';
import { privateAddressesAllowed } from './environment.ts';
import { refusalOf } from './outbound.ts';

/**
 * The rules of this deployment for queue definitions.
 * @param grants JSON, see {@link SecretGrants}
 * @throws when the grants are malformed, which is an error of the deployment
 */
export function deploymentRules(grants: string): DeploymentRules {
  return {
    refuseUrl: privateAddressesAllowed() ? () => undefined : refusalOf,
    secretGrants: parseSecretGrants(grants),
  };
}
