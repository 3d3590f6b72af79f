import { rateAt, type Workload } from './workload.ts';

/** An algorithm's knowledge of the arrival rate. */
export interface ArrivalRate {
  onArrival(now: number): void;
  /** The current estimate in players per time unit. */
  at(now: number): number;
}

/** The true rate of a workload. It does not reveal when arrivals have ended. */
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
