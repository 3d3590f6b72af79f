import type { Ticket } from '../engine/types.ts';
import type { RuledPlayer } from '../rules/types.ts';
import { drawParty, meanPartySize, type Population } from './population.ts';
import type { RandomSource } from './random.ts';

/** One ticket of a simulation. */
export interface Arrival {
  readonly ticket: Ticket;
  /** Milliseconds after which the ticket is cancelled; `Infinity` for never. */
  readonly patienceMs: number;
  /**
   * The ticket as it is in each queue of the simulation; undefined where it does not wait. @default `ticket`, in the first
   * queue alone
   */
  readonly inQueues?: readonly (Ticket | undefined)[];
}

/** How many players arrive per second, at each second of the simulation. */
export type RateProfile =
  | { readonly kind: 'constant'; readonly perSecond: number }
  /** Linear from one rate to the other over this time, then constant. */
  | { readonly kind: 'ramp'; readonly from: number; readonly to: number; readonly seconds: number }
  /** One rate for this time, then at once the other. */
  | { readonly kind: 'step'; readonly from: number; readonly to: number; readonly seconds: number }
  /** A day of 24 hours as a cosine that begins at night. */
  | { readonly kind: 'day'; readonly night: number; readonly peak: number };

export interface ArrivalOptions {
  readonly population: Population;
  readonly rate: RateProfile;
  /** How many players arrive. Parties are not split, so the last ticket may bring a few more. */
  readonly players: number;
  /** Mean of an exponential patience in seconds. @default no player cancels */
  readonly patienceSeconds?: number | undefined;
  /** When the simulation starts, milliseconds since the epoch. @default 0 */
  readonly startMs?: number;
}

/** Tickets of a Poisson process, in the order of arrival, generated lazily. */
export function* poissonArrivals(options: ArrivalOptions, random: RandomSource): Generator<Arrival, void> {
  const { population, rate, players, patienceSeconds, startMs = 0 } = options;
  const clock = random.fork('arrivals');
  const people = random.fork('people');
  const patienceMs = patienceOf(patienceSeconds, random);
  const { avoided = 0 } = population;
  const introduce = acquaintances(avoided, random.fork('avoid'));
  const size = meanPartySize(population);
  let seconds = 0;
  let came = 0;
  for (let number = 1; came < players; number++) {
    seconds = nextArrival(rate, size, seconds, clock);
    const party = introduce(drawParty(population, String(number), people));
    came += party.length;
    yield {
      ticket: { ticketId: `t${number}`, enqueuedAtMs: startMs + Math.round(1000 * seconds), players: party },
      patienceMs: patienceMs(),
    };
  }
}

/**
 * When the next ticket after a moment arrives. Thinning: draws at the highest rate until the rate changes for good, and keeps each
 * draw with the share of the rate at its time.
 */
function nextArrival(rate: RateProfile, size: number, after: number, clock: RandomSource): number {
  let seconds = after;
  for (;;) {
    const { peak, until } = peakFrom(rate, seconds);
    seconds += clock.exponential(peak / size);
    if (seconds > until) seconds = until;
    else if (rate.kind === 'constant' || clock.uniform() * peak < rateAt(rate, seconds)) return seconds;
  }
}

/** The number of earlier players among which a player may avoid some. */
const REMEMBERED = 100;

/**
 * Lets arriving players avoid some of the players who arrived before them. Parties stay together.
 * @param avoided how many of the last hundred players a player avoids, on average; 0 to 50
 */
function acquaintances(avoided: number, random: RandomSource): (players: Ticket['players']) => RuledPlayer[] {
  const recent: string[] = [];
  return (players) => {
    const introduced = players.map((player): RuledPlayer => {
      const avoid = recent.filter(() => random.uniform() < avoided / REMEMBERED);
      // A ticket has at most fifty.
      return avoid.length > 0 ? { ...player, avoid: avoid.slice(-50) } : player;
    });
    if (avoided > 0) recent.push(...players.map(({ playerId }) => playerId));
    recent.splice(0, recent.length - REMEMBERED);
    return introduced;
  };
}

/** Draws how long each ticket waits before it is cancelled, in milliseconds. @param meanSeconds undefined for always */
export function patienceOf(meanSeconds: number | undefined, random: RandomSource): () => number {
  if (meanSeconds === undefined) return () => Number.POSITIVE_INFINITY;
  const patience = random.fork('patience');
  return () => 1000 * patience.exponential(1 / meanSeconds);
}

const DAY_SECONDS = 86_400;

/** Players per second at a moment. */
export function rateAt(rate: RateProfile, seconds: number): number {
  switch (rate.kind) {
    case 'constant':
      return rate.perSecond;
    case 'ramp':
      return rate.from + (rate.to - rate.from) * Math.min(1, seconds / rate.seconds);
    case 'step':
      return seconds < rate.seconds ? rate.from : rate.to;
    case 'day':
      return (
        rate.night + ((rate.peak - rate.night) * (1 - Math.cos((2 * Math.PI * seconds) / DAY_SECONDS))) / 2
      );
  }
}

/** The number of players expected in the first `seconds`. */
export function playersWithin(rate: RateProfile, seconds: number): number {
  switch (rate.kind) {
    case 'constant':
      return rate.perSecond * seconds;
    case 'ramp': {
      const rising = Math.min(seconds, rate.seconds);
      return ((rate.from + rateAt(rate, rising)) / 2) * rising + rate.to * (seconds - rising);
    }
    case 'step':
      return rate.from * Math.min(seconds, rate.seconds) + rate.to * Math.max(0, seconds - rate.seconds);
    case 'day': {
      const turn = (2 * Math.PI) / DAY_SECONDS;
      return (
        rate.night * seconds + ((rate.peak - rate.night) / 2) * (seconds - Math.sin(turn * seconds) / turn)
      );
    }
  }
}

/** The highest rate from a moment until another one. */
function peakFrom(rate: RateProfile, seconds: number): { readonly peak: number; readonly until: number } {
  switch (rate.kind) {
    case 'constant':
      return { peak: rate.perSecond, until: Infinity };
    case 'day':
      return { peak: Math.max(rate.peak, rate.night), until: Infinity };
    default: {
      if (seconds >= rate.seconds) return { peak: rate.to, until: Infinity };
      const peak = rate.kind === 'step' ? rate.from : Math.max(rate.from, rate.to);
      return { peak, until: rate.seconds };
    }
  }
}
