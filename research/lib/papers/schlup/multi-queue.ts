import type { Arrival, MakeGame, OnlineAlgorithm, Setting } from './model.ts';

/**
 * A_MQ, section 4.3: every criterion is cut into equal ranges, and each combination of ranges has a queue
 * of its own; k players in one queue make a game. A player who has waited τ_max is completed by the
 * radius-growth method: the neighbouring queues are searched for their oldest players, then their
 * neighbours, until the game is full or no queue is left; then computer players fill it. Any k and D.
 *
 * The paper's figure of the queue matrix does not say whether queues that touch at a corner are
 * neighbours; here they are (the radius is the largest difference of range numbers).
 *
 * @param ranges r_d, the number of ranges of each criterion, whole numbers from 1 up; all 1 is A_G
 */
export function multiQueue(...ranges: readonly number[]) {
  return (setting: Setting, makeGame: MakeGame): OnlineAlgorithm => {
    const cells = ranges.reduce((product, count) => product * count, 1);
    const queues: Arrival[][] = Array.from({ length: cells }, () => []);
    const coordinates = queues.map((_, cell) => {
      let rest = cell;
      return ranges.map((count) => {
        const coordinate = rest % count;
        rest = Math.floor(rest / count);
        return coordinate;
      });
    });
    const widestRadius = Math.max(...ranges) - 1;

    const cellOf = (arrival: Arrival): number => {
      let cell = 0;
      for (let d = ranges.length - 1; d >= 0; d--) {
        cell = cell * ranges[d] + Math.min(ranges[d] - 1, Math.floor(arrival.criteria[d] * ranges[d]));
      }
      return cell;
    };
    const distance = (a: number, b: number): number =>
      Math.max(...coordinates[a].map((at, d) => Math.abs(at - coordinates[b][d])));

    const oldestCell = (candidates: Iterable<number>): number => {
      let oldest = -1;
      for (const cell of candidates) {
        if (queues[cell].length === 0) continue;
        if (oldest === -1 || queues[cell][0].index < queues[oldest][0].index) oldest = cell;
      }
      return oldest;
    };
    const allCells = queues.map((_, cell) => cell);

    return {
      onArrival(arrival) {
        const cell = cellOf(arrival);
        queues[cell].push(arrival);
        if (queues[cell].length === setting.players) makeGame(queues[cell].splice(0), arrival.time);
      },
      timer() {
        const cell = oldestCell(allCells);
        return cell === -1 ? Number.POSITIVE_INFINITY : queues[cell][0].time + setting.longestWait;
      },
      onTimer(now) {
        const home = oldestCell(allCells);
        const members = queues[home].splice(0);
        for (let radius = 1; radius <= widestRadius && members.length < setting.players; radius++) {
          const ring = allCells.filter((cell) => distance(home, cell) === radius);
          for (
            let cell = oldestCell(ring);
            cell !== -1 && members.length < setting.players;
            cell = oldestCell(ring)
          ) {
            members.push(queues[cell].shift()!);
          }
        }
        makeGame(members, now);
      },
    };
  };
}
