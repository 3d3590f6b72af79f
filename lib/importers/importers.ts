import { flexmatch } from './flexmatch/flexmatch.ts';
import { playfab } from './playfab/playfab.ts';
import { unity } from './unity/unity.ts';

/** The matchmakers that definitions are imported from, by the name of their command. */
export const IMPORTERS = { flexmatch, playfab, unity };
