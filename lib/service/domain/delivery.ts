import * as z from 'zod';
import { type MusterEvent, musterEvent } from '../../contract/events.ts';
import { readWith } from './unreadable.ts';

/** An event to deliver to one webhook, or, without `url`, to every webhook of its queue that subscribes to it. */
export interface Delivery {
  readonly event: MusterEvent;
  readonly url?: string;
  /**
   * The name of the secret of its webhook. If the URL is no longer in the definition, the webhook with this secret gets the
   * event.
   */
  readonly secret?: string;
  /** The number of failed posts, not counting those to a receiver that was down. @default 0 */
  readonly failed?: number;
  /** When it entered the slow lane. A delivery without it is in the queue of new ones. */
  readonly slowSinceMs?: number;
  /** Present when the statistics count it as waiting for another try. */
  readonly waits?: true;
}

const delivery = z.object({
  event: musterEvent,
  url: z.string().exactOptional(),
  secret: z.string().exactOptional(),
  failed: z.number().exactOptional(),
  slowSinceMs: z.number().exactOptional(),
  waits: z.literal(true).exactOptional(),
});

/**
 * Parses a delivery that this or another version of Muster has sent to itself.
 * @throws Unreadable
 */
export function readDelivery(value: unknown): Delivery {
  return readWith(delivery, value, 'a delivery');
}
