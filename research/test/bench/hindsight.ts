/**
 * `node research/test/bench/hindsight.ts [--scenario 4] [--players 300] [--seed 2017] [--exchanges 8000,80000] [--wait-cost 1]`: how much
 * a longer search with hindsight finds (research/docs/bounds.md). Scenarios are numbered as in `standardScenarios`, exchanges are
 * counted for each ticket. Prints markdown.
 */
import { parseArgs } from 'node:util';
import { seededRandom } from 'muster/simulation';
import { standardScenarios } from '../../lib/hindsight/bounds.ts';
import { hindsightCost } from '../../lib/hindsight/hindsight-schedule.ts';
import { programOf } from '../../lib/hindsight/measure-bounds.ts';
import { playedSchedule } from '../../lib/hindsight/played-schedule.ts';

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: '4' },
    players: { type: 'string', default: '300' },
    seed: { type: 'string', default: '2017' },
    exchanges: { type: 'string', default: '8000,80000' },
    'wait-cost': { type: 'string', default: '1' },
  },
});
const seed = Number(values.seed);
const release = { policy: 'option-value', waitCost: Number(values['wait-cost']) } as const;
const { title, traffic, players, ...scenario } = standardScenarios(Number(values.players), seed)[
  Number(values.scenario) - 1
];
const definition = { ...scenario.definition, release };
const { instance, rules } = programOf(definition, traffic, players);
const played = playedSchedule(instance, definition, traffic);

console.log('| scenario | schedule | cost per player |');
console.log('| --- | --- | --- |');
console.log(`| ${title} | option-value | ${played.cost.toFixed(2)} |`);
for (const trials of values.exchanges.split(',').map(Number)) {
  const random = seededRandom(seed).fork('exchanges');
  const cost = hindsightCost(instance, played, { rules, random, trials });
  console.log(`| ${title} | with hindsight, ${trials} exchanges for each ticket | ${cost.toFixed(2)} |`);
}
