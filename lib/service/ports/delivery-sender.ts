import type { Delivery } from '../domain/delivery.ts';

/** Sends deliveries to the queues of `notify`. */
export interface DeliverySender {
  /** Sends each delivery as a new one. */
  split(deliveries: readonly Delivery[]): Promise<void>;
  /** Sends a delivery to the slow lane. It arrives after this time, in whole seconds, at most 900. */
  slowLane(delivery: Delivery, afterMs: number): Promise<void>;
  /** Sends a delivery to the dead letters. */
  deadLetter(delivery: Delivery): Promise<void>;
}
