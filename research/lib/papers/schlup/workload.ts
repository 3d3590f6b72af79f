import type { RandomSource } from 'muster/simulation';
import type { Arrival } from './model.ts';

/** A Poisson stream of players: at a constant rate, or at one that rises from 0 (section 5.1, table 2). */
export interface Workload {
  readonly name: string;
  readonly rises: boolean;
  /** Players per time unit: all the time, or at the end. */
  readonly rate: number;
  /** Time units; no player arrives later. */
  readonly horizon: number;
}

/** Table 2: rates 1, 3, 10, and 0…2, 0…6, 0…20. */
const RATES = [1, 3, 10] as const;

/** The six workloads of table 2 over one horizon. The paper does not state the length of its runs. */
export function workloadsOverHorizon(horizon: number): Workload[] {
  return [
    ...RATES.map((rate) => ({ name: `${rate}`, rises: false, rate, horizon })),
    ...RATES.map((rate) => ({ name: `0…${2 * rate}`, rises: true, rate: 2 * rate, horizon })),
  ];
}

/** The six workloads of table 2, each long enough for this many players on average. */
export function workloadsOfPlayers(players: number): Workload[] {
  return workloadsOverHorizon(1).map((workload) => ({ ...workload, horizon: players / meanRate(workload) }));
}

/** Players per time unit at a moment. */
export function rateAt({ rises, rate, horizon }: Workload, time: number): number {
  if (time > horizon) return 0;
  return rises ? (rate * time) / horizon : rate;
}

/** Players per time unit, averaged over the horizon. */
export function meanRate({ rises, rate }: Workload): number {
  return rises ? rate / 2 : rate;
}

/** Arrivals of one run, with criteria uniform on [0, 1]. */
export function* arrivalsOf(workload: Workload, criteria: number, random: RandomSource): Generator<Arrival> {
  const { rises, rate, horizon } = workload;
  // Arrivals at rate 1 on a clock that shows how many players are expected so far.
  let expected = 0;
  for (let index = 0; ; index++) {
    expected += random.exponential(1);
    const time = rises ? Math.sqrt((2 * horizon * expected) / rate) : expected / rate;
    if (time > horizon) return;
    yield { index, time, criteria: drawCriteria(criteria, random) };
  }
}

/** A constant rate until this many players have arrived. */
export function* steadyArrivals(
  rate: number,
  players: number,
  criteria: number,
  random: RandomSource,
): Generator<Arrival> {
  let time = 0;
  for (let index = 0; index < players; index++) {
    time += random.exponential(rate);
    yield { index, time, criteria: drawCriteria(criteria, random) };
  }
}

/** Criteria uniform on [0, 1]. */
export function drawCriteria(count: number, random: RandomSource): number[] {
  const values: number[] = [];
  for (let d = 0; d < count; d++) values.push(random.uniform());
  return values;
}
