/**
 * `node research/test/bench/pair-bounds.ts [--players 20000] [--seeds 1,2,3] [--wait-costs 1,1.4] [--mean-wait 14.4]`: what no release
 * policy for 1v1 at 1 player per second can fall below (research/docs/bounds.md), and what `option-value` costs. Prints markdown.
 */
import { parseArgs } from 'node:util';
import { playThrough } from '../../../lib/simulation/play.ts';
import { SCENARIOS, STANDARD_SKILLS, trafficOf } from '../../../test/bench/scenarios.ts';
import { standardScenarios } from '../../lib/hindsight/bounds.ts';
import { imbalanceBound, pairBound } from '../../lib/hindsight/pair-bound.ts';

const { values } = parseArgs({
  options: {
    players: { type: 'string', default: '20000' },
    seeds: { type: 'string', default: '1,2,3' },
    'wait-costs': { type: 'string', default: '1,1.4' },
    'mean-wait': { type: 'string', default: '14.4' },
  },
});
const [scenario] = SCENARIOS;
const { law } = standardScenarios(1, 1).at(-1)!;
const { alpha } = scenario.definition.imbalance;
/** Both imbalances of a pair, and the skills from 0 up to where hardly anybody is. */
const pairs = {
  distanceCost: 2 * alpha + 1,
  from: 0,
  to: STANDARD_SKILLS.mean + 6 * STANDARD_SKILLS.standardDeviation,
};

console.log('| `waitCost` | every policy, at least | `option-value` | ratio |');
console.log('| --- | --- | --- | --- |');
for (const waitCost of values['wait-costs'].split(',').map(Number)) {
  const { cost: bound } = pairBound(law, { ...pairs, waitCost });
  const costs = values.seeds.split(',').map((seed) => costOf(waitCost, Number(seed)));
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / costs.length;
  console.log(`| ${waitCost} | ${bound.toFixed(2)} | ${mean.toFixed(2)} | ${(mean / bound).toFixed(3)} |`);
}
const meanWait = Number(values['mean-wait']);
const { imbalance, waitCost } = imbalanceBound(law, pairs, meanWait);
console.log(
  `\nAt a mean wait of ${meanWait} s: imbalance ${imbalance.toFixed(2)} or more (from waitCost ${waitCost.toFixed(2)}).`,
);

function costOf(waitCost: number, seed: number): number {
  const release = { policy: 'option-value', waitCost } as const;
  const traffic = trafficOf(scenario, Number(values.players), seed);
  const { waitSeconds, imbalance } = playThrough({ ...scenario.definition, release }, traffic).measures;
  return imbalance.mean + waitCost * waitSeconds.mean;
}
