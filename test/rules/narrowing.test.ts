import { expect, it } from 'vitest';
import { shapeOf } from '../../lib/engine/game-pool.ts';
import { seeded } from '../engine/random-pool.ts';
import { sample } from '../long.ts';
import { constraintsOf } from './oracle-run.ts';
import { randomRuledCase, randomShapedRuledCase } from './random-rules.ts';

it('a rule that has not narrowed with a ticket admits the same tickets after it as before', () => {
  const random = seeded(21);
  const still = new Map<string, number>();
  for (let round = 0; round < sample(400, 20_000); round++) {
    const of =
      round % 2 === 0 ? randomRuledCase(random, { more: true }) : randomShapedRuledCase(random, true);
    const { seats } = shapeOf(of.rules);
    for (const rule of of.definition.rules ?? []) {
      const constraints = constraintsOf({ ...of, definition: { ...of.definition, rules: [rule] } }, 1);
      const numbers = of.tickets.map((ticket) => constraints.enter(ticket));
      const facets = constraints.facets(numbers) ?? [undefined];
      const facet = facets[Math.floor(facets.length * random())];
      constraints.start(facet);
      let free = seats;
      const sizeOf = (number: number) => of.tickets[numbers.indexOf(number)]!.players.length;
      const admitted = (others: readonly number[]) =>
        others.filter((number) => sizeOf(number) <= free && constraints.admits(number));
      for (let before = admitted(facet?.tickets ?? numbers); before.length > 0; ) {
        const next = before[Math.floor(before.length * random())]!;
        constraints.join(next);
        free -= sizeOf(next);
        const fitting = before.filter((number) => number !== next && sizeOf(number) <= free);
        before = admitted(fitting);
        if (constraints.hasNarrowed()) continue;
        expect(before, `round ${round}, ${rule.type}`).toEqual(fitting);
        if (fitting.length > 0) still.set(rule.type, (still.get(rule.type) ?? 0) + 1);
      }
    }
  }
  for (const type of ['within', 'same', 'common', 'latency', 'recent', 'compare', 'count'])
    expect(still.get(type) ?? 0, type).toBeGreaterThan(3);
});
