import { Command } from 'commander';
import { matchOffline } from '../service/ticks/offline.ts';
import {
  isoTime,
  printJson,
  readBackfillsFile,
  readQueueFile,
  readTicketsFile,
  searchTimeMs,
} from './input.ts';

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
      '--backfills <file>',
      'JSON list of running matches with empty seats: { "backfillId", "enqueuedAt", "players": [{ "playerId", "skill", "team" }] }',
    )
    .option(
      '--now <time>',
      'time of the tick, ISO 8601 (default: when the last ticket was enqueued)',
      isoTime,
    )
    .action((options: { queue: string; tickets: string; backfills?: string; now?: number }) => {
      const definition = readQueueFile(options.queue);
      const tickets = readTicketsFile(options.tickets, definition);
      const nowMs = searchTimeMs(options.now, tickets);
      const { backfills } = options;
      const asked = backfills === undefined ? undefined : readBackfillsFile(backfills, definition);
      printJson(matchOffline(definition, tickets, nowMs, undefined, asked));
    });
}
