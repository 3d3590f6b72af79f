import * as z from 'zod';
import type { FieldProblem } from './problem.ts';
import type { QueueDefinition } from './queue-definition.ts';

/**
 * The queues that may use a secret outside their own prefix: names of queues by the name of the secret. `*` means every
 * queue, or, as the name of a secret, every secret.
 */
export type SecretGrants = Readonly<Record<string, readonly string[]>>;

/**
 * The grants of a deployment, from JSON.
 * @throws when they are malformed, which is an error of the deployment
 */
export function parseSecretGrants(json: string): SecretGrants {
  return secretGrants.parse(JSON.parse(json));
}

/** The schema of grants. */
export const secretGrants = z.record(z.string(), z.array(z.string())) satisfies z.ZodType<SecretGrants>;

/** Every queue may use every secret: for a deployment with one team, and for the local cloud. */
export const ALL_SECRETS: SecretGrants = { '*': ['*'] };

/** Every queue may use secrets with this prefix. */
const SHARED = 'shared/';

/**
 * The reason why a queue may not use a secret; undefined when it may. It may use `QUEUE/…`, `shared/…` and the secrets
 * granted to it.
 *
 * A definition names both the secret and the address that receives the signed messages. Without this rule, anyone who
 * may change one queue could send messages signed with another team's secret to their own address.
 */
export function secretRefusal(secret: string, queue: string, grants: SecretGrants): string | undefined {
  if (secret.startsWith(`${queue}/`) || secret.startsWith(SHARED)) return undefined;
  const granted = [secret, '*'].flatMap((name) => (Object.hasOwn(grants, name) ? grants[name]! : []));
  if (granted.includes(queue) || granted.includes('*')) return undefined;
  return `Expected a secret that queue ${queue} may use, ${queue}/… or shared/… or one granted to it by the deployment's option secretGrants, got ${secret}`;
}

/** A secret that a definition names, and where. */
export interface NamedSecret {
  readonly pointer: string;
  readonly secret: string;
}

/** The secrets that a definition names. */
export function secretsOf({ webhooks = [], provisioner }: QueueDefinition): NamedSecret[] {
  const used = webhooks.map(({ secret }, i) => ({ pointer: `#/webhooks/${i}/secret`, secret }));
  if (provisioner?.type === 'http' && provisioner.secret !== undefined) {
    used.push({ pointer: '#/provisioner/secret', secret: provisioner.secret });
  }
  if (provisioner?.type === 'agones') {
    used.push({ pointer: '#/provisioner/certificate', secret: provisioner.certificate });
  }
  return used;
}

/** The secrets of a definition that its queue may not use. */
export function secretProblems(definition: QueueDefinition, grants: SecretGrants): FieldProblem[] {
  return secretsOf(definition).flatMap(({ pointer, secret }) => {
    const detail = secretRefusal(secret, definition.name, grants);
    return detail === undefined ? [] : [{ pointer, detail }];
  });
}
