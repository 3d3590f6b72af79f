/**
 * `node research/test/bench/policy-bounds.ts [--scenario 6] [--players 1600] [--seeds 1,2,3] [--reach 0.6] [--share 1] [--power 1]
 * [--wait-cost 1]`: what
 * no release policy can fall below, on average over several drawings of the arrivals (research/docs/bounds.md). Scenarios are
 * numbered as in `standardScenarios`. Prints markdown.
 */
import { parseArgs } from 'node:util';
import { standardScenarios } from '../../lib/hindsight/bounds.ts';
import { policyBound } from '../../lib/hindsight/policy-bound.ts';

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: '6' },
    players: { type: 'string', default: '1600' },
    seeds: { type: 'string', default: '1,2,3' },
    reach: { type: 'string', default: '0.6' },
    share: { type: 'string', default: '1' },
    power: { type: 'string', default: '1' },
    'wait-cost': { type: 'string', default: '1' },
  },
});
const price = { reach: Number(values.reach), share: Number(values.share), power: Number(values.power) };

console.log('| scenario | seed | players | every policy, at least | `option-value` | ratio |');
console.log('| --- | --- | --- | --- | --- | --- |');
const bounds: number[] = [];
const costs: number[] = [];
let title = '';
for (const seed of values.seeds.split(',').map(Number)) {
  const scenario = standardScenarios(Number(values.players), seed)[Number(values.scenario) - 1];
  const release = { policy: 'option-value', waitCost: Number(values['wait-cost']) } as const;
  const definition = { ...scenario.definition, release };
  const { players, bound, optionValue } = await policyBound({ ...scenario, definition }, scenario.law, price);
  ({ title } = scenario);
  bounds.push(bound);
  costs.push(optionValue);
  console.log(row(String(seed), players, bound, optionValue));
}
console.log(row(`all, ± ${error(bounds).toFixed(2)}`, '', mean(bounds), mean(costs)));

function row(seed: string, players: number | string, bound: number, cost: number): string {
  return `| ${title} | ${seed} | ${players} | ${bound.toFixed(2)} | ${cost.toFixed(2)} | ${(cost / bound).toFixed(3)} |`;
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/** The standard error of the mean. */
function error(numbers: readonly number[]): number {
  const squares = numbers.reduce((sum, number) => sum + (number - mean(numbers)) ** 2, 0);
  return Math.sqrt(squares / Math.max(1, numbers.length - 1) / numbers.length);
}
