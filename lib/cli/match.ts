import { Command } from 'commander';
import { matchOffline } from '../service/ticks/offline.ts';
import { isoTime, printJson, readQueueFile, readTicketsFile, searchTimeMs } from './input.ts';

/** The command `match`: runs one tick over a file of tickets, offline. */
export function matchCommand(): Command {
  return new Command('match')
    .summary('run one tick over a file of tickets, offline')
    .description(
      'Runs one tick over a file of tickets and prints JSON: the matches in the order released, and for every other ticket ' +
        'why it is still waiting.',
    )
    .requiredOption('--queue <file>', 'queue definition')
    .requiredOption(
      '--tickets <file>',
      'JSON list of { "ticketId", "enqueuedAt", "players": [{ "playerId", "skill" }] }',
    )
    .option(
      '--now <time>',
      'time of the tick, ISO 8601 (default: when the last ticket was enqueued)',
      isoTime,
    )
    .action((options: { queue: string; tickets: string; now?: number }) => {
      const definition = readQueueFile(options.queue);
      const tickets = readTicketsFile(options.tickets, definition);
      printJson(matchOffline(definition, tickets, searchTimeMs(options.now, tickets)));
    });
}
