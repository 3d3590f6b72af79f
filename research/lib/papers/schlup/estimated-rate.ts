import type { ArrivalRate } from './arrival-rate.ts';

/**
 * Estimates the rate from the arrivals alone, by a Bayesian filter. The true rate is taken to be one of `RATES`: mostly it stays
 * the same, but it may drift to the next one, jump to any other, or end for good. How likely each is depends on the players
 * expected, not on the time, so the filter works alike at all rates. An arrival makes higher rates more likely; a
 * silence makes lower ones and the end more likely. The estimate is the mean.
 *
 * @param longestWait τ_max; before the first arrival some 10 players per τ_max are assumed
 */
export function estimatedRate(longestWait: number): () => ArrivalRate {
  return () => new RateFilter(longestWait);
}

/** Players per τ_max: 0.35, and each 1.55 times the one before it, up to 602. */
const RATES = Float64Array.from({ length: 18 }, (_, at) => 0.35 * 1.55 ** at);

// Fitted together with the constants of `slack`. The score is flat around them.
/** The first guess is log-normal. */
const FIRST_RATE = 10;
const FIRST_SPREAD = 1.5;
/** Per expected arrival. */
const DRIFTS = 0.03;
const JUMPS = 0.004;
const ENDS = 0.003;
/** Silences are observed in steps of this many mean gaps, so that a rate that falls during a silence is found. */
const STEP_GAPS = 0.5;
/** A longer silence, in τ_max, leaves no doubt. Its probability would vanish in the arithmetic. */
const SILENCE_MOST = 100;

class RateFilter implements ArrivalRate {
  readonly #longestWait: number;
  /** The probability of each of `RATES`. */
  #probabilities: Float64Array;
  /** The probability that all arrivals have ended. */
  #ended = 0;
  #lastArrival = 0;
  #observedUntil = 0;

  constructor(longestWait: number) {
    this.#longestWait = longestWait;
    this.#probabilities = shares(
      RATES.map((rate) => Math.exp(-((Math.log(rate / FIRST_RATE) / FIRST_SPREAD) ** 2) / 2)),
    );
  }

  onArrival(now: number): void {
    this.#observeSilenceUntil(now);
    this.#probabilities = shares(this.#probabilities.map((probability, at) => probability * RATES[at]));
    this.#ended = 0;
    this.#lastArrival = now;
    this.#observedUntil = now;
  }

  at(now: number): number {
    this.#observeSilenceUntil(now);
    return this.#expectedRate() / this.#longestWait;
  }

  /** Players per τ_max. */
  #expectedRate(): number {
    return this.#probabilities.reduce((sum, probability, at) => sum + probability * RATES[at], 0);
  }

  #observeSilenceUntil(now: number): void {
    const until = Math.min(now, this.#lastArrival + SILENCE_MOST * this.#longestWait);
    while (this.#observedUntil < until) {
      const meanGap = (total(this.#probabilities) * this.#longestWait) / this.#expectedRate();
      const next = Math.min(until, this.#observedUntil + STEP_GAPS * meanGap);
      this.#observeSilence((next - this.#observedUntil) / this.#longestWait);
      this.#observedUntil = next;
    }
  }

  /** @param time in units of τ_max */
  #observeSilence(time: number): void {
    const next = new Float64Array(RATES.length);
    let jumped = 0;
    this.#probabilities.forEach((probability, at) => {
      const expected = RATES[at] * time;
      const jumps = JUMPS * expected;
      const ends = ENDS * expected;
      const drifts = DRIFTS * expected;
      const same = probability / (1 + jumps + ends + drifts);
      jumped += same * jumps;
      this.#ended += same * ends;
      next[at] += same;
      next[Math.max(0, at - 1)] += (same * drifts) / 2;
      next[Math.min(RATES.length - 1, at + 1)] += (same * drifts) / 2;
    });
    const silent = next.map(
      (probability, at) => (probability + jumped / RATES.length) * Math.exp(-RATES[at] * time),
    );
    const sum = this.#ended + total(silent);
    this.#ended /= sum;
    this.#probabilities = silent.map((probability) => probability / sum);
  }
}

function shares(weights: Float64Array): Float64Array {
  const sum = total(weights);
  return weights.map((weight) => weight / sum);
}

function total(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0);
}
