import type { Game, Ticket } from '../engine/types.ts';
import { meanSkill } from '../policies/policy.ts';
import { Histogram } from './histogram.ts';
import type { Observer } from './simulate.ts';
import { TimeSeries } from './time-series.ts';

/** How a measured value is spread. */
export interface Spread {
  /** How many values. */
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** The waits of a part of the players, in seconds from enqueueing to the match. */
export interface WaitsOf extends Spread {
  /** Which part: a range of skill such as `1480–1730`, a party size, a role. */
  readonly of: string;
}

/** What happened to the players of one simulated queue. Waits count players, not tickets. */
export interface Measures {
  readonly players: number;
  readonly tickets: number;
  readonly matches: number;
  /** Virtual seconds from the first arrival to the last tick. */
  readonly seconds: number;
  /** Where the players ended; the sum is `players`. */
  readonly outcome: {
    readonly matched: number;
    readonly cancelled: number;
    readonly timedOut: number;
    readonly waiting: number;
  };
  /** Seats that bots took. */
  readonly bots: number;
  readonly waitSeconds: Spread;
  readonly waitSecondsBySkill: readonly WaitsOf[];
  readonly waitSecondsByPartySize: readonly WaitsOf[];
  readonly waitSecondsByRole: readonly WaitsOf[];
  readonly imbalance: Spread;
  /** d_p, how far apart the teams of a match are. */
  readonly teamGap: Spread;
  readonly skillSpread: Spread;
  /** Priority less its proven lower bound: what the best possible game could have been better by. */
  readonly gap: Spread;
  /** The share of matches that were proved best of their pool, in [0, 1]. */
  readonly provedBest: number;
  /** Players waiting after a tick, the mean over the time. */
  readonly waitingPlayers: { readonly mean: number; readonly max: number };
  /** At most 400 points. */
  readonly waitingOverTime: readonly { readonly seconds: number; readonly players: number }[];
  /** Which wait each percentage of the players stayed below, for a chart. */
  readonly waitQuantiles: readonly Quantile[];
  readonly imbalanceQuantiles: readonly Quantile[];
}

/** `part` ∈ [0, 1] of all values are at most `value`. */
export interface Quantile {
  readonly part: number;
  readonly value: number;
}

/**
 * The mean wait in seconds with those who timed out counted as having waited for the time-out: else a queue would look
 * fast for losing players.
 */
export function waitMeanOfAll({ waitSeconds, outcome }: Measures, timeoutSeconds: number): number {
  const { matched, timedOut } = outcome;
  return matched + timedOut === 0
    ? 0
    : (waitSeconds.mean * matched + timeoutSeconds * timedOut) / (matched + timedOut);
}

/** Waits below this are all one. */
const WAIT_UNIT_SECONDS = 0.01;
/** A gap below this share of the imbalance is rounding. */
const ROUNDING = 1e-9;
/** 0, 2 %, …, 98 %, 99 %. */
const CHART_PARTS = [...Array.from({ length: 50 }, (_, at) => at / 50), 0.99];

/** Counts what a simulation does. Memory does not grow with the number of players. */
export class Meter implements Observer {
  readonly #skillEdges: readonly number[];
  readonly #skillUnit: number;
  readonly #waits = new Histogram(WAIT_UNIT_SECONDS);
  readonly #bySkill: Histogram[];
  readonly #byPartySize = new Map<number, Histogram>();
  readonly #byRole = new Map<string, Histogram>();
  readonly #imbalance: Histogram;
  readonly #teamGap: Histogram;
  readonly #skillSpread: Histogram;
  readonly #gap: Histogram;
  readonly #waitingOverTime = new TimeSeries();
  #provedBest = 0;
  #tickets = 0;
  #matched = 0;
  #cancelled = 0;
  #timedOut = 0;
  #waiting = 0;
  #waitingTickets = 0;
  #waitingMax = 0;
  #bots = 0;
  #startMs = Number.POSITIVE_INFINITY;
  #endMs = Number.NEGATIVE_INFINITY;

  /**
   * @param skillEdges ascending inner edges of the ranges of skill for which waits are told apart
   * @param skillUnit the resolution of imbalances; a millionth of the spread of skills is plenty
   */
  constructor(skillEdges: readonly number[], skillUnit: number) {
    this.#skillEdges = skillEdges;
    this.#skillUnit = skillUnit;
    this.#bySkill = Array.from({ length: skillEdges.length + 1 }, () => new Histogram(WAIT_UNIT_SECONDS));
    this.#imbalance = new Histogram(skillUnit);
    this.#teamGap = new Histogram(skillUnit);
    this.#skillSpread = new Histogram(skillUnit);
    this.#gap = new Histogram(skillUnit);
  }

