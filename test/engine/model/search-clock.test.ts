import { expect, it } from 'vitest';
import { SearchClock } from '../../../lib/engine/model/search-clock.ts';

function clockOver(after: number) {
  const asked = { times: 0 };
  const clock = new SearchClock(() => ++asked.times > after);
  return { clock, asked };
}

it('a clock without a function is never over', () => {
  const clock = new SearchClock();
  for (let step = 0; step < 1000; step++) expect(clock.isOver()).toBe(false);
  expect(clock.isOver(1e9)).toBe(false);
  expect(clock.wasOver).toBe(false);
});

it('asks at the first step of a query and then once for every 128 steps', () => {
  const { clock, asked } = clockOver(Number.POSITIVE_INFINITY);
  clock.isOver();
  expect(asked.times).toBe(1);
  for (let step = 0; step < 127; step++) clock.isOver();
  expect(asked.times).toBe(1);
  clock.isOver();
  expect(asked.times).toBe(2);
  clock.isOver(127);
  expect(asked.times).toBe(2);
  clock.isOver(1000);
  expect(asked.times).toBe(3);
  clock.start();
  clock.isOver();
  expect(asked.times).toBe(4);
});

it('stays over, without asking again, until the next query starts', () => {
  const { clock, asked } = clockOver(0);
  for (let step = 0; step < 1000; step++) expect(clock.isOver()).toBe(true);
  expect(clock.wasOver).toBe(true);
  expect(asked.times).toBe(1);
  clock.start();
  expect(clock.wasOver).toBe(false);
});
