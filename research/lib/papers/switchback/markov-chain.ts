import type { RandomSource } from 'muster/simulation';

/** The states are 0 to this. */
const STATE_MAX = 20;
/** The chance that the state rises under treatment; without, it falls with it. */
const TOWARDS = 0.7;
/** The standard deviation of what is measured around its mean. */
const NOISE = 3;
/** How far a step goes is drawn from 1 to this, with a chance of a half at each time; else it stays. */
const STEP_MAX = 3;

/**
 * How far the state moves at each time, the "market conditions" of the simulation of Hu & Wager. The paper fixes one sequence for
 * all runs.
 */
export function stepsOf(times: number, random: RandomSource): Uint8Array {
  const steps = new Uint8Array(times);
  for (let time = 0; time < times; time++) {
    const changes = time === 0 || random.uniform() < 0.5;
    steps[time] = changes ? 1 + random.integer(STEP_MAX) : steps[time - 1];
  }
  return steps;
}

/**
 * One run of the paper's chain.
 *
 * @param treatedAt whether the time is treated
 * @param observe receives the mean of what is measured at each time
 */
export function playChain(
  steps: Uint8Array,
  treatedAt: (time: number) => boolean,
  random: RandomSource,
  observe: (time: number, mean: number) => void,
): void {
  let state = random.integer(STATE_MAX + 1);
  for (let time = 0; time < steps.length; time++) {
    const treated = treatedAt(time);
    if (time > 0) {
      const rises = random.uniform() < (treated ? TOWARDS : 1 - TOWARDS);
      state = rises ? Math.min(state + steps[time], STATE_MAX) : Math.max(state - steps[time], 0);
    }
    observe(time, treated ? 1.5 * state : state);
  }
}

/** What is measured: the mean with noise. */
export function measured(mean: number, random: RandomSource): number {
  return mean + random.normal(0, NOISE);
}
