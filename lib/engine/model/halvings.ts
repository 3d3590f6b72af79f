/**
 * Every way to halve 2k players into two teams of k, each once: the first player always plays on the
 * first team, and from one halving to the next exactly one player leaves the first team and one joins
 * (revolving-door order, Knuth TAOCP 7.2.1.3), so that a team's sum costs one add and one subtract.
 */
export interface Halvings {
  /** The first teams as bit sets, player 0 in each. */
  readonly teams: Uint16Array;
  /** `leaves[i]`, `joins[i]`: the players exchanged between `teams[i − 1]` and `teams[i]`. */
  readonly leaves: Uint8Array;
  readonly joins: Uint8Array;
}

/** The halvings of 2k players, k from 1 to 8; C(2k − 1, k − 1) of them. Built once per k. */
export function halvings(teamSize: number): Halvings {
  built[teamSize] ??= build(teamSize);
  return built[teamSize];
}

const built: Halvings[] = [];

function build(teamSize: number): Halvings {
  const teams = Uint16Array.from(revolvingDoor(2 * teamSize - 1, teamSize - 1), (rest) => (rest << 1) | 1);
  const leaves = new Uint8Array(teams.length);
  const joins = new Uint8Array(teams.length);
  for (let i = 1; i < teams.length; i++) {
    leaves[i] = 31 - Math.clz32(teams[i - 1] & ~teams[i]);
    joins[i] = 31 - Math.clz32(teams[i] & ~teams[i - 1]);
  }
  return { teams, leaves, joins };
}

/** The subsets of t of n elements: R(n, t) = R(n − 1, t), then R(n − 1, t − 1) backwards with element n − 1. */
function revolvingDoor(n: number, t: number): number[] {
  if (t === 0) return [0];
  if (t === n) return [2 ** n - 1];
  const without = revolvingDoor(n - 1, t);
  const within = revolvingDoor(n - 1, t - 1).reverse();
  return [...without, ...within.map((set) => set | (1 << (n - 1)))];
}
