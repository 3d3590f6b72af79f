import { parentPort } from 'node:worker_threads';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import type { ReleaseOptions } from '../policies/release.ts';
import { playThrough } from '../simulation/play.ts';
import { pointOf } from '../simulation/tune.ts';
import { type TrafficLength, type TrafficOptions, trafficOf } from './traffic-options.ts';

/** One setting to try. The worker generates the traffic again from its options: a seed is smaller to send than its tickets. */
export interface TuneTask {
  readonly definition: QueueDefinition;
  readonly release: ReleaseOptions;
  readonly traffic: TrafficOptions;
  readonly length: TrafficLength;
}

parentPort!.on('message', ({ definition, release, traffic, length }: TuneTask) => {
  const tried = { ...definition, release };
  const { measures } = playThrough(tried, trafficOf(traffic, tried, length));
  parentPort!.postMessage(pointOf(release, measures));
});
