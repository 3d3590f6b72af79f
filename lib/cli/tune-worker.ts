import module from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import type { Setting } from '../simulation/tune.ts';
import type { TrafficLength, TrafficOptions } from './traffic-options.ts';

// As in `muster.ts`: the cache is on before anything else is imported, in each thread of its own.
module.enableCompileCache?.();
const [{ playThrough }, { pointOf, withSetting }, { loadCode }, { trafficOf }] = await Promise.all([
  import('../simulation/play.ts'),
  import('../simulation/tune.ts'),
  import('./code-option.ts'),
  import('./traffic-options.ts'),
]);

/** One setting to try. The worker generates the traffic again from its options: a seed is smaller to send than its tickets. */
export interface TuneTask {
  readonly definition: QueueDefinition;
  readonly setting: Setting;
  readonly traffic: TrafficOptions;
  readonly length: TrafficLength;
}

await loadCode(workerData.code);
parentPort!.on('message', ({ definition, setting, traffic, length }: TuneTask) => {
  const tried = withSetting(definition, setting);
  const { measures } = playThrough(tried, trafficOf(traffic, tried, length));
  parentPort!.postMessage(pointOf(setting, measures));
});