  matched(game: Game, tickets: readonly Ticket[], nowMs: number): void {
    this.#imbalance.add(game.imbalance);
    this.#teamGap.add(game.teamGap);
    this.#skillSpread.add(game.skillSpread);
    const gap = game.priority - game.lowerBound;
    if (gap <= ROUNDING * Math.max(game.imbalance, this.#skillUnit)) this.#provedBest++;
    if (Number.isFinite(gap)) this.#gap.add(Math.max(0, gap));
    const waits = new Map<string, number>();
    for (const ticket of tickets) {
      const wait = (nowMs - ticket.enqueuedAtMs) / 1000;
      const players = ticket.players.length;
      waits.set(ticket.ticketId, wait);
      this.#leave(ticket);
      this.#matched += players;
      this.#waits.add(wait, players);
      this.#bySkill[this.#rangeOf(meanSkill(ticket))].add(wait, players);
      histogramOf(this.#byPartySize, players).add(wait, players);
    }
    for (const team of game.teams) {
      for (const { ticketId, role, bot } of team) {
        if (bot) this.#bots++;
        else if (role !== undefined) histogramOf(this.#byRole, role).add(waits.get(ticketId) ?? 0);
      }
    }
  }

  timedOut(ticket: Ticket): void {
    this.#leave(ticket);
    this.#timedOut += ticket.players.length;
  }

  cancelled(ticket: Ticket): void {
    this.#leave(ticket);
    this.#cancelled += ticket.players.length;
  }

  ticked(nowMs: number, waiting: readonly Ticket[]): void {
    this.#endMs = nowMs;
    let players = 0;
    for (const ticket of waiting) players += ticket.players.length;
    const oldest = waiting[0]?.enqueuedAtMs ?? nowMs;
    this.#startMs = Math.min(this.#startMs, oldest);
    this.#waiting = players;
    this.#waitingTickets = waiting.length;
    this.#waitingMax = Math.max(this.#waitingMax, players);
    this.#waitingOverTime.add(nowMs, players);
  }

  /** What has been measured so far. */
  read(): Measures {
    const start = Number.isFinite(this.#startMs) ? this.#startMs : 0;
    return {
      players: this.#matched + this.#cancelled + this.#timedOut + this.#waiting,
      tickets: this.#tickets + this.#waitingTickets,
      matches: this.#imbalance.count,
      seconds: Number.isFinite(this.#endMs) ? (this.#endMs - start) / 1000 : 0,
      outcome: {
        matched: this.#matched,
        cancelled: this.#cancelled,
        timedOut: this.#timedOut,
        waiting: this.#waiting,
      },
      bots: this.#bots,
      waitSeconds: spreadOf(this.#waits),
      waitSecondsBySkill: this.#bySkill.map((waits, at) => ({ of: this.#rangeName(at), ...spreadOf(waits) })),
      waitSecondsByPartySize: [...this.#byPartySize]
        .sort(([a], [b]) => a - b)
        .map(([size, waits]) => ({ of: String(size), ...spreadOf(waits) })),
      waitSecondsByRole: [...this.#byRole]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([role, waits]) => ({ of: role, ...spreadOf(waits) })),
      imbalance: spreadOf(this.#imbalance),
      teamGap: spreadOf(this.#teamGap),
      skillSpread: spreadOf(this.#skillSpread),
      gap: spreadOf(this.#gap),
      provedBest: this.#imbalance.count === 0 ? 0 : this.#provedBest / this.#imbalance.count,
      waitingPlayers: { mean: this.#waitingOverTime.mean, max: this.#waitingMax },
      waitingOverTime: this.#waitingOverTime
        .points()
        .map(({ atMs, value }) => ({ seconds: (atMs - start) / 1000, players: value })),
      waitQuantiles: quantilesOf(this.#waits),
      imbalanceQuantiles: quantilesOf(this.#imbalance),
    };
  }

  #leave(ticket: Ticket): void {
    this.#tickets++;
    this.#startMs = Math.min(this.#startMs, ticket.enqueuedAtMs);
  }

  #rangeOf(skill: number): number {
    const at = this.#skillEdges.findIndex((edge) => skill < edge);
    return at === -1 ? this.#skillEdges.length : at;
  }

  #rangeName(at: number): string {
    const [low, high] = [this.#skillEdges[at - 1], this.#skillEdges[at]];
    if (low === undefined && high === undefined) return 'all';
    if (low === undefined) return `below ${shortNumber(high)}`;
    if (high === undefined) return `${shortNumber(low)} and above`;
    return `${shortNumber(low)} to ${shortNumber(high)}`;
  }
}

function histogramOf<Key>(histograms: Map<Key, Histogram>, key: Key): Histogram {
  let histogram = histograms.get(key);
  if (histogram === undefined) {
    histogram = new Histogram(WAIT_UNIT_SECONDS);
    histograms.set(key, histogram);
  }
  return histogram;
}

function spreadOf(values: Histogram): Spread {
  const [p50, p90, p99] = values.quantiles([0.5, 0.9, 0.99]).map(rounded);
  return {
    count: values.count,
    mean: rounded(values.mean),
    p50,
    p90,
    p99,
    max: rounded(values.max),
  };
}

function quantilesOf(values: Histogram): Quantile[] {
  if (values.count === 0) return [];
  const found = values.quantiles(CHART_PARTS);
  return CHART_PARTS.map((part, at) => ({ part, value: rounded(found[at]) }));
}

/** Six digits: more than a simulation knows, and the same text for the same value. */
const rounded = (value: number) => Number(value.toPrecision(6));

const shortNumber = (value: number) => String(Number(value.toPrecision(4)));
