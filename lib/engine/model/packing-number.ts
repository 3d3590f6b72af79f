import { teamMixes } from './party-mixes.ts';

/**
 * The **packing number**: how many games parties of these sizes can form, `left[s]` of s players, when teams are filled with
 * the largest parties first. Any other order forms hardly more. The counts are reduced to what remains.
 *
 * @param teamSizes the players of each team of a game, the largest first
 */
export function packingNumber(left: Uint32Array, teamSizes: readonly number[]): number {
  const last = teamSizes.length - 1;
  return teamSizes[0] === teamSizes[last] ? ofEqualTeams(left, teamSizes) : gameByGame(left, teamSizes);
}

/** Teams of one size are counted before they are put into games. */
function ofEqualTeams(left: Uint32Array, teamSizes: readonly number[]): number {
  let teams = 0;
  for (const mix of teamMixes(teamSizes[0])) teams += takeAll(left, mix);
  return Math.floor(teams / teamSizes.length);
}

function gameByGame(left: Uint32Array, teamSizes: readonly number[]): number {
  const game = new Uint32Array(left.length);
  for (let games = 0; ; ) {
    game.fill(0);
    for (const teamSize of teamSizes) {
      const mix = teamMixes(teamSize).find((each) =>
        each.every((count, size) => count + (game[size] ?? 0) <= (left[size] ?? 0)),
      );
      if (!mix) return games;
      mix.forEach((count, size) => {
        game[size] += count;
      });
    }
    games += takeAll(left, game);
  }
}

/** Takes these parties as often as there are enough of them. Returns how often. */
function takeAll(left: Uint32Array, mix: ArrayLike<number>): number {
  let times = Number.POSITIVE_INFINITY;
  for (let size = 1; size < mix.length; size++)
    if (mix[size] > 0) times = Math.min(times, Math.floor(left[size] / mix[size]));
  for (let size = 1; size < mix.length; size++) left[size] -= times * mix[size];
  return times;
}
