import * as z from 'zod';
import { eachOnce } from '../vocabulary/expected.ts';
import { LIMITS } from './queue-definition.ts';
import { id } from './ticket.ts';

/** A number for each team. */
const byTeam = z.array(z.number().min(-1_000_000_000).max(1_000_000_000)).min(2).max(LIMITS.teamsMax);

const present = z.strictObject({
  playerId: id,
  weight: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'The part of the match that the player was there for' }),
});

/** How a match has ended. */
export const outcome = {
  ranks: byTeam.exactOptional().meta({
    description: 'One for each team, in their order: the lowest has won, and equal ones are a draw',
  }),
  scores: byTeam.exactOptional().meta({ description: 'Instead of ranks: the highest has won' }),
  void: z.literal(true).exactOptional().meta({ description: 'Instead of ranks: it counts for no player' }),
};

/** The refinement that a match has ended in one way. */
export const oneOutcome = [
  (result: Readonly<Partial<Record<keyof typeof outcome, unknown>>>) =>
    [result.ranks, result.scores, result.void].filter((one) => one !== undefined).length === 1,
  { error: 'Expected one of ranks, scores and void, got none or several' },
] as const;

/** The body of a request that posts the result of a match. */
export const newResult = z
  .strictObject({
    ...outcome,
    players: z
      .array(present)
      .max(LIMITS.seatsMax)
      .superRefine(eachOnce('player', (all) => all.map(({ playerId }) => playerId)))
      .exactOptional()
      .meta({
        description:
          'Players who were there for a part of the match (default: all of it, and for newcomers of a backfill the part since they joined)',
      }),
    leavers: z.array(id).max(LIMITS.seatsMax).exactOptional().meta({
      description: 'As when a match is ended without a result',
    }),
  })
  .refine(...oneOutcome)
  .meta({ id: 'NewResult' });

/** A result in responses and events. */
export const resultView = z
  .object({
    at: z.iso.datetime().meta({ description: 'When it was accepted' }),
    ranks: z.array(z.number()).optional().meta({ description: 'One for each team. Absent when it is void' }),
    void: z.literal(true).optional(),
    players: z
      .array(z.object({ playerId: z.string(), weight: z.number() }))
      .optional()
      .meta({ description: 'Those who do not count in full' }),
  })
  .meta({ id: 'Result' });
