import type { RandomSource } from 'muster/simulation';
import { addChoices, type ChoiceCounts } from '../../../../lib/policies/choices/choice-counts.ts';
import type { Choice as QueueChoice } from '../../../../lib/policies/choices/choices.ts';
import { adviseStability } from '../../../../lib/policies/choices/stability.ts';
import type { Estimate } from '../finding.ts';
import { BlockMeans } from '../statistics.ts';
import type { Choice, ChoiceRates } from './choices.ts';

/**
 * How many players of the more popular side may not insist on it (sections IV-C and VI, future work).
 *
 * - `fixed`: the share that bounds the wait for the preferences averaged over time;
 * - `adaptive`: the share that the queue's own advice asks for, computed from counts of recent players.
 */
export type SidesRule = 'fixed' | 'adaptive';

export interface DriftingSides {
  /** Players waiting, averaged over arrivals. */
  readonly waiting: Estimate;
  /** The most players who waited at once. */
  readonly waitingMost: number;
  /** The share of players who asked for a side and had to accept both. */
  readonly refused: number;
}

/** One player per time unit; preferences change with this period. */
export interface Drift {
  /** The average over time; λ_C is at least a tenth of all. */
  readonly mean: ChoiceRates;
  /** By how much λ_A rises and λ_B falls at the extreme of a period. */
  readonly swing: number;
  /** In players. */
  readonly period: number;
}

/**
 * A 1v1 with two sides in order of arrival, like `simulateSides`, whose players' preferences drift.
 *
 * The adaptive rule keeps a decaying count of what players ask for, as a queue of the service does, and every hundred
 * players sets the share from `adviseStability`.
 */
export function simulateDriftingSides(
  drift: Drift,
  rule: SidesRule,
  players: number,
  random: RandomSource,
): DriftingSides {
  const waitingMeans = new BlockMeans(Math.max(1, Math.floor(players / 100)));
  const asked = random.fork('asked');
  const granted = random.fork('granted');
  let counts: ChoiceCounts[] = [];
  let refusedShare = rule === 'fixed' ? sharesToRefuse(drift.mean) : NOBODY;
  const recent: Choice[] = [];
  /** Above 0 players of A wait, below 0 of B. */
  let pile = 0;
  let isFreeWaiting = false;
  let most = 0;
  let refused = 0;
  for (let count = 0; count < players; count++) {
    const kind = drawKind(ratesAt(drift, count), asked);
    let plays = kind;
    if (kind !== 'c' && granted.uniform() < refusedShare[kind]) {
      plays = 'c';
      refused++;
    }
    if (isFreeWaiting) isFreeWaiting = false;
    else if (plays === 'a') pile++;
    else if (plays === 'b') pile--;
    else if (pile === 0) isFreeWaiting = true;
    else pile -= Math.sign(pile);
    waitingMeans.add(Math.abs(pile) + (isFreeWaiting ? 1 : 0));
    most = Math.max(most, Math.abs(pile));
    if (rule !== 'adaptive') continue;
    recent.push(kind);
    if (recent.length < ADVISED_EVERY) continue;
    counts = addChoices(counts, [SIDES], recent.splice(0).map(ticketOf), KEPT, KINDS);
    refusedShare = sharesToRefuse(ratesOf(counts));
  }
  const { mean, standardError } = waitingMeans;
  return { waiting: { value: mean, standardError }, waitingMost: most, refused: refused / players };
}

/** λ_C > |λ_A − λ_B| with some room: the share of choice-free players that the rule keeps above the limit of stability. */
const ROOM = 0.1;
const ADVISED_EVERY = 100;
/** What a count of players keeps of its value at each advice: a memory of five hundred players. */
const KEPT = 0.8;
const KINDS = 3;
const NOBODY = { a: 0, b: 0 };
const SIDES: QueueChoice = { of: 'sides', seats: { a: 1, b: 1 } };

function ratesAt({ mean, swing, period }: Drift, player: number): ChoiceRates {
  const shift = swing * Math.sin((2 * Math.PI * player) / period);
  return { a: mean.a + shift, b: mean.b - shift, c: mean.c };
}

function drawKind({ a, b, c }: ChoiceRates, random: RandomSource): Choice {
  const draw = random.uniform() * (a + b + c);
  return draw < a ? 'a' : draw < a + b ? 'b' : 'c';
}

/** The share of each side's players who must accept both, so that the wait stays bounded with some room. */
function sharesToRefuse({ a, b, c }: ChoiceRates): { readonly a: number; readonly b: number } {
  const total = a + b + c;
  // With room, the condition is that of a queue whose popular side has that many players more.
  const { overchosen, choiceFreeNeeded } = adviseStability(SIDES.seats, [
    { accepts: ['a'], rate: a >= b ? a + ROOM * total : a },
    { accepts: ['b'], rate: b > a ? b + ROOM * total : b },
    { accepts: [], rate: c },
  ]);
  const [side] = overchosen;
  if (side === 'a') return { a: Math.min(1, choiceFreeNeeded / a), b: 0 };
  if (side === 'b') return { a: 0, b: Math.min(1, choiceFreeNeeded / b) };
  return NOBODY;
}

function ratesOf(counts: readonly ChoiceCounts[]): ChoiceRates {
  const rates = { a: 0, b: 0, c: 0 };
  for (const { accepts, players } of counts[0].counts)
    rates[accepts.length === 1 ? (accepts[0] as 'a' | 'b') : 'c'] += players;
  return rates;
}

function ticketOf(kind: Choice, at: number) {
  const player = { playerId: `${at}`, skill: 0, teams: kind === 'c' ? [] : [kind] };
  return { ticketId: `${at}`, enqueuedAtMs: 0, players: [player] };
}
