import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** Adds 1 to a metric of the function that an alarm watches: see `lib/infra/observability.ts`. */
export function countForAlarm(metric: 'PushesDropped' | 'SetAside' | 'WebhookFailing'): void {
  const metrics = new Metrics();
  metrics.addMetric(metric, MetricUnit.Count, 1);
  metrics.publishStoredMetrics();
}
