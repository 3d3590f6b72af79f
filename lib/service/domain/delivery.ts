import * as z from 'zod';
import { musterEvent } from '../../contract/events.ts';
import { readWith } from './unreadable.ts';

/** An event to deliver to one webhook, or, without `url`, to every webhook of its queue that subscribes to it. */
const delivery = z.object({
  event: musterEvent,
  url: z.string().exactOptional(),
  /**
   * The name of the secret of its webhook. If the URL is no longer in the definition, the webhook with this secret gets the
   * event.
   */
  secret: z.string().exactOptional(),
  /** The number of failed posts, not counting those to a receiver that was down. @default 0 */
  failed: z.number().exactOptional(),
  /** When it entered the slow lane. A delivery without it is in the queue of new ones. */
  slowSinceMs: z.number().exactOptional(),
  /** Present when the statistics count it as waiting for another try. */
  waits: z.literal(true).exactOptional(),
});
export type Delivery = Readonly<z.output<typeof delivery>>;

/**
 * Parses a delivery that this or another version of Muster has sent to itself.
 * @throws Unreadable
 */
export function readDelivery(value: unknown): Delivery {
  return readWith(delivery, value, 'a delivery');
}
