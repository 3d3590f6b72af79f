import { expect, it } from 'vitest';
import { type PooledTicket, poolPlayer, sortBySkill } from '../../../lib/engine/model/pooled-ticket.ts';
import { RoleTable } from '../../../lib/engine/model/roles.ts';
import { DenseSearch } from '../../../lib/engine/scarce/dense-search.ts';
import { OldestPlayers } from '../../../lib/engine/scarce/oldest-players.ts';
import { scarcePlans } from '../../../lib/engine/scarce/scarce-plans.ts';
import { type Seated, seatedOf } from '../../../lib/engine/scarce/seated.ts';
import { SkillLine } from '../../../lib/engine/scarce/skill-line.ts';
import { TwoCentreBound } from '../../../lib/engine/scarce/two-centre-bound.ts';
import type { GameRules } from '../../../lib/engine/types.ts';
import { normal, seeded } from '../random-pool.ts';

it('takes the nearest players of two points as a brute force does, while players leave or are hidden', () => {
  const random = seeded(5);
  for (let pool = 0; pool < 300; pool++) {
    const skills = skillsOf(random, 7);
    const line = new SkillLine(playersOf(skills), 4, () => 0);
    const here = new Set(skills.map((_, i) => i + 1));
    while (here.size > 2) {
      const hidden = random() < 0.5 ? pick(random, here) : 0;
      if (hidden > 0) line.hide(hidden);
      const seen = [...here].filter((place) => place !== hidden);
      const [p, q] = [10 + normal(random), 10 + normal(random)].sort((a, b) => a - b);
      const [countP, countQ] = [Math.floor(3 * random()), 1 + Math.floor(2 * random())];
      let least = Number.POSITIVE_INFINITY;
      for (const ofP of subsets(seen, countP)) {
        const rest = seen.filter((place) => !ofP.includes(place));
        for (const ofQ of subsets(rest, countQ)) {
          const cost = (places: number[], at: number) =>
            places.reduce((sum, place) => sum + (skills[place - 1] - at) ** 2, 0);
          least = Math.min(least, cost(ofP, p) + cost(ofQ, q));
        }
      }
      expect(line.leastCost(p, countP, q, countQ)).toBeCloseTo(least, 9);
      if (hidden > 0) line.show();
      const gone = pick(random, here);
      here.delete(gone);
      line.remove(gone);
    }
  }
});

it('finds the players whose wait is worth their distance as a pass over all of them does', () => {
  const random = seeded(6);
  for (let pool = 0; pool < 200; pool++) {
    const skills = Float64Array.from(skillsOf(random, 1 + Math.floor(20 * random())));
    const waits = Float64Array.from(skills, () => 3 * random());
    const oldest = new OldestPlayers(4, skills, waits);
    for (let left = skills.length; left > 0; left--) {
      const [base, pull, at] = [random(), random(), 10 + normal(random)];
      const limit = 3 * random();
      const before = 3 * random();
      const costs = Array.from(
        skills,
        (skill, i) => Math.sqrt((base + pull * (skill - at) ** 2) / 4) + waits[i],
      );
      expect(oldest.least).toBe(Math.min(...waits));
      expect(oldest.nearest(base, pull, at, limit)).toBeCloseTo(Math.min(limit, ...costs), 12);
      const near = [...waits].filter(
        (wait, i) => Math.sqrt((pull * (skills[i] - at) ** 2) / 4) + wait < limit,
      );
      expect(oldest.leastWithin(pull, at, limit)).toBe(Math.min(Number.POSITIVE_INFINITY, ...near));
      const found: number[] = [];
      oldest.within(base, pull, at, limit, before, (place) => found.push(place));
      expect(found).toEqual([...skills.keys()].filter((i) => costs[i] < limit && waits[i] < before));
      const gone = pick(
        random,
        [...skills.keys()].filter((i) => waits[i] < Number.POSITIVE_INFINITY),
      );
      waits[gone] = Number.POSITIVE_INFINITY;
      oldest.remove(gone);
    }
  }
});

