import { printMarked, table } from '../tables/print.ts';
import type { EngineTable, MeasuredRow } from './engine.ts';

const TABLES: readonly EngineTable[] = ['results', 'ticks', 'shapes'];

/** The rows of the README: the beginning of a row's work, and the same in words that need no knowledge of the engine. */
const HEADLINES: readonly (readonly [work: string, inWords: string])[] = [
  ['one tick of greedy, solo players', 'a tick of `greedy` matches 10,000 waiting solo players'],
  ['one tick of option-value, solo players', 'a tick of `option-value` on 10,000 waiting solo players'],
  ['one tick of option-value, one role', 'the same with three roles, of which each player accepts one'],
  ['one tick of option-value, parties', 'a tick of `option-value` on 10,000 waiting parties of 1 to 5'],
  ['roles of mild popularity, drain', 'a pool of 10,000 players with roles is drained, best match first'],
  ['drain best-first, exact', 'a pool of 100,000 solo players is drained, best match first, all proved best'],
  ['the same parties, partitioned', '10,000 tickets of parties of 1 to 5 are partitioned into games'],
];

/** Prints the tables of research/docs/engine.md and that of the README. */
export function printEngineTables(rows: readonly MeasuredRow[]): void {
  for (const name of TABLES) {
    const cells = rows
      .filter((row) => row.table === name)
      .map(({ work, aim, reached, sortMs }) => [work, aim, reached, `${sortMs.toPrecision(2)} ms`]);
    const head = ['work', 'target', 'result', 'sorting as many doubles'];
    printMarked(`engine ${name}`, table(head, cells, [0, 1, 2]));
  }
  printMarked('how fast', headlines(rows));
}

/** @throws Error when a headline has no row */
export function headlines(rows: readonly MeasuredRow[]): string {
  const cells = HEADLINES.map(([begin, inWords]) => {
    const row = rows.find(({ work }) => work.startsWith(begin));
    if (row === undefined) throw new Error(`Expected a row that begins with "${begin}"`);
    return [inWords, row.reached.split(/,| \(/)[0]!];
  });
  return table(['work', 'time'], cells);
}
