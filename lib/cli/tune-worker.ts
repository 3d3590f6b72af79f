import { parentPort } from 'node:worker_threads';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import type { ReleaseOptions } from '../policies/release.ts';
import { playThrough } from '../simulation/play.ts';
import { pointOf } from '../simulation/tune.ts';
import { type TrafficOptions, trafficOf } from './traffic-options.ts';

/** One setting to try. The traffic is made anew from its options: a seed is smaller than its tickets. */
export interface TuneTask {
  readonly definition: QueueDefinition;
  readonly release: ReleaseOptions;
  readonly traffic: TrafficOptions;
  readonly playersDefault: number;
}

parentPort!.on('message', ({ definition, release, traffic, playersDefault }: TuneTask) => {
  const tried = { ...definition, release };
  const { measures } = playThrough(tried, trafficOf(traffic, tried, playersDefault));
  parentPort!.postMessage(pointOf(release, measures, definition.timeoutSeconds));
});
