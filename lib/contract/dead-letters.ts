import * as z from 'zod';

/** The messages that the consumers of the service gave up. */
export const deadLetters = z
  .object({
    consumers: z.array(
      z.object({
        consumer: z.string().meta({
          description: 'As in the name of its alarm: `Notify` for the alarm `…NotifyDeadLetters…`',
        }),
        messages: z.number().int().meta({
          description: 'The messages that wait to be redriven or purged, about a minute ago at most',
        }),
      }),
    ),
  })
  .meta({ id: 'DeadLetters' });
export type DeadLetters = z.output<typeof deadLetters>;
