import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Provisioned } from '../service/placement/provision.ts';
import type { CountedQueue } from '../service/queues/count-queue.ts';
import { logger } from './log.ts';
import type { Consumed } from './message-consumer.ts';
import { Throttle } from './throttle.ts';

const reports = new Throttle(30_000);

/** Records the outcomes of a queue as metrics, and reports the queue when too many of its matches fail. */
export function reportQueue({ queue, counts, failing, isLost }: CountedQueue): void {
  if (isLost) logger.warn('outcomes were not counted, because the table was busy', { queue, ...counts });
  const metrics = new Metrics({ defaultDimensions: { queue } });
  for (const [name, count] of Object.entries(counts))
    metrics.addMetric(`${name[0]!.toUpperCase()}${name.slice(1)}`, MetricUnit.Count, count);
  metrics.publishStoredMetrics();
  if (failing === undefined || !reports.isDue(queue)) return;
  logger.error('too many matches of a queue fail', { queue, ...failing });
  // One metric for the alarm, whichever function reports it.
  const ofAll = new Metrics({ serviceName: 'muster' });
  ofAll.addMetric('QueueFailing', MetricUnit.Count, 1);
  ofAll.publishStoredMetrics();
}

/** Reports a failed try of a placement. Returns what happens to its message. */
export function reported(result: Provisioned): Consumed {
  if (result.outcome !== 'retry' || result.counted === undefined) return result;
  const { counted, ...rest } = result;
  reportQueue(counted);
  return rest;
}
