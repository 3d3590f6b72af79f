const POINTS_MAX = 400;

/**
 * A value over time in bounded memory: means over equal numbers of observations. When there are too many points, each two
 * become one. The last point may be of fewer observations.
 */
export class TimeSeries {
  #points: { atMs: number; value: number }[] = [];
  #perPoint = 1;
  #sum = 0;
  #inPoint = 0;
  #lastMs = Number.NaN;
  #area = 0;
  #time = 0;

  /**
   * Each observation holds from the one before it until its own time.
   * @param sinceMs when later than the previous observation, the value is 0 until then
   */
  add(atMs: number, value: number, sinceMs = Number.NEGATIVE_INFINITY): void {
    const passed = Number.isNaN(this.#lastMs) ? 0 : atMs - this.#lastMs;
    this.#lastMs = atMs;
    this.#area += Math.min(passed, atMs - sinceMs) * value;
    this.#time += passed;
    this.#sum += value;
    if (++this.#inPoint < this.#perPoint) return;
    this.#points.push({ atMs, value: this.#sum / this.#inPoint });
    this.#sum = 0;
    this.#inPoint = 0;
    if (this.#points.length === POINTS_MAX) this.#merge();
  }

  /** The mean over the time. 0 before two observations. */
  get mean(): number {
    return this.#time === 0 ? 0 : this.#area / this.#time;
  }

  points(): readonly { readonly atMs: number; readonly value: number }[] {
    if (this.#inPoint === 0) return this.#points;
    return [...this.#points, { atMs: this.#lastMs, value: this.#sum / this.#inPoint }];
  }

  #merge(): void {
    const merged: { atMs: number; value: number }[] = [];
    for (let at = 1; at < this.#points.length; at += 2) {
      const [before, after] = [this.#points[at - 1], this.#points[at]];
      merged.push({ atMs: after.atMs, value: (before.value + after.value) / 2 });
    }
    this.#points = merged;
    this.#perPoint *= 2;
  }
}
