/**
 * The bounds of the numbers that a studio writes. With them every sum and product of the engine is finite: the largest is a
 * weight times a sum over 200 players, about 1e27, and a double reaches 1e308.
 */
export const NUMBER_LIMITS = {
  /** The maximum of a weight: `alpha`, `beta`, `waitCost`, and the costs of rules and of empty seats. */
  weightMax: 1e9,
  /** The maximum of every other number, positive or negative: attributes, limits of rules, tolerances. */
  valueMax: 1e15,
} as const;
