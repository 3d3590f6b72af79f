import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** Counts one occurrence in a metric of the function, which an alarm watches: see `lib/infra/observability.ts`. */
export function countForAlarm(metric: 'PushesDropped' | 'SetAside' | 'WebhookFailing'): void {
  const metrics = new Metrics();
  metrics.addMetric(metric, MetricUnit.Count, 1);
  metrics.publishStoredMetrics();
}