it('bounds the games of seated players with and without a dense one from below, and searches them exactly', () => {
  const random = seeded(7);
  let tight = 0;
  let raised = 0;
  let compared = 0;
  for (let pool = 0; pool < 400; pool++) {
    const teamSize = 2 + (pool % 2);
    const rules: GameRules = { teamSize, alpha: [1, 3][Math.floor(2 * random())], p: 1, q: 2, beta: 0 };
    const skills = skillsOf(random, 2 * teamSize + 2);
    const line = new SkillLine(playersOf(skills), 4, () => 0);
    const scarce = playersOf(skillsOf(random, 2));
    const oldest = random() < 0.6 ? 1 + Math.floor(skills.length * random()) : 0;
    const division = oldest > 0 && random() < 0.5 ? 2 : 1;
    const seated = seatedOf(scarce, division, 0, oldest, line.skills[oldest]);
    const least = leastImbalance(seated, skills, rules);
    const limit = random() < 0.5 ? 10 * least : least * (0.5 + random());
    if (oldest > 0) line.hide(oldest);
    const bound = new TwoCentreBound(rules, line);
    const first = bound.of(seated, limit);
    const climbed = bound.climb(seated, first, limit, 1.3 * limit);
    expect(first).toBeLessThanOrEqual(least * (1 + 1e-9));
    expect(climbed).toBeLessThanOrEqual(least * (1 + 1e-9));
    expect(climbed).toBeGreaterThanOrEqual(first);
    const search = new DenseSearch(rules, line);
    expect(search.run(seated, limit)).toBeCloseTo(Math.min(limit, least), 9);
    expect(search.best !== undefined).toBe(least < limit);
    compared++;
    if (limit < 10 * least) continue;
    if (first > 0.5 * least) tight++;
    if (climbed > first * 1.01) raised++;
  }
  expect(compared).toBe(400);
  expect(tight).toBeGreaterThan(100);
  expect(raised).toBeGreaterThan(20);
});

it('lists every choice of scarce role sets that can be seated, with the teams that can', () => {
  const roles = new RoleTable({ damage: 3, healer: 1, tank: 1 }, 2);
  const [, healer, tank] = [1, 2, 4];
  expect(scarcePlans([tank, healer], 4, roles)).toEqual([{ sets: [0, 0, 1, 1], halves: [0b0101, 0b1001] }]);
  expect(scarcePlans([healer | tank, tank, healer], 4, roles).map(({ sets }) => sets.join(''))).toEqual([
    '0000',
    '0001',
    '0002',
    '0011',
    '0012',
    '0022',
    '0112',
    '0122',
    '1122',
  ]);
  expect(scarcePlans([tank], 4, roles)).toEqual([]);
});

/** The least f of all games of some seated players, over all choices of dense players for the missing seats. */
function leastImbalance(seated: Seated, skills: readonly number[], { teamSize, alpha }: GameRules): number {
  const side = (team: number) =>
    seated.scarce.filter((_, i) => ((seated.division >> i) & 1) === team).map(({ mean }) => mean);
  const first = [...side(1), ...(seated.oldest > 0 ? [skills[seated.oldest - 1]] : [])];
  const second = side(0);
  const others = [...skills.keys()].filter((i) => i + 1 !== seated.oldest);
  let least = Number.POSITIVE_INFINITY;
  for (const x of subsets(others, teamSize - first.length)) {
    const rest = others.filter((i) => !x.includes(i));
    for (const y of subsets(rest, teamSize - second.length)) {
      const a = [...first, ...x.map((i) => skills[i])];
      const b = [...second, ...y.map((i) => skills[i])];
      const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
      const all = [...a, ...b];
      const mean = sum(all) / all.length;
      const v = Math.sqrt(sum(all.map((value) => (value - mean) ** 2)) / all.length);
      least = Math.min(least, alpha * Math.abs(sum(a) - sum(b)) + v);
    }
  }
  return least;
}

/** Skills around 10 in ascending order, some of them equal. */
function skillsOf(random: () => number, count: number): number[] {
  const unit = random() < 0.3 ? 0.5 : 1e-6;
  return Array.from({ length: count }, () => unit * Math.round((10 + normal(random)) / unit)).sort(
    (a, b) => a - b,
  );
}

function playersOf(skills: readonly number[]): PooledTicket[] {
  return sortBySkill(skills.map((skill, i) => poolPlayer(`t${String(i).padStart(2, '0')}`, skill, 1)));
}

function subsets<T>(from: readonly T[], count: number): T[][] {
  if (count === 0) return [[]];
  return from.flatMap((item, i) => subsets(from.slice(i + 1), count - 1).map((rest) => [item, ...rest]));
}

function pick<T>(random: () => number, from: Iterable<T>): T {
  const items = [...from];
  return items[Math.floor(items.length * random())];
}
