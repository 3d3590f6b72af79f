import { Command } from '@commander-js/extra-typings';
import type { RateOptions } from './rate-report.ts';

/** The command `rate`: rates the matches of a file, and says what the odds before each match were worth. */
export function rateCommand(): Command {
  return new Command('rate')
    .summary('rate the matches of a file, and measure the odds before each of them')
    .description(
      'Rates matches in their order and prints what the odds before each match were worth: calibrated on the results before ' +
        'it, uncalibrated, and beside those of a coin. With --fit it chooses model, beta and drift on the first 70% of the ' +
        'matches, and reports on the last 30%. docs/ratings.md describes the files.',
    )
    .requiredOption('--matches <file>', 'JSON lines, or CSV with a line for each player')
    .option('--ladder <file>', 'ladder definition (default: Plackett–Luce, mean 1500, deviation 350)')
    .option('--fit', 'choose model, beta and drift')
    .option('--json', 'print JSON, with the rating of each player')
    .action(async (options: RateOptions) => {
      // The library of ratings is loaded by this command alone.
      const { printRatings } = await import('./rate-report.ts');
      printRatings(options);
    });
}
