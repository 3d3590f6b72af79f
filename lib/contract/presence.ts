import * as z from 'zod';
import { wholeIn } from './limit.ts';

/** The limits of presence. */
export const PRESENCE_LIMITS = {
  /** A shorter grace would remove players whose client reconnects after a change of networks. */
  graceSecondsMin: 5,
  /** A longer grace would have the effect of the queue's time-out or of the acceptance. */
  graceSecondsMax: 120,
} as const;

/** The pause between two pings of a client in a queue with presence, in seconds. */
export const PRESENCE_PING_SECONDS = 20;

/** The key `presence` of a definition. */
export const presenceOptions = z
  .strictObject({
    graceSeconds: wholeIn(PRESENCE_LIMITS.graceSecondsMin, PRESENCE_LIMITS.graceSecondsMax).meta({
      description:
        'How long a player may be gone before the ticket is cancelled, in seconds; below timeoutSeconds',
    }),
    required: z.literal(true).optional().meta({
      description:
        'Every player has to connect within the grace from the POST of the ticket on. Without it, a player who never connects counts as present (default absent)',
    }),
  })
  .meta({ id: 'PresenceOptions' });
export type PresenceOptions = z.output<typeof presenceOptions>;
