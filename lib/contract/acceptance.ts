import * as z from 'zod';

/** How a party answers its match. */
export const acceptanceBody = z
  .strictObject({ accepted: z.boolean().meta({ description: 'false: the party does not play this match' }) })
  .meta({ id: 'Acceptance' });
