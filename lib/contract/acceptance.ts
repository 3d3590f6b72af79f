import * as z from 'zod';
import { id } from './ticket.ts';

/** A party's acceptance or decline of its match. */
export const acceptanceBody = z
  .strictObject({
    accepted: z.boolean().meta({ description: 'false: the party declines this match' }),
    matchId: id.meta({
      description:
        'The match to accept or decline. The request is rejected when the ticket has another match by now',
    }),
  })
  .meta({ id: 'Acceptance' });
