import type { QueueDefinition } from '../../../contract/queue-definition.ts';
import type { PlayResult } from '../../../simulation/play.ts';
import type { TrafficOptions } from '../../../simulation/traffic-options.ts';
import type { CountedReason, DryRunResult } from './reasons-of.ts';
import type { WaitingTicket } from './waiting.ts';

export type { DryRunResult };

export type EngineResult = PlayResult | readonly CountedReason[] | DryRunResult;

/** What the page asks of the worker that holds the engine. */
export type EngineRequest = { readonly definition: QueueDefinition } & (
  | { readonly kind: 'simulate'; readonly options: TrafficOptions }
  | { readonly kind: 'reasons' | 'dry-run'; readonly waiting: readonly WaitingTicket[] }
);

export type EngineResponse =
  | { readonly share: number }
  | { readonly done: EngineResult }
  | { readonly failed: string };

/** Plays a queue in a worker of its own, which ends with the run. Aborting ends it at once. */
export function simulate(
  definition: QueueDefinition,
  options: TrafficOptions,
  onProgress: (share: number) => void,
  abort: AbortSignal,
): Promise<PlayResult> {
  return ask({ kind: 'simulate', definition, options }, onProgress, abort) as Promise<PlayResult>;
}

/** Counts why tickets wait. */
export function countReasons(
  definition: QueueDefinition,
  waiting: readonly WaitingTicket[],
  abort: AbortSignal,
): Promise<readonly CountedReason[]> {
  return ask({ kind: 'reasons', definition, waiting }, () => {}, abort) as Promise<readonly CountedReason[]>;
}

/** Searches once among waiting tickets; stores nothing. */
export function dryRun(
  definition: QueueDefinition,
  waiting: readonly WaitingTicket[],
  abort: AbortSignal,
): Promise<DryRunResult> {
  return ask({ kind: 'dry-run', definition, waiting }, () => {}, abort) as Promise<DryRunResult>;
}

function ask(
  request: EngineRequest,
  onProgress: (share: number) => void,
  abort: AbortSignal,
): Promise<EngineResult> {
  const { promise, resolve, reject } = Promise.withResolvers<EngineResult>();
  abort.throwIfAborted();
  const worker = new Worker('/assets/engine-worker.js', { type: 'module' });
  const end = () => {
    worker.terminate();
    abort.removeEventListener('abort', cancel);
  };
  const cancel = () => {
    end();
    reject(abort.reason);
  };
  abort.addEventListener('abort', cancel);
  worker.onmessage = ({ data }: MessageEvent<EngineResponse>) => {
    if ('share' in data) return onProgress(data.share);
    end();
    if ('done' in data) resolve(data.done);
    else reject(new Error(data.failed));
  };
  worker.onerror = (event) => {
    event.preventDefault();
    end();
    reject(new Error(`The engine did not start: ${event.message}`));
  };
  worker.postMessage(request);
  return promise;
}
