import { type Teams, teamKindsOf } from '../../contract/team-kinds.ts';
import type { SearchEffort } from '../../policies/search-effort.ts';

/** Divisions into two teams that one search may weigh at most: about half a second of one processor. */
const DIVISIONS_PER_SEARCH = 3_000_000;
/** The same for the exchanges of a partition, which cost about five times as much each. */
const DIVISIONS_PER_PARTITION = 2_000_000;

/** The work of a division of another shape, in divisions of two equal teams. Most are ruled out early. */
const DIVISIONS_OF_OTHERS = 500;

/** The maximum of nodes and exchanges, which limits searches with cheap divisions, and the minimum that searches need. */
const NODES = { min: 200, max: 30_000 };
const SWAPS = { min: 100, max: 20_000 };

/**
 * The effort of a search that a request waits for. What one step may cost depends on the size of teams: a game of
 * 16 tickets has 6,435 divisions, one of 10 has 126.
 * @param isSpent called before each step; true ends the search
 */
export function limitedEffort(definition: Teams, isSpent: () => boolean): SearchEffort {
  const kinds = teamKindsOf(definition);
  const isPair = kinds.length === 1 && kinds[0]!.count === 2 && kinds[0]!.size <= 8;
  const divisions = isPair ? divisionsOf(kinds[0]!.size) : DIVISIONS_OF_OTHERS;
  return {
    nodeBudget: within(NODES, DIVISIONS_PER_SEARCH / divisions),
    swapBudget: within(SWAPS, DIVISIONS_PER_PARTITION / divisions),
    isSpent,
  };
}

/** In how many ways solo players can be divided into two teams: C(2t − 1, t). */
export function divisionsOf(teamSize: number): number {
  let divisions = 1;
  for (let i = 1; i <= teamSize; i++) divisions = (divisions * (teamSize - 1 + i)) / i;
  return divisions;
}

function within({ min, max }: { min: number; max: number }, value: number): number {
  return Math.round(Math.min(max, Math.max(min, value)));
}
