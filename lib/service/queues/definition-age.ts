/**
 * How old a queue's definition may be where that does no harm, in milliseconds: when tickets are taken, searched
 * and placed. A changed definition is in force everywhere after so long.
 */
export const DEFINITION_AGE_MS = 5_000;
