import { parentPort, workerData } from 'node:worker_threads';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { playThrough } from '../simulation/play.ts';
import { pointOf, type Setting, withSetting } from '../simulation/tune.ts';
import { loadCode } from './code-option.ts';
import { type TrafficLength, type TrafficOptions, trafficOf } from './traffic-options.ts';

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
