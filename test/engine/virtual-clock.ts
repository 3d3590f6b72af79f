import { SearchClock } from '../../lib/engine/model/search-clock.ts';

/** Time that passes with the steps of searches, of all their clocks together. */
export class VirtualClock {
  /** The steps until the time is over. */
  left = Number.POSITIVE_INFINITY;
  /** The steps that searches have taken since then. */
  after = 0;

  readonly outOfTime = (): boolean => this.left <= 0;

  /** Counts every step from now on; returns how to end that. With `isFine`, clocks ask at each step, not at every 128th. */
  install(isFine: boolean): () => void {
    const { isOver } = SearchClock.prototype;
    const virtual = this;
    SearchClock.prototype.isOver = function (steps = 1) {
      virtual.left--;
      const over = isOver.call(this, isFine ? Number.MAX_SAFE_INTEGER : steps);
      if (over) virtual.after++;
      return over;
    };
    return () => {
      SearchClock.prototype.isOver = isOver;
    };
  }

  /** The time is over after so many steps. */
  start(steps: number): void {
    this.left = steps;
    this.after = 0;
  }
}
