import type { Arrival, MakeGame, OnlineAlgorithm, Setting } from './model.ts';

/**
 * A_G, section 4.1: the first k players form a game, regardless of their criteria. When the oldest has waited τ_max,
 * computer players fill it. Any k and D.
 */
export function greedy(setting: Setting, makeGame: MakeGame): OnlineAlgorithm {
  let waiting: Arrival[] = [];
  const release = (now: number): void => {
    const members = waiting;
    waiting = [];
    makeGame(members, now);
  };
  return {
    onArrival(arrival) {
      waiting.push(arrival);
      if (waiting.length === setting.players) release(arrival.time);
    },
    timer: () => (waiting.length === 0 ? Number.POSITIVE_INFINITY : waiting[0].time + setting.longestWait),
    onTimer: release,
  };
}
