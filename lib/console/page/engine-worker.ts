import type { EngineRequest, EngineResponse, EngineResult } from './data/engine.ts';
import { dryRunOf, reasonsOf } from './data/reasons-of.ts';
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
    reply({ done: resultOf(data) });
  } catch (error) {
    reply({ failed: (error as Error).message });
  }
});

function resultOf(request: EngineRequest): EngineResult {
  const custom = request.definition.rules?.find(({ type }) => type === 'custom');
  if (custom !== undefined)
    throw new Error(
      `The browser cannot run the rule ${custom.name}: it does not have your code. Use muster simulate --code FILE, or a dry run of the service.`,
    );
  switch (request.kind) {
    case 'reasons':
      return reasonsOf(request.definition, request.waiting);
    case 'dry-run':
      return dryRunOf(request.definition, request.waiting);
    case 'simulate': {
      const { steps, result, players } = startRun(request.definition, request.options);
      let sliceEnd = performance.now() + SLICE_MS;
      for (const progress of steps) {
        if (performance.now() < sliceEnd) continue;
        reply({ share: Math.min(1, progress.players / players) });
        sliceEnd = performance.now() + SLICE_MS;
      }
      return result();
    }
  }
}
