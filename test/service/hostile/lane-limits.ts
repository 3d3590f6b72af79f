import { builtApp } from '../../infra/built-app.ts';
import { functionNamed, resourcesOf, target } from '../../infra/resources.ts';
import type { LaneOptions } from './function-lane.ts';

/** Fewer functions run at once than on AWS, so that a few hostile messages can take them all. */
const CONCURRENCY_MAX = 10;

type LaneLimits = Pick<
  LaneOptions<unknown>,
  'timeoutMs' | 'batchSize' | 'concurrency' | 'visibilityMs' | 'maxReceiveCount'
>;

/** The functions that are not named as their queue is. */
const FUNCTIONS: Readonly<Record<string, string>> = { slowLane: 'notify' };

/** What the template says about a queue of SQS and its function. */
export function laneLimits(name: string): LaneLimits {
  const { template } = builtApp();
  const source = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').find(({ Properties }) => {
    const isQueue = Properties.StartingPosition === undefined;
    const isSlow = target(Properties.EventSourceArn).includes('SlowLane') === (name === 'slowLane');
    return (
      isQueue && isSlow && functionNamed(template, Properties.FunctionName) === (FUNCTIONS[name] ?? name)
    );
  })!.Properties;
  const queue = template.Resources[target(source.EventSourceArn)]!.Properties;
  const fn = template.Resources[target(source.FunctionName)]!.Properties;
  return {
    timeoutMs: 1_000 * fn.Timeout,
    batchSize: source.BatchSize,
    concurrency: Math.min(CONCURRENCY_MAX, source.ScalingConfig.MaximumConcurrency),
    visibilityMs: 1_000 * queue.VisibilityTimeout,
    maxReceiveCount: queue.RedrivePolicy.maxReceiveCount,
  };
}
