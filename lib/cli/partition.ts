import { Command, Option } from 'commander';
import { gameJson } from '../contract/match.ts';
import { type PartitionObjective, partitionTickets } from '../engine/game-pool.ts';
import { gameRulesOf } from '../policies/plan.ts';
import { isoTime, printJson, readQueueFile, readTicketsFile, searchTimeMs } from './input.ts';

/** The command `partition`: puts all players of a file into games at once, offline. */
export function partitionCommand(): Command {
  return new Command('partition')
    .summary('put all players of a file into games at once, offline')
    .description(
      'Puts as many players as possible into games at once and prints JSON: the games as `muster match` prints them, the ' +
        'objective reached and `objectiveLowerBound`: no partition into as many games has a lower objective. ' +
        'The unhappiness of a player is the imbalance of its game over that of the best game it could have had, 1 or above; ' +
        'its bound is 1 for games of more than 16 seats.',
    )
    .requiredOption('--queue <file>', 'queue definition')
    .requiredOption('--tickets <file>', 'JSON list of tickets, as for `muster match`')
    .addOption(
      new Option(
        '--objective <name>',
        'what to minimise: the worst imbalance, the sum of imbalances, or the greatest unhappiness of a player',
      )
        .choices(['worst', 'sum', 'unhappiness'])
        .default('worst'),
    )
    .option(
      '--now <time>',
      'time at which waits are measured, ISO 8601 (default: when the last ticket was enqueued)',
      isoTime,
    )
    .action((options: { queue: string; tickets: string; objective: PartitionObjective; now?: number }) => {
      const definition = readQueueFile(options.queue);
      const tickets = readTicketsFile(options.tickets, definition);
      const nowMs = searchTimeMs(options.now, tickets);
      const result = partitionTickets(tickets, gameRulesOf(definition), nowMs, {
        objective: options.objective,
      });
      printJson({
        queue: definition.name,
        matches: result.games.map(gameJson),
        waiting: result.waiting,
        objective: result.objective,
        objectiveLowerBound: result.objectiveLowerBound,
      });
    });
}
