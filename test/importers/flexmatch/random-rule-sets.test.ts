import { expect, it } from 'vitest';
import { checkQueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { flexmatch } from '../../../lib/importers/flexmatch/flexmatch.ts';
import { imported } from '../../../lib/importers/importer.ts';
import { seeded } from '../../engine/random-pool.ts';
import { sample } from '../../long.ts';
import type { FlexRuleSet } from './judge.ts';
import { play } from './play.ts';
import { randomRuleSet } from './random-rule-set.ts';

/** Random rule sets: more with the variable FLEXMATCH_RULE_SETS. */
const COUNT = Number(process.env.FLEXMATCH_RULE_SETS ?? sample(20, 60));

it('plays random rule sets: every match is permitted, and none is missing where the import is the same', () => {
  let playable = 0;
  let matches = 0;
  let exhausted = 0;
  let untried = 0;
  for (let seed = 1; seed <= COUNT; seed++) {
    const random = seeded(seed);
    const ruleSet = randomRuleSet(random);
    if (!isPlayable(ruleSet)) continue;
    playable++;
    try {
      const played = play(ruleSet, random, 4);
      matches += played.matches;
      exhausted += played.exhausted;
      untried += played.untried;
    } catch (error) {
      throw new Error(`seed ${seed}: ${JSON.stringify(ruleSet)}`, { cause: error });
    }
  }
  if (process.env.FLEXMATCH_RULE_SETS) console.log({ COUNT, playable, matches, exhausted, untried });
  expect(playable).toBeGreaterThan(COUNT / 3);
  expect(matches).toBeGreaterThan(COUNT);
  expect(exhausted).toBeGreaterThan(untried);
});

/** Whether every property is the same or nearly so, and the definition is valid: some random rules contradict each other. */
function isPlayable(ruleSet: FlexRuleSet): boolean {
  const { definition, lines } = imported(flexmatch, ruleSet, 'The rule set');
  if (lines.some(({ outcome }) => outcome === 'not possible')) return false;
  try {
    checkQueueDefinition(definition, 'The import');
    return true;
  } catch {
    return false;
  }
}
