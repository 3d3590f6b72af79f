import type { GameShape } from './game-shape.ts';

/**
 * All divisions of solo players into the teams of a game, each once. Player 0 is always on team 0. From one division to
 * the next exactly one player leaves team 0 and one joins it (revolving-door order, Knuth TAOCP 7.2.1.3), so updating a
 * team's sum costs one addition and one subtraction.
 */
export interface SoloDivisions {
  readonly divisions: Uint16Array;
  /** `leaves[i]`, `joins[i]`: the players exchanged between `divisions[i − 1]` and `divisions[i]`. */
  readonly leaves: Uint8Array;
  readonly joins: Uint8Array;
}

/** The divisions of 2k solo players, k from 1 to 8: C(2k − 1, k − 1) of them. Built once per shape. */
export function soloDivisions(shape: GameShape): SoloDivisions {
  const known = builtOfSolos.get(shape);
  if (known) return known;
  const divisions = Uint16Array.from(
    revolvingDoor(shape.seats - 1, shape.teamSizes[0] - 1),
    (rest) => (rest << 1) | 1,
  );
  const leaves = new Uint8Array(divisions.length);
  const joins = new Uint8Array(divisions.length);
  for (let i = 1; i < divisions.length; i++) {
    leaves[i] = 31 - Math.clz32(divisions[i - 1] & ~divisions[i]);
    joins[i] = 31 - Math.clz32(divisions[i] & ~divisions[i - 1]);
  }
  const built = { divisions, leaves, joins };
  builtOfSolos.set(shape, built);
  return built;
}

const builtOfSolos = new WeakMap<GameShape, SoloDivisions>();

/** The subsets of t of n elements: R(n, t) = R(n − 1, t), then R(n − 1, t − 1) backwards with element n − 1. */
function revolvingDoor(n: number, t: number): number[] {
  if (t === 0) return [0];
  if (t === n) return [2 ** n - 1];
  const without = revolvingDoor(n - 1, t);
  const within = revolvingDoor(n - 1, t - 1).reverse();
  return [...without, ...within.map((set) => set | (1 << (n - 1)))];
}
