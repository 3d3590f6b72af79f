/**
 * `node research/test/bench/baselines.ts [--players 10000] [--scenarios 1,3] [--seed 1]`: the papers' policies at the mean wait
 * of `option-value`, each tuned on the players that it is measured on (research/docs/baselines.md). Scenarios are numbered as in
 * `SCENARIOS`. Prints markdown.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { QueueRules } from 'muster/policies';
import { simulate } from 'muster/simulation';
import { meterFor } from '../../../lib/simulation/play.ts';
import { SCENARIOS, type Scenario, SKILL_DEVIATION, trafficOf } from '../../../test/bench/scenarios.ts';
import { brackets } from '../../lib/baselines/brackets.ts';
import { differenceWait } from '../../lib/baselines/difference-wait.ts';
import { patient } from '../../lib/baselines/patient.ts';
import { EqualWait, isNear, type Tried } from './equal-wait.ts';
import { period } from './widenings.ts';

type Release = QueueRules['release'];

const { values } = parseArgs({
  options: {
    players: { type: 'string', default: '10000' },
    scenarios: { type: 'string', default: '1,3' },
    seed: { type: 'string', default: '1' },
  },
});
const [players, seed] = [Number(values.players), Number(values.seed)];

console.log(`${cpus()[0].model}, Node ${process.version}, ${players} players, seed ${seed}\n`);
console.log(
  '| scenario | policy | mean wait | 99 % | longest | timed out | imbalance | `option-value` has |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
for (const number of values.scenarios.split(',')) {
  const scenario = SCENARIOS[Number(number) - 1];
  const own = played(scenario, scenario.definition.release);
  for (const [name, run] of [['option-value', own], ...tuned(scenario, own)] as const)
    console.log(row(scenario.title, name, run, own));
}

/** The policies at the mean wait of `own`, or as near as they come. */
function tuned(scenario: Scenario, own: Tried): (readonly [string, Tried])[] {
  const search = new EqualWait((release: Release) => played(scenario, release), own);
  const ranges = search.turned({
    range: [1, 256],
    settings: (count) => brackets({ count: Math.round(count) }),
  });
  // A player's wait grows by this many seconds for each standard deviation of imbalance.
  const hold = search.turned({
    range: [0.1, 100_000],
    settings: (seconds) => differenceWait(seconds / SKILL_DEVIATION),
  });
  const balanced = search.best({
    from: SKILL_DEVIATION / 20,
    knob: (imbalanceMax) => ({
      range: [1e-4, 1e6],
      settings: (patience) => patient({ imbalanceMax, waitCost: SKILL_DEVIATION / patience }),
    }),
  });
  return [
    ['brackets', ranges.run],
    ['difference-wait', hold.run],
    ...(balanced === undefined ? [] : [['patient', balanced.run] as const]),
    ['periodic', search.turned(period()).run],
  ];
}

function played(scenario: Scenario, release: Release): Tried {
  const traffic = trafficOf(scenario, players, seed);
  const meter = meterFor(traffic, Object.keys(scenario.definition.roles ?? {}), scenario.definition);
  const rules = { ...scenario.definition, release };
  for (const _ of simulate({
    rules,
    arrivals: traffic.arrivals,
    observers: [meter],
    atEnd: traffic.atEnd ?? 'drain',
  }));
  return { result: { measures: meter.read() } };
}

function row(title: string, name: string, run: Tried, own: Tried): string {
  const { waitSeconds, imbalance, outcome } = run.result.measures;
  const less = 1 - own.result.measures.imbalance.mean / imbalance.mean;
  const compared = run === own ? '' : isNear(run, own) ? `${(100 * less).toFixed(0)} % less` : 'another wait';
  return (
    `| ${title} | ${name} | ${waitSeconds.mean.toFixed(1)} s | ${waitSeconds.p99.toFixed(0)} s | ` +
    `${waitSeconds.max.toFixed(0)} s | ${outcome.timedOut} | ${imbalance.mean.toFixed(1)} | ${compared} |`
  );
}
