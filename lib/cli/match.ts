import { Command } from '@commander-js/extra-typings';
import type { MatchResult } from '../contract/match.ts';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import type { Ticket } from '../engine/types.ts';
import type { Backfill } from '../policies/plan.ts';
import { parseBackfillsFile } from '../service/backfills/parse-backfills.ts';
import { matchOffline, OFFLINE_SEARCH_MS } from '../service/ticks/offline.ts';
import { codeOption, withFunctions } from './code-option.ts';
import { isoTime, positiveNumber, printJson, readQueueFile, readTicketsFile, searchTimeMs } from './input.ts';
import { readJson } from './json-file.ts';

/** The command `match`: runs one tick over a file of tickets, offline. */
export function matchCommand(): Command {
  return new Command('match')
    .summary('run one tick over a file of tickets, offline')
    .description(
      'Runs one tick over a file of tickets and prints JSON: the matches in the order released, and for every other ticket ' +
        'why it is still waiting. A search that reaches its time limit prints the matches found until then, and ' +
        '"cut": true.',
    )
    .requiredOption('--queue <file>', 'queue definition')
    .requiredOption(
      '--tickets <file>',
      'JSON list of { "ticketId", "enqueuedAt", "players": [{ "playerId", "skill" }] }, or CSV (docs/simulation.md)',
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
    .option(
      '--search-seconds <number>',
      `time limit of the search (default: ${OFFLINE_SEARCH_MS / 1000}, that of a dry run)`,
      positiveNumber,
    )
    .addOption(codeOption())
    .action((options) => {
      const definition = withFunctions(readQueueFile(options.queue), options.queue);
      const tickets = readTicketsFile(options.tickets, definition);
      const nowMs = searchTimeMs(options.now, tickets);
      const { backfills, searchSeconds } = options;
      const asked =
        backfills === undefined ? undefined : parseBackfillsFile(readJson(backfills), definition, backfills);
      printJson(searchOffline(definition, tickets, nowMs, asked, searchSeconds));
    });
}

/** Runs one tick. */
export function searchOffline(
  definition: QueueDefinition,
  tickets: readonly Ticket[],
  nowMs: number,
  backfills?: readonly Backfill[],
  searchSeconds = OFFLINE_SEARCH_MS / 1000,
): MatchResult {
  const endMs = performance.now() + 1000 * searchSeconds;
  return matchOffline(definition, tickets, nowMs, () => performance.now() >= endMs, backfills);
}
