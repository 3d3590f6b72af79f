import type { QueueDefinition } from '../../../contract/queue-definition.ts';
import { partyMaxOf, roleSeatsOf, teamKindsOf } from '../../../contract/team-kinds.ts';
import type { TrafficOptions } from '../../../simulation/traffic-options.ts';
import type { MatchedTicket } from '../data/matched-tickets.ts';

/** Fewer tickets say too little about a population. */
export const TICKETS_MIN = 20;

/**
 * The arrivals of a queue, as options of `muster simulate`, measured from its matched tickets. Skills become a normal
 * distribution, because a command line has no room for a sample. Undefined with fewer than {@link TICKETS_MIN} tickets.
 */
export function measuredTraffic(
  definition: QueueDefinition,
  tickets: readonly MatchedTicket[],
): Omit<TrafficOptions, 'seed'> | undefined {
  if (tickets.length < TICKETS_MIN) return undefined;
  const skills = tickets.flatMap((ticket) => ticket.skills);
  const mean = skills.reduce((sum, skill) => sum + skill, 0) / skills.length;
  const deviation = Math.sqrt(skills.reduce((sum, skill) => sum + (skill - mean) ** 2, 0) / skills.length);
  const times = tickets.map(({ enqueuedAtMs }) => enqueuedAtMs);
  const seconds = Math.max(1, (Math.max(...times) - Math.min(...times)) / 1_000);
  const sizes = tickets.map((ticket) => String(ticket.skills.length));
  // The option `--regions` cannot express a name with its own separators.
  const regions = tickets.flatMap(({ region }) =>
    region === undefined || /[=,]/.test(region) ? [] : region,
  );
  const hasSides = teamKindsOf(definition).some(({ name }) => name !== undefined);
  return {
    rate: digits(skills.length / seconds),
    skills: `normal:${digits(mean)}:${digits(deviation)}`,
    ...(partyMaxOf(definition) > 1 && { parties: weightsOf(sizes) }),
    ...(roleSeatsOf(definition) !== undefined && {
      roleWeights: weightsOf(tickets.flatMap(({ roles }) => roles)),
    }),
    ...(hasSides && { sides: weightsOf(tickets.map(({ side }) => side ?? 'any')) }),
    ...(regions.length > 0 && { regions: weightsOf(regions) }),
  };
}

/** What `muster simulate` assumes, for a queue without matches so far. */
export function assumedTraffic(): Omit<TrafficOptions, 'seed'> {
  return { rate: '5', skills: 'normal:1500:350' };
}

/** `1=55,2=25`: how often each value occurs, in percent. */
function weightsOf(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([value, count]) => `${value}=${Math.max(1, Math.round((100 * count) / values.length))}`)
    .join(',');
}

function digits(value: number): string {
  return String(Number(value.toPrecision(3)));
}
