/**
 * The true imbalance of matches while ratings settle, for everybody since the launch and for newcomers, with and without
 * placement, beside tickets that bring the true skills. Prints Markdown. It counts simulated matches, not time.
 */
import { parseArgs } from 'node:util';
import { machine, printMarked } from '../../../test/tables/print.ts';
import { imbalanceByMatches } from './rated-play-table.ts';

const { values } = parseArgs({
  options: {
    players: { type: 'string', default: '100000' },
    community: { type: 'string', default: '1000' },
    seeds: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
  },
});

const [players, community, seeds, seed] = [values.players, values.community, values.seeds, values.seed].map(
  Number,
) as [number, number, number, number];
console.log(`${machine()}, seeds ${seed} to ${seed + seeds - 1}\n`);
printMarked('true imbalance by matches played', imbalanceByMatches({ players, community, seeds, seed }));
