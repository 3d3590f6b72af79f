import type { RandomSource } from 'muster/simulation';
import { WaitingTimes } from './waiting.ts';

/** Arrivals per time unit of players who insist on A, who insist on B, and who are choice-free (C). */
export interface ChoiceRates {
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

/** Expected waits of the three kinds, and of all players. */
export interface ChoiceWaits extends ChoiceRates {
  readonly all: number;
}

export type Choice = keyof ChoiceRates;

/** This many players, in order of arrival. */
export function* choiceArrivals(
  { a, b, c }: ChoiceRates,
  players: number,
  random: RandomSource,
): Generator<{ kind: Choice; now: number }, void> {
  const total = a + b + c;
  let now = 0;
  for (let count = 0; count < players; count++) {
    now += random.exponential(total);
    const draw = random.uniform() * total;
    yield { kind: draw < a ? 'a' : draw < a + b ? 'b' : 'c', now };
  }
}

/** Waits of games of two, of each kind of players and of all. */
export class ChoiceTimes {
  readonly a: WaitingTimes;
  readonly b: WaitingTimes;
  readonly c: WaitingTimes;
  readonly all: WaitingTimes;

  /** @param players approximately how many will be added */
  constructor({ a, b, c }: ChoiceRates, players: number) {
    const total = a + b + c;
    this.a = new WaitingTimes((players * a) / total);
    this.b = new WaitingTimes((players * b) / total);
    this.c = new WaitingTimes((players * c) / total);
    this.all = new WaitingTimes(players);
  }

  /** Records a game of a newcomer and a waiting player. */
  addGame(waited: Choice, wait: number, newcomer: Choice): void {
    this[waited].add(wait);
    this.all.add(wait);
    this[newcomer].add(0);
    this.all.add(0);
  }
}
