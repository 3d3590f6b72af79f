import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { WebhookHealth } from '../../contract/queue-stats.ts';
import { failsOften } from '../../contract/webhook-failing.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { ReceiverStore } from '../ports/receiver-store.ts';

export interface WebhookHealthDeps {
  readonly deliveryRecords: Pick<DeliveryStore, 'get'>;
  readonly receivers: Pick<ReceiverStore, 'get'>;
}

/** The health of the webhooks of a queue, in the order of the definition. Two reads for each webhook. */
export function webhookHealth(
  { deliveryRecords, receivers }: WebhookHealthDeps,
  { name, webhooks = [] }: QueueDefinition,
  nowMs: number,
): Promise<WebhookHealth[]> {
  return Promise.all(
    webhooks.map(async ({ url }): Promise<WebhookHealth> => {
      const [record, receiver] = await Promise.all([
        deliveryRecords.get(name, url, nowMs),
        receivers.get(url),
      ]);
      const { lastSuccessMs, lastFailure, failures = 0, recent, waiting } = record ?? {};
      const isDown = receiver?.downUntilMs !== undefined;
      const fails = failures > 0 || failsOften({ recent });
      return {
        url: withoutQuery(url),
        state: isDown ? 'down' : fails ? 'failing' : record === undefined ? 'unused' : 'working',
        lastSuccessAt: lastSuccessMs === undefined ? null : new Date(lastSuccessMs).toISOString(),
        lastFailure:
          lastFailure === undefined
            ? null
            : {
                at: new Date(lastFailure.atMs).toISOString(),
                text: lastFailure.text,
                ...(lastFailure.status !== undefined && { status: lastFailure.status }),
              },
        failures,
        ...(recent && { recent }),
        waiting: waiting?.count ?? 0,
        waitingSince: waiting === undefined ? null : new Date(waiting.sinceMs).toISOString(),
      };
    }),
  );
}

/** The URL without its query, which may hold a token that only administrators may read. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
