import { parentPort } from 'node:worker_threads';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import type { ReleaseOptions } from '../policies/release.ts';
import { playThrough } from '../simulation/play.ts';
import { pointOf } from '../simulation/tune.ts';
import { type CrowdOptions, crowdOf } from './crowd.ts';

/** One setting to try. The crowd is made anew from its options: a seed is smaller than its tickets. */
export interface TuneTask {
  readonly definition: QueueDefinition;
  readonly release: ReleaseOptions;
  readonly crowd: CrowdOptions;
  readonly playersDefault: number;
}

parentPort!.on('message', ({ definition, release, crowd, playersDefault }: TuneTask) => {
  const tried = { ...definition, release };
  const { measures } = playThrough(tried, crowdOf(crowd, tried, playersDefault));
  parentPort!.postMessage(pointOf(release, measures, definition.timeoutSeconds));
});
