/**
 * `npx node test/bench/presence.ts`: players of a queue with presence who vanish without a word, and players who connect again
 * within the grace, each followed by an opponent who would be matched with them. Prints Markdown. It runs on a virtual clock, so a
 * busy machine changes nothing.
 */
import { parseArgs } from 'node:util';
import { machine, printMarked } from '../tables/print.ts';
import { presenceTable } from './vanishing-players.ts';

const { values } = parseArgs({
  options: {
    players: { type: 'string', default: '400' },
    seed: { type: 'string', default: '1' },
  },
});

console.log(`${machine()}, seed ${values.seed}\n`);
printMarked(
  'players who vanish',
  await presenceTable({ players: Number(values.players), seed: Number(values.seed) }),
);
