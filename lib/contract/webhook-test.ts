import * as z from 'zod';

/** The type of a test event, which is only sent to test a webhook. */
export const WEBHOOK_TEST = 'WebhookTest';

/** The body of a test event. The client does not list it among the events, so programs need not handle it. */
export interface WebhookTestBody {
  readonly type: typeof WEBHOOK_TEST;
  readonly timestamp: string;
  readonly data: { readonly eventId: string; readonly time: string; readonly queue: string };
}

/** How the webhooks of a queue have responded to a test event. */
export const webhookTests = z
  .object({
    eventId: z.string(),
    webhooks: z.array(
      z.object({
        url: z.string().meta({ description: 'Without its query' }),
        isDelivered: z.boolean(),
        milliseconds: z.number().int().meta({ description: 'Until the response, or until it failed' }),
        status: z.number().int().optional().meta({ description: 'Of the response, if there was one' }),
        body: z.string().optional().meta({ description: 'The first 500 letters of the response' }),
        error: z.string().optional().meta({ description: 'Why it was not delivered' }),
      }),
    ),
  })
  .meta({ id: 'WebhookTests' });
export type WebhookTests = z.output<typeof webhookTests>;
