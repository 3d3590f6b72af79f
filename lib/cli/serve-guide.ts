import { styleText } from 'node:util';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { roleSeatsOf, seatsOf } from '../contract/team-kinds.ts';
import { teamsText } from './teams-text.ts';

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
  const first = simplest(definitions);
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
  const player = { playerId: 'ann', ...(ladder === undefined && { skill: 1500 }) };
  const ticket = { ticketId: 't-1', players: [player] };
  return `curl -H 'content-type: application/json' -d '${JSON.stringify(ticket)}' ${url}/queues/${name}/tickets`;
}

/** The queue that needs the fewest players for a match; a queue without roles if there is one. */
function simplest(definitions: readonly QueueDefinition[]): QueueDefinition | undefined {
  const effort = (definition: QueueDefinition) =>
    seatsOf(definition) + (roleSeatsOf(definition) === undefined ? 0 : 1000);
  return definitions.toSorted((a, b) => effort(a) - effort(b) || (a.name < b.name ? -1 : 1))[0];
}

function queueText(definition: QueueDefinition): string {
  const seats = Object.entries(definition.roles ?? {}).map(([role, count]) => `${count} ${role}`);
  return `${definition.name} (${[teamsText(definition), ...seats].join(', ')})`;
}
