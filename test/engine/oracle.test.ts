import { expect, it } from 'vitest';
import { sample } from '../long.ts';
import { compareWithBruteForce } from './compare.ts';
import { randomCase, roundingCase, seeded } from './random-pool.ts';
import { shapeCase } from './random-shape.ts';

it('agrees with brute force on random small pools, after every operation', () => {
  const random = seeded(20170508);
  let comparisons = 0;
  for (let round = 0; round < sample(250, 700); round++) {
    comparisons += compareWithBruteForce(randomCase(random, { maxPlayers: 9, teamSizes: [1, 2, 3] }), random);
  }
  expect(comparisons).toBeGreaterThan(sample(1000, 3000));
});

it('agrees with brute force at the limits of numbers, and with tiny node budgets', () => {
  const random = seeded(20170509);
  let comparisons = 0;
  for (let round = 0; round < sample(250, 700); round++)
    comparisons += compareWithBruteForce(roundingCase(random), random);
  expect(comparisons).toBeGreaterThan(sample(1000, 3000));
});

it('agrees with brute force on games of any shape, after every operation', () => {
  const random = seeded(20261122);
  let comparisons = 0;
  for (let round = 0; round < sample(140, 400); round++)
    comparisons += compareWithBruteForce(shapeCase(random), random);
  expect(comparisons).toBeGreaterThan(sample(700, 2000));
});
