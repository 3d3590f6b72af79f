import { rateAt, type Workload } from './workload.ts';

/** What an algorithm knows of the arrival rate. */
export interface ArrivalRate {
  onArrival(now: number): void;
  /** Players per time unit, as it looks now. */
  at(now: number): number;
}

/** The true rate of a workload. That arrivals have ended it does not tell. */
export function givenRate(workload: Workload) {
  return (): ArrivalRate => {
    let last = 0;
    return {
      onArrival(now) {
        last = now;
      },
      at: () => rateAt(workload, last),
    };
  };
}

/**
 * The rate as the arrivals themselves show it: so many of late, in so much time, both fading with each
 * arrival. The more arrivals were seen, the further back it looks, because a rate that has hardly changed
 * over many arrivals will hardly change over the next ones. A silence longer than the mean gap counts as
 * evidence of a lower rate.
 *
 * @param longestWait τ_max; before the first arrival, 10 players per τ_max are assumed
 */
export function estimatedRate(longestWait: number) {
  return (): ArrivalRate => {
    let arrivals = ASSUMED_ARRIVALS;
    let time = (ASSUMED_ARRIVALS * longestWait) / ASSUMED_PER_LONGEST_WAIT;
    let seen = 0;
    let last = 0;
    return {
      onArrival(now) {
        seen++;
        const remembered = Math.min(MEMORY_MOST, MEMORY_FACTOR * (seen + ASSUMED_ARRIVALS) ** MEMORY_GROWTH);
        const kept = 1 - 1 / remembered;
        arrivals = arrivals * kept + 1;
        time = time * kept + (now - last);
        last = now;
      },
      at(now) {
        const overdue = Math.max(0, now - last - time / arrivals);
        return arrivals / (time + SILENCE_WEIGHT * overdue);
      },
    };
  };
}

// Fitted on 600 runs of 20 time units and 20 runs of 1,000 players of table 2's workloads, with seeds
// that the reproduction does not use. The score is flat around them.
const ASSUMED_PER_LONGEST_WAIT = 10;
const ASSUMED_ARRIVALS = 4;
const MEMORY_FACTOR = 1.6;
const MEMORY_GROWTH = 0.7;
const MEMORY_MOST = 120;
const SILENCE_WEIGHT = 3;
