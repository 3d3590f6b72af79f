import { compareBackfills } from './backfill-oracle.ts';
import { compareWithBruteForce } from './compare.ts';
import { comparePacking } from './packing-oracle.ts';
import { backfillCase } from './random-backfill.ts';
import { randomCase, roundingCase, seeded } from './random-pool.ts';
import { shapeCase } from './random-shape.ts';

/**
 * `npm run oracle:engine [comparisons] [seed]`: compares the engine with brute force, by default a million times. Stops at
 * the first mismatch and prints its pool.
 */
const aim = Number(process.argv[2] ?? 1_000_000);
const seed = Number(process.argv[3] ?? 1);
const random = seeded(seed);
let comparisons = 0;
let pools = 0;
let reported = 0;
while (comparisons < aim) {
  const large = random() < 0.1;
  const shape = large ? { maxPlayers: 11, teamSizes: [2, 3, 4] } : { maxPlayers: 8, teamSizes: [1, 2, 3] };
  const kind = random();
  if (random() < 0.1) comparisons += compareBackfills(backfillCase(random), random);
  else {
    const example =
      kind < 0.3 ? shapeCase(random) : kind < 0.65 ? roundingCase(random) : randomCase(random, shape);
    comparisons += compareWithBruteForce(example, random);
    const { rules, forbids, tickets } = example;
    if (kind >= 0.3 && !rules.roles && !forbids && tickets.length <= 12) {
      comparisons += comparePacking(example, { nodeBudget: 1 + Math.floor(2000 * random() ** 4) }, random);
    }
  }
  pools++;
  if (comparisons - reported >= aim / 10) {
    reported = comparisons;
    console.log(`${comparisons} comparisons, ${pools} pools, no mismatch`);
  }
}
console.log(
  `done: ${comparisons} comparisons on ${pools} pools, no mismatch (seed ${seed}, Node ${process.version})`,
);
