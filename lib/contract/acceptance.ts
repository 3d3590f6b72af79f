import * as z from 'zod';
import { id } from './ticket.ts';

/** How a party answers its match. */
export const acceptanceBody = z
  .strictObject({
    accepted: z.boolean().meta({ description: 'false: the party does not play this match' }),
    matchId: id.meta({
      description:
        'The match that is answered; when the ticket has another one by now, the answer is refused',
    }),
  })
  .meta({ id: 'Acceptance' });
