import type { QueueDefinition } from '../contract/queue-definition.ts';
import { secretsOf } from '../contract/secret-grants.ts';

/**
 * A line for each secret that a queue names and that is not given: requests that need it fail.
 * @param given the secrets, by name
 * @param file the file that has them; undefined: there is none
 */
export function missingSecrets(
  definitions: readonly QueueDefinition[],
  given: { has(secret: string): boolean },
  file: string | undefined,
): string[] {
  return definitions.flatMap((definition) =>
    secretsOf(definition)
      .filter(({ secret }) => !given.has(secret))
      .map(({ pointer, secret }) => {
        const todo =
          file === undefined
            ? `Start with --secrets FILE, where FILE is JSON such as {"${secret}": "VALUE"}`
            : `Add "${secret}" with its value to ${file} and start again`;
        return `Queue ${definition.name} names the secret ${secret} (${pointer}), which --secrets does not have: its requests fail. ${todo}.`;
      }),
  );
}
