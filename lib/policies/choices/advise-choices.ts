import { type ChoiceCounts, playersOf } from './choice-counts.ts';
import type { Choice } from './choices.ts';
import { adviseStability, type StabilityAdvice } from './stability.ts';

/** With fewer players, a side or role may be over-chosen by chance. */
const ADVISE_FROM_PLAYERS = 100;

/** From this share of players without a region on, the queue warns; a single traveller is no reason to. */
const UNREACHED_SHARE_MIN = 0.01;

/** What the players of a queue choose, and whether their wait is bounded. */
export interface ChoiceAdvice {
  readonly of: Choice['of'];
  /** The number of players counted. */
  readonly players: number;
  /** Undefined until enough players are counted. */
  readonly advice: StabilityAdvice | undefined;
}

/**
 * Judges every choice of a queue.
 * @param playersPerSecond the rate at which all players arrive, >= 0
 */
export function adviseChoices(
  choices: readonly Choice[],
  counted: readonly ChoiceCounts[],
  playersPerSecond: number,
): ChoiceAdvice[] {
  return choices.map((choice) => {
    const own = counted.find(({ of }) => of === choice.of)?.counts ?? [];
    // A changed definition may have other sides or roles. Players who accept none of them do not count.
    const counts = own.flatMap((count) => {
      const accepts = count.accepts.filter((name) => name in choice.seats);
      return accepts.length === 0 && count.accepts.length > 0 ? [] : [{ ...count, accepts }];
    });
    const players = playersOf(counts);
    if (players < ADVISE_FROM_PLAYERS) return { of: choice.of, players, advice: undefined };
    const perPlayer = playersPerSecond / players;
    const rates = counts.map((count) => ({ ...count, rate: perPlayer * count.players }));
    const advice =
      choice.of === 'regions'
        ? adviseRegions(rates, playersPerSecond)
        : adviseStability(choice.seats, rates, perPlayer * ADVISE_FROM_PLAYERS);
    return { of: choice.of, players, advice };
  });
}

/** The wait of players who reach no region is not bounded. */
function adviseRegions(
  rates: readonly { readonly regions?: readonly string[] | undefined; readonly rate: number }[],
  total: number,
): StabilityAdvice {
  const unreached = rates.reduce((sum, { regions, rate }) => sum + (regions?.length === 0 ? rate : 0), 0);
  const share = total === 0 ? 0 : unreached / total;
  const stable = share < UNREACHED_SHARE_MIN;
  const percent = Number((100 * share).toPrecision(3));
  return {
    stable,
    overchosen: [],
    surplusPerSecond: stable ? 0 : unreached,
    choiceFreeNeeded: stable ? 0 : unreached,
    choiceFreeShare: stable ? 0 : share,
    message: stable
      ? 'The wait is bounded: nearly all players reach a region within the limit of the latency rule.'
      : `The wait has no bound: ${percent}% of the players reach no region within the limit of the latency rule, ` +
        'however long they wait. Relax the limit, or add a region.',
  };
}
