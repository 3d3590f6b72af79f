import type { EngineRequest, EngineResponse } from './data/engine.ts';
import { reasonsOf } from './queue/reasons-of.ts';
import { startRun } from './what-if/run.ts';

/**
 * The engine in the browser, in its own thread, so that the page stays responsive. It runs the same code as the service:
 * the search, the policies and the simulator.
 */

/** Sends progress this often. */
const SLICE_MS = 50;

const reply = (response: EngineResponse) => postMessage(response);

addEventListener('message', ({ data }: MessageEvent<EngineRequest>) => {
  try {
    if (data.kind === 'reasons') {
      reply({ id: data.id, done: reasonsOf(data.definition, data.waiting) });
      return;
    }
    const { steps, result, players } = startRun(data.definition, data.options);
    let sliceEnd = performance.now() + SLICE_MS;
    for (const progress of steps) {
      if (performance.now() < sliceEnd) continue;
      reply({ id: data.id, share: Math.min(1, progress.players / players) });
      sliceEnd = performance.now() + SLICE_MS;
    }
    reply({ id: data.id, done: result() });
  } catch (error) {
    reply({ id: data.id, failed: (error as Error).message });
  }
});
