import { Command } from 'commander';
import { matchOffline } from '../service/ticks/offline.ts';
import { isoTime, printJson, readQueueFile, readTicketsFile } from './input.ts';

/** One tick over a file of tickets, offline. */
export function matchCommand(): Command {
  return new Command('match')
    .summary('search a file of tickets once, offline')
    .description(
      'One tick over a file of tickets: prints the matches in the order released, and why the others wait.',
    )
    .requiredOption('--queue <file>', 'queue definition')
    .requiredOption(
      '--tickets <file>',
      'tickets: [{ "ticketId", "enqueuedAt", "players": [{ "playerId", "skill" }] }]',
    )
    .option(
      '--now <time>',
      'the moment of the tick, ISO 8601 (default: when the last ticket was enqueued)',
      isoTime,
    )
    .action((options: { queue: string; tickets: string; now?: number }) => {
      const definition = readQueueFile(options.queue);
      printJson(matchOffline(definition, readTicketsFile(options.tickets, definition), options.now));
    });
}
