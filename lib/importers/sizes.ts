/** The imbalance of an empty seat: more than skills differ, so that a larger match always goes before a smaller one. */
export const EMPTY_SEAT_COST = 1_000_000;
