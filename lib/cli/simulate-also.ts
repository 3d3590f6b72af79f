import { LIMITS, type QueueDefinition } from '../contract/queue-definition.ts';
import { namedWeights } from '../simulation/option-values.ts';
import { runJson } from '../simulation/run-json.ts';
import { playSeveral } from '../simulation/several-queues.ts';
import { InvalidInput } from './failure.ts';
import { playInSlices } from './progress.ts';
import { numbersOf } from './report/run-tables.ts';
import { textTable } from './text-table.ts';
import { populationIn, type TrafficOptions, trafficOf } from './traffic-options.ts';

const PLAYERS_DEFAULT = { players: 20_000 };
const SHARE_DEFAULT = 0.2;

/**
 * Plays queues of a group at the same time, with tickets that wait in all of them, and then the same traffic when each ticket
 * waits only in the queue that it is posted to.
 *
 * @throws InvalidInput | Problem that names the option, or the file and the invalid fields
 */
export async function simulateAlso(
  definitions: readonly QueueDefinition[],
  options: TrafficOptions & { share?: number; posts?: string },
  signal: AbortSignal,
) {
  const group = groupOf(definitions);
  const { share = SHARE_DEFAULT } = options;
  const seed = Number(options.seed);
  const traffic = trafficOf(options, definitions[0]!, PLAYERS_DEFAULT);
  const populations = definitions.map((definition) => populationIn(options, definition));
  const several = { definitions, populations, weights: weightsOf(options.posts, definitions), share, seed };
  const playGroup = async (label: string, together: boolean) => {
    const played = playSeveral(several, traffic, together);
    const { queues, linked } = await playInSlices(label, played, traffic.players, signal);
    // A linked ticket is posted once, so the costs of its queues cannot be added.
    const withoutCost = queues.map((run, at) => {
      const { costDollars: _, ...json } = runJson(definitions[at]!, run, {
        seed,
        interrupted: signal.aborted,
      });
      return json;
    });
    return { queues: withoutCost, linked };
  };
  const together = await playGroup('together', true);
  const alone = await playGroup('alone', false);
  return { group, share, seed, interrupted: signal.aborted, together, alone };
}

function groupOf(definitions: readonly QueueDefinition[]): string {
  const [first, ...others] = definitions;
  const { group } = first!;
  if (others.length > LIMITS.alsoMax)
    throw new InvalidInput(`--also: Expected up to ${LIMITS.alsoMax} further queues, got ${others.length}`);
  if (group === undefined)
    throw new InvalidInput(
      `--also: Expected queues with the same group, got ${first!.name} without a group: add "group"`,
    );
  for (const { name, group: other = 'none' } of others)
    if (other !== group)
      throw new InvalidInput(
        `--also: Expected queues of the group ${group}, got ${name} with group ${other}`,
      );
  const again = definitions.find(({ name }, at) => definitions.findIndex((one) => one.name === name) < at);
  if (again !== undefined)
    throw new InvalidInput(`--also: Expected each queue once, got ${again.name} again`);
  return group;
}

/** The weight of each queue; all are equal by default. */
function weightsOf(text: string | undefined, definitions: readonly QueueDefinition[]): number[] {
  if (text === undefined) return definitions.map(() => 1);
  const weights = namedWeights('--posts', text);
  const names = definitions.map(({ name }) => name);
  const unknown = Object.keys(weights).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new InvalidInput(`--posts: Expected names of the queues (${names.join(', ')}), got ${unknown}`);
  return names.map((name) => weights[name] ?? 0);
}

/** The results for a terminal. Ends without a line break. */
export function alsoText({ together, alone, share }: Awaited<ReturnType<typeof simulateAlso>>): string {
  const tableOf = (title: string, { queues, linked }: typeof together) => {
    const all = [...queues, { queue: 'linked', ...linked, estimatedWaits: [] }];
    const { columns, rows } = numbersOf(
      all.map((one) => ({ name: one.queue, measures: one, calibration: one.estimatedWaits })),
    );
    return textTable([[title, ...columns], ...rows]).join('\n');
  };
  const linked = `${Number((100 * share).toPrecision(3))}% wait in all queues`;
  return `${tableOf(linked, together)}\n\n${tableOf('each waits in one queue', alone)}`;
}
