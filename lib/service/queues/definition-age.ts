/**
 * The maximum age of a cached queue definition, in milliseconds, where an old one is harmless: when tickets are created,
 * searched and placed. A changed definition is in force everywhere after this time.
 */
export const DEFINITION_AGE_MS = 5_000;
