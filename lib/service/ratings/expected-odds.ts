import type { LadderDefinition } from '../../contract/ladder.ts';
import type { Ladder } from '../../ratings/ladder.ts';
import { drifted } from '../../ratings/ladder.ts';
import { calibrated, rawOdds } from '../../ratings/odds.ts';
import { NEW_SLOPE } from '../../ratings/odds-slope.ts';
import { newRatingOf } from '../../ratings/rate-game.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import { Unreadable } from '../domain/unreadable.ts';
import type { LadderStore } from '../ports/ladder-store.ts';
import type { RatingStore } from '../ports/rating-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';

export interface ExpectedOddsDeps {
  readonly ladders: Pick<LadderStore, 'get'>;
  readonly ratings: Pick<RatingStore, 'of' | 'odds'>;
}

/** Four digits are enough for readers, and a match is charged by its size. */
const DIGITS = 4;

/** The odds of a tick's matches. It reads the ladder once, and the ratings of the players of each match. */
export class ExpectedOdds {
  readonly #deps: ExpectedOddsDeps;
  readonly #name: string | undefined;
  readonly #nowMs: number;
  #ladder: Promise<{ ladder: LadderDefinition; slope: number } | undefined> | undefined;

  /** @param ladder that of the queue; without one, nothing is read */
  constructor(deps: ExpectedOddsDeps, ladder: string | undefined, nowMs: number) {
    this.#deps = deps;
    this.#name = ladder;
    this.#nowMs = nowMs;
  }

  /**
   * The match with its ladder. It includes the chance of each team to win if the ratings can be read now; a match is never
   * delayed for them.
   */
  async of(match: StoredMatch): Promise<StoredMatch> {
    if (this.#name === undefined) return match;
    const { expected: _, ...rest } = match;
    const rated: StoredMatch = { ...rest, ladder: this.#name };
    try {
      this.#ladder ??= this.#read(this.#name);
      const known = await this.#ladder;
      if (known === undefined || match.teams.length < 2) return rated;
      return { ...rated, expected: rounded(await this.#odds(known.ladder, known.slope, match)) };
    } catch (error) {
      if (error instanceof StoreBusy || error instanceof Unreadable) return rated;
      throw error;
    }
  }

  async #read(name: string) {
    const [record, odds] = await Promise.all([this.#deps.ladders.get(name), this.#deps.ratings.odds(name)]);
    return record && { ladder: record.definition, slope: (odds ?? NEW_SLOPE).slope };
  }

  async #odds(ladder: LadderDefinition, slope: number, { teams }: StoredMatch): Promise<number[]> {
    const playerIds = teams.flatMap(({ players }) =>
      players.flatMap((seat) => (seat.bot ? [] : seat.playerId)),
    );
    const ratings = await this.#deps.ratings.of(ladder.name, playerIds, 'eventual');
    const ratingOf = (playerId: string) => {
      const stored = ratings.get(playerId);
      return stored === undefined
        ? newRatingOf(ladder as Ladder)
        : drifted(ladder, stored, this.#nowMs - stored.updatedAtMs);
    };
    const sides = teams.map(({ players }) => players.map(({ playerId }) => ratingOf(playerId)));
    return calibrated(rawOdds(ladder, sides), slope);
  }
}

/**
 * The odds with few digits, all above 0, because any team may win. They still sum to 1: the rounding error goes to the favourite.
 */
function rounded(odds: readonly number[]): number[] {
  const least = 10 ** -DIGITS;
  const short = odds.map((chance) => Math.max(least, Number(chance.toFixed(DIGITS))));
  const favourite = odds.indexOf(Math.max(...odds));
  const others = short.reduce((sum, chance, team) => (team === favourite ? sum : sum + chance), 0);
  return short.with(favourite, Number((1 - others).toFixed(DIGITS)));
}
