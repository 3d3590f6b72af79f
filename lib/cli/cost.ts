import { fileURLToPath } from 'node:url';
import { Command } from '@commander-js/extra-typings';
import { LIMITS } from '../contract/queue-definition.ts';
import { seatsOf } from '../contract/team-kinds.ts';
import { type MonthlyBill, monthlyBill, type Players } from '../costs/monthly-bill.ts';
import { numberIn } from '../simulation/option-values.ts';
import { InvalidInput } from './failure.ts';
import { numberArgument, positiveNumber, printJson, readQueueFile, wholeNumber } from './input.ts';

/** A queue of five against five, searched every second: the one of most questions about the price. */
const ARENA = fileURLToPath(new URL('../../queues/arena.json', import.meta.url));

/** The command `cost`: the bill of a month on AWS, from the number of players. */
export function costCommand(): Command {
  return new Command('cost')
    .summary('estimate the monthly bill on AWS from the number of players')
    .description(
      'Estimates the bill of a month of 30 days, at list prices of us-east-1 and before any free tier, from the resources ' +
        'that the service uses for a ticket, a match and a tick, and for the features of the definitions. It names what is not in it.',
    )
    .requiredOption('--dau <players>', 'players who play on a day', wholeNumber(1))
    .option('--matches <number>', 'matches that each of them plays on that day', positiveNumber, 5)
    .option(
      '--party <players>',
      'mean number of players of a ticket, 1 or more',
      numberArgument(numberIn(1)),
      1,
    )
    .option('--polls <number>', 'long polls of 20 s for each ticket (webhooks need none)', wholeNumber(0), 0)
    .option(
      '--also <number>',
      'mean number of further queues in which a ticket waits at the same time, 0 to 7',
      numberArgument(numberIn(0, LIMITS.alsoMax)),
      0,
    )
    .option('--queue <file...>', 'queue definitions over which the players are spread (default: one of 5v5)')
    .option('--ladder', 'players are rated: each match has a result (default: in queues that name a ladder)')
    .option('--json', 'print the bill as JSON (default: when the output is not a terminal)')
    .action(({ queue, ladder, json, ...given }) => {
      const players: Players = {
        perDay: given.dau,
        matchesEach: given.matches,
        partySize: given.party,
        pollsPerTicket: given.polls,
        furtherQueues: given.also,
      };
      const queues = (queue ?? [ARENA]).map(readQueueFile);
      // A party that may be divided is as large as a match.
      const small = queues.find((one) => seatsOf(one) < given.party);
      if (small !== undefined)
        throw new InvalidInput(
          `--party: Expected a number up to ${seatsOf(small)}, the seats of a match of ${small.name}, got ${given.party}`,
        );
      const rated = ladder ? queues.map((one) => ({ ladder: 'ranked', ...one })) : queues;
      const bill = monthlyBill(players, rated);
      if (json || !process.stdout.isTTY) printJson(bill);
      else console.log(billText(bill, players));
    });
}

function billText(bill: MonthlyBill, { perDay, matchesEach }: Players): string {
  const whole = (count: number) => Math.round(count).toLocaleString('en');
  const dollars = (value: number) => value.toFixed(2).padStart(10);
  const features = bill.features.map(({ feature, dollars }) => ({ what: `of this: ${feature}`, dollars }));
  const width = Math.max(...[...bill.lines, ...features].map(({ what }) => what.length));
  const line = (service: string, what: string, value: number) =>
    `${service.padEnd(16)}${what.padEnd(width)}${dollars(value)}`;
  return [
    `${whole(perDay)} players a day, ${matchesEach} matches each: ${whole(bill.tickets)} tickets and ${whole(bill.matches)} matches a month`,
    '',
    `${''.padEnd(16 + width)}${'$ a month'.padStart(10)}`,
    ...bill.lines.map(({ service, what, dollars: value }) => line(service, what, value)),
    line('Total', '', bill.total),
    ...features.map(({ what, dollars: value }) => line('', what, value)),
    '',
    `$${((1e6 * bill.total) / bill.players).toFixed(2)} for a million players matched.`,
    `Not counted: ${bill.notCounted.join(', ')}.`,
  ].join('\n');
}
