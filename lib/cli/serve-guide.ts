import { styleText } from 'node:util';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { secretsOf } from '../contract/secret-grants.ts';
import { roleSeatsOf, seatsOf, teamsText } from '../contract/team-kinds.ts';

/** The text that a terminal shows below the URL: the queues, a request to try, and how to stop the service. */
export function serveGuide(
  url: string,
  definitions: readonly QueueDefinition[],
  { dataDir, consoleUrl }: { readonly dataDir: string | undefined; readonly consoleUrl?: string | undefined },
): string {
  const lines: [string, string][] = [
    ...(consoleUrl === undefined ? [] : [['console', consoleUrl] as [string, string]]),
    ['queues', definitions.map(queueText).join(' · ') || `none yet: PUT ${url}/queues/NAME adds one`],
  ];
  const [first] = definitions.toSorted((a, b) => effortOf(a) - effortOf(b));
  if (first !== undefined) lines.push(['try', postTicket(url, first)]);
  lines.push([
    'stop',
    dataDir === undefined
      ? 'Ctrl-C; tickets and matches are then deleted, --data DIR keeps them'
      : `Ctrl-C; tickets and matches stay in ${dataDir}`,
  ]);
  return lines.map(([label, text]) => `  ${styleText('dim', label.padEnd(8))}${text}`).join('\n');
}

/** A shell command that posts a ticket of one player. */
function postTicket(url: string, { name, ladder }: QueueDefinition): string {
  // A ladder has the skill of its players.
  const player = { playerId: 'ann', ...(ladder === undefined && { skill: 1510 }) };
  const ticket = { ticketId: 't-1', players: [player] };
  return `curl -H 'content-type: application/json' -d '${JSON.stringify(ticket)}' ${url}/queues/${name}/tickets`;
}

/** How much a match of the queue needs: players, and rather none with roles. */
const effortOf = (definition: QueueDefinition) =>
  seatsOf(definition) + (roleSeatsOf(definition) === undefined ? 0 : 1000);

function queueText(definition: QueueDefinition): string {
  const seats = Object.entries(definition.roles ?? {}).map(([role, count]) => `${count} ${role}`);
  return `${definition.name} (${[teamsText(definition), ...seats].join(', ')})`;
}

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
