import type { Arrival, MakeGame, OnlineAlgorithm, Setting } from './model.ts';

/**
 * A_PM, section 4.2: a period ends with the arrival of its (x·k)th player, or τ_max after its first one.
 * Then the first n − n mod k players are sorted by their criterion and cut into games; the rest start the
 * next period, or, when they are all there is, play with computer players. Any k, D = 1.
 *
 * @param gamesPerPeriod x, a whole number from 1 up; 1 is A_G
 */
export function periodic(gamesPerPeriod: number) {
  return (setting: Setting, makeGame: MakeGame): OnlineAlgorithm => {
    const { players, longestWait } = setting;
    let waiting: Arrival[] = [];
    const endPeriod = (now: number): void => {
      if (waiting.length < players) {
        const members = waiting;
        waiting = [];
        makeGame(members, now);
        return;
      }
      const inGames = waiting.slice(0, waiting.length - (waiting.length % players));
      waiting = waiting.slice(inGames.length);
      inGames.sort((a, b) => a.criteria[0] - b.criteria[0] || a.index - b.index);
      for (let first = 0; first < inGames.length; first += players) {
        makeGame(inGames.slice(first, first + players), now);
      }
    };
    return {
      onArrival(arrival) {
        waiting.push(arrival);
        if (waiting.length === gamesPerPeriod * players) endPeriod(arrival.time);
      },
      timer: () => (waiting.length === 0 ? Number.POSITIVE_INFINITY : waiting[0].time + longestWait),
      onTimer: endPeriod,
    };
  };
}
