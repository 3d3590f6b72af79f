import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from '@commander-js/extra-typings';
import type { MusterClient, Ticket } from '../client/index.ts';
import { askOf, withService } from './client.ts';
import { Failure, InvalidInput } from './failure.ts';
import { type OptionsOf, positiveNumber } from './input.ts';
import { INTERRUPTED_STATUS, interruptionSignal } from './interruption.ts';
import { checkOutputs, writeText } from './output.ts';

/** The most matches that a request returns. */
const MATCHES_MAX = 100;
const EVERY_MS = 5_000;

/** The command `export arrivals`: the tickets of a running service, as `simulate --arrivals` plays them. */
export function exportCommand(): Command {
  const arrivals = withOptions(withService(new Command('arrivals'))).action(exportArrivals);
  return new Command('export')
    .summary('write what a running service has seen, for simulations')
    .description('Writes what a running service has seen, without ids, for simulations.')
    .addCommand(arrivals);
}

function withOptions(command: ReturnType<typeof withService>) {
  return command
    .summary('write the tickets of the latest matches of a queue as a file of arrivals')
    .description(
      'Reads the latest matches of a queue and their tickets, and writes the tickets as a file that `muster simulate ' +
        '--arrivals` plays. Ids of tickets and players, avoid lists and regions of matches are not in it. With --seconds it ' +
        'goes on recording new matches; Ctrl-C ends it and writes what it has. Tickets without a match are not seen.',
    )
    .requiredOption('--queue <name>', 'the queue')
    .requiredOption('--out <file>', 'the JSON file to write')
    .option(
      '--seconds <number>',
      'record for this long (default: only the latest 100 matches)',
      positiveNumber,
    );
}

async function exportArrivals(options: OptionsOf<typeof withOptions>): Promise<void> {
  const { queue, out, seconds = 0, ...service } = options;
  checkOutputs([out]);
  if (out.toLowerCase().endsWith('.csv'))
    throw new InvalidInput(`--out: Expected the name of a JSON file, such as arrivals.json, got ${out}`);
  const ask = await askOf(service);
  const signal = interruptionSignal();
  const record = new Map<string, Ticket>();
  const untilMs = performance.now() + 1_000 * seconds;
  let isGap = false;
  do {
    isGap = (await ask((client) => readInto(record, client, queue))) || isGap;
    if (performance.now() >= untilMs) break;
    await sleep(Math.min(EVERY_MS, untilMs - performance.now()), undefined, { signal }).catch(() => {});
  } while (!signal.aborted);
  if (record.size === 0) throw new Failure(`Queue ${queue} has no match yet. ${out} is not written.`);
  writeText(out, `${JSON.stringify(arrivalsOf([...record.values()]), null, 1)}\n`);
  console.error(
    `${out}: ${record.size} tickets of queue ${queue}. Play them with muster simulate --arrivals ${out}`,
  );
  if (isGap)
    console.error(
      `Between two requests more than ${MATCHES_MAX} matches were made: some tickets are missing.`,
    );
  if (signal.aborted) process.exitCode = INTERRUPTED_STATUS;
}

/** Adds the tickets of the latest matches. @returns whether matches since the last call are missing */
async function readInto(record: Map<string, Ticket>, client: MusterClient, queue: string): Promise<boolean> {
  const matches = await client.queues.matches(queue, { limit: MATCHES_MAX });
  const ids = new Set(
    matches.flatMap(({ teams }) =>
      teams.flatMap(({ players }) => players.flatMap(({ ticketId }) => ticketId ?? [])),
    ),
  );
  const fresh = [...ids].filter((ticketId) => !record.has(ticketId));
  const isGap = record.size > 0 && fresh.length === ids.size && matches.length === MATCHES_MAX;
  for (const ticket of await client.getMany(fresh)) record.set(ticket.ticketId, ticket);
  return isGap;
}

/** Tickets as a file of arrivals: in the order of arrival, which also numbers them and their players in place of their ids. */
export function arrivalsOf(tickets: readonly Ticket[]): unknown[] {
  const names = new Map<string, string>();
  const nameOf = (playerId: string) => {
    if (!names.has(playerId)) names.set(playerId, `p${names.size + 1}`);
    return names.get(playerId)!;
  };
  const inOrder = tickets.toSorted(
    (a, b) => Date.parse(a.enqueuedAt) - Date.parse(b.enqueuedAt) || (a.ticketId < b.ticketId ? -1 : 1),
  );
  return inOrder.map(({ enqueuedAt, players, split }, at) => ({
    ticketId: `t${at + 1}`,
    enqueuedAt,
    players: players.map(({ playerId, skill, roles, teams, attributes, latencyMs }) => ({
      playerId: nameOf(playerId),
      skill,
      ...(roles && { roles }),
      ...(teams && { teams }),
      ...(attributes && { attributes }),
      ...(latencyMs && { latencyMs }),
    })),
    ...(split && { split }),
  }));
}
