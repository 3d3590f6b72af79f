/**
 * The model of Schlup, "Automatic Game Matching", section 3: players arrive one by one, each with the
 * values of D criteria in [0, 1]; an online algorithm puts them into games of k; no player waits longer than
 * τ_max, after which computer players fill the game. Times are in the paper's time units.
 */

/** One player who asks for a game. */
export interface Arrival {
  /** Place in the sequence, from 0. */
  readonly index: number;
  readonly time: number;
  /** The values of the criteria, each in [0, 1]. */
  readonly criteria: readonly number[];
}

export interface Setting {
  /** k, players per game, 2 or more. */
  readonly players: number;
  /** D, criteria per player. */
  readonly criteria: number;
  /** τ_max, the longest wait. */
  readonly longestWait: number;
  /**
   * Without computer players, a player without a partner within τ_max waits on, and costs 1 for each τ_max; the
   * arrivals are then a multiple of k. The paper always has computer players. @default true
   */
  readonly computerPlayers?: boolean;
}

/**
 * An algorithm sees arrivals and the passing of time, and makes games. It is driven by `run` below, which
 * calls `onTimer` at `timer()` when no player arrives before.
 */
export interface OnlineAlgorithm {
  onArrival(arrival: Arrival): void;
  /** When the algorithm wants to act next by itself; Infinity for never. */
  timer(): number;
  /** Called at `timer()`. */
  onTimer(now: number): void;
}

/** Makes a game at a time out of 1 to k players; computer players fill it. */
export type MakeGame = (members: readonly Arrival[], now: number) => void;

/** What a run costs: formula (1) summed over all games. */
export interface Outcome {
  readonly games: number;
  readonly cost: number;
  readonly costPerGame: number;
  /** Games that computer players filled. */
  readonly filledGames: number;
}

/**
 * Cost of one game, formula (1): Σ_d f_d·q_d + Σ_i τ_i/τ_max with f_d = k/D. A game with a computer player
 * has q_d = 1 for every d, and each computer player counts as having waited τ_max.
 */
export function gameCost(setting: Setting, members: readonly Arrival[], now: number): number {
  const missing = setting.players - members.length;
  let wait = missing * setting.longestWait;
  for (const member of members) wait += now - member.time;
  let spread = 0;
  for (let d = 0; d < setting.criteria; d++) {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (const { criteria } of members) {
      low = Math.min(low, criteria[d]);
      high = Math.max(high, criteria[d]);
    }
    spread += missing > 0 ? 1 : high - low;
  }
  return (setting.players / setting.criteria) * spread + wait / setting.longestWait;
}

/**
 * Runs an algorithm over a sequence of arrivals in order of time, until the last player is in a game.
 *
 * @param onGame called with every game's cost, in the order made
 * @throws Error when the algorithm loses a player, plays one twice or lets one wait beyond τ_max although there are computer
 *   players, or its timer stands still: then the algorithm is wrong
 */
export function run(
  setting: Setting,
  arrivals: Iterable<Arrival>,
  algorithm: (setting: Setting, makeGame: MakeGame) => OnlineAlgorithm,
  onGame?: (cost: number) => void,
): Outcome {
  let games = 0;
  let cost = 0;
  let filledGames = 0;
  let inGames = 0;
  let seen = 0;
  const { players, longestWait, computerPlayers = true } = setting;
  const makeGame: MakeGame = (members, now) => {
    if (!computerPlayers && members.length < players)
      throw new Error(`Expected games of ${players} without computer players, got ${members.length}`);
    for (const { time, index } of members) {
      if (computerPlayers && now - time > longestWait * (1 + 1e-9)) {
        throw new Error(`Expected no wait beyond ${longestWait}, player ${index} waited ${now - time}`);
      }
    }
    const added = gameCost(setting, members, now);
    games++;
    cost += added;
    if (members.length < players) filledGames++;
    inGames += members.length;
    onGame?.(added);
  };
  const online = algorithm(setting, makeGame);
  const actUntil = (time: number): void => {
    for (let now = online.timer(); now <= time && now !== Number.POSITIVE_INFINITY; now = online.timer()) {
      const before = games;
      online.onTimer(now);
      if (games === before && online.timer() <= now) {
        throw new Error(`Expected the timer to move on from ${now}, or a game to be made`);
      }
    }
  };
  for (const arrival of arrivals) {
    actUntil(arrival.time);
    online.onArrival(arrival);
    seen++;
  }
  actUntil(Number.POSITIVE_INFINITY);
  if (inGames !== seen) throw new Error(`Expected ${seen} players in games, got ${inGames}`);
  return { games, cost, costPerGame: cost / games, filledGames };
}
