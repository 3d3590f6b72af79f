import { expect, it } from 'vitest';
import type { Ticket } from '../../../lib/engine/types.ts';
import { adviseChoices } from '../../../lib/policies/choices/advise-choices.ts';
import {
  addChoices,
  type ChoiceCounts,
  COUNTS_MAX,
  mixedChoices,
  playersOf,
} from '../../../lib/policies/choices/choice-counts.ts';
import { choicesOf } from '../../../lib/policies/choices/choices.ts';
import type { RuledPlayer } from '../../../lib/rules/types.ts';
import { seededRandom } from '../../../lib/simulation/random.ts';

const sides = choicesOf({
  teams: [
    { name: 'attack', size: 5 },
    { name: 'defend', size: 5 },
  ],
  rules: [{ name: 'Ping', type: 'latency', max: 100 }],
});

const solo = (id: number, teams: string[] | undefined, latencyMs: Record<string, number>): Ticket => {
  const player: RuledPlayer = { playerId: `p${id}`, skill: 1, ...(teams && { teams }), latencyMs };
  return { ticketId: `t${id}`, enqueuedAtMs: 0, players: [player] };
};

/** Players in random regions; most of them insist on attack. */
function players(count: number, regions: number): Ticket[] {
  const random = seededRandom(5);
  return Array.from({ length: count }, (_, id) =>
    solo(
      id,
      random.uniform() < 0.7 ? ['attack'] : undefined,
      Object.fromEntries(Array.from({ length: regions }, (_, r) => [`r${r}`, 200 * random.uniform()])),
    ),
  );
}

it('the counts of a choice are bounded however many sets of regions there are', () => {
  const counted = addChoices([], sides, players(2000, 40), 1, COUNTS_MAX);
  for (const { counts } of counted) expect(counts.length).toBeLessThanOrEqual(COUNTS_MAX);
  for (const { counts } of counted) expect(playersOf(counts)).toBeCloseTo(2000, 0);
  const again = addChoices(counted, sides, players(2000, 40), 0.5, COUNTS_MAX);
  for (const { counts } of again) expect(playersOf(counts)).toBeCloseTo(3000, 0);
});

it('of many newcomers some are counted for all, evenly chosen', () => {
  const many = players(20_000, 4);
  const [all] = addChoices([], sides, many, 1, COUNTS_MAX);
  const [some] = addChoices([], sides, many, 1, COUNTS_MAX, 1000);
  const attack = ({ counts }: ChoiceCounts) => playersOf(counts.filter(({ accepts }) => accepts.length > 0));
  expect(playersOf(some!.counts)).toBeCloseTo(20_000, 0);
  expect(attack(some!) / attack(all!)).toBeCloseTo(1, 1);
});

it('merged counts still show that a side is over-chosen', () => {
  const counted = addChoices([], sides, players(2000, 40), 1, COUNTS_MAX);
  expect(adviseChoices(sides, counted, 10)[0]!.advice).toMatchObject({
    stable: false,
    overchosen: ['attack'],
  });
});

it('the counts of buckets are mixed by the rate at which their players arrive', () => {
  const counts = (accepts: string[], number: number): ChoiceCounts[] => [
    { of: 'sides', counts: [{ accepts, regions: ['eu'], players: number }] },
  ];
  const [mixed] = mixedChoices([
    { choices: counts(['attack'], 1000), share: 1 },
    { choices: counts(['defend'], 200), share: 3 },
  ]);
  expect(mixed!.counts).toEqual([
    { accepts: ['defend'], regions: ['eu'], players: 900 },
    { accepts: ['attack'], regions: ['eu'], players: 300 },
  ]);
});

it('sides that a changed definition no longer has are ignored', () => {
  const counted: ChoiceCounts[] = [
    {
      of: 'sides',
      counts: [
        { accepts: ['hunt'], regions: ['eu'], players: 500 },
        { accepts: ['attack', 'hunt'], regions: ['eu'], players: 90 },
        { accepts: [], regions: ['eu'], players: 110 },
      ],
    },
  ];
  const [advised] = adviseChoices(sides, counted, 2);
  expect(advised).toMatchObject({ of: 'sides', players: 200, advice: { stable: true } });
});
