/** Limits the work of a plan for a waiting request. Without limits a plan takes as long as its pool needs. */
export interface SearchEffort {
  /** The nodes that one search may visit where there are parties, roles or refused pairs. */
  readonly nodeBudget: number;
  /** The games that exchanges may try out when everyone is partitioned. */
  readonly swapBudget: number;
  /** Called before each search. When it returns true, the plan ends with the games made so far. */
  readonly isSpent: () => boolean;
}
