import * as z from 'zod';
import { eachOnce } from '../vocabulary/expected.ts';
import { LIMITS } from './queue-definition.ts';
import { id } from './ticket.ts';

/** An acceptance or decline of a match, by a party or by some of its players. */
export const acceptanceBody = z
  .strictObject({
    accepted: z.boolean().meta({ description: 'false: the party, or these players, decline this match' }),
    matchId: id.meta({
      description:
        'The match to accept or decline. The request is rejected when the ticket has another match',
    }),
    playerIds: z.array(id).min(1).max(LIMITS.seatsMax).superRefine(eachOnce('player')).exactOptional().meta({
      description:
        'Where each player answers (`acceptance.by` is `player`): the players of the ticket who answer with this request (default: all of them; with a token of a player, this player alone)',
    }),
  })
  .meta({ id: 'Acceptance' });
