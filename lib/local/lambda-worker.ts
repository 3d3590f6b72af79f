/** Runs in a function's worker thread and does what Lambda's runtime does around a handler. */
import nodeModule from 'node:module';
import { constants, getPriority, platform, setPriority } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

/** The `workerData` of a worker. */
export interface FunctionStart {
  readonly file: string;
  readonly exportName: string;
  readonly name: string;
  readonly arn: string;
  readonly memoryMb: number;
  /** Whether it leaves the processor to other threads. */
  readonly isBackground: boolean;
}

/** The message that starts an invocation. */
export interface Invocation {
  /** JSON. */
  readonly event: string;
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly deadlineMs: number;
}

/**
 * The result of an invocation. Before the first one the worker sends the string 'ready'. A function's error
 * is returned as data, and the caller decides what it means.
 */
export type InvocationResult =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly errorType: string; readonly errorMessage: string };

/** What a worker sends after an invocation. */
export interface InvocationEnd {
  readonly result: InvocationResult;
  /** The CPU time of the worker's thread, in milliseconds. */
  readonly cpuMs: number;
}

/** Lambda's limit on a synchronous response. */
const RESPONSE_MAX_BYTES = 6 * 1024 * 1024;

type Handler = (event: unknown, context: object) => unknown;

const start = workerData as FunctionStart;
// Each worker of a function loads the same bundle. What is compiled is removed with the bundles, whose paths no later service has.
nodeModule.enableCompileCache?.(join(start.file, '../../compiled'));
const module = await import(pathToFileURL(start.file).href);
const handler: Handler | undefined = module[start.exportName] ?? module.default?.[start.exportName];
if (typeof handler !== 'function') {
  throw new TypeError(`${start.file} does not export the function "${start.exportName}".`);
}
// Once it is loaded, and not to the lowest: on a busy machine a request of a second would take longer than API Gateway waits. On
// other systems this would set the priority of the whole process.
if (start.isBackground && platform() === 'linux')
  setPriority(Math.max(getPriority(), constants.priority.PRIORITY_BELOW_NORMAL));
parentPort!.on('message', async (invocation: Invocation) => {
  const before = process.threadCpuUsage();
  const result = await handle(handler, invocation);
  const { user, system } = process.threadCpuUsage(before);
  parentPort!.postMessage({ result, cpuMs: (user + system) / 1_000 } satisfies InvocationEnd);
});
parentPort!.postMessage('ready');
// Output is lost when a worker is terminated.
nodeModule.flushCompileCache?.();

async function handle(
  handler: Handler,
  { event, requestId, deadlineMs }: Invocation,
): Promise<InvocationResult> {
  try {
    const payload =
      JSON.stringify(await handler(JSON.parse(event), contextOf(requestId, deadlineMs))) ?? 'null';
    if (Buffer.byteLength(payload) > RESPONSE_MAX_BYTES) {
      return {
        ok: false,
        errorType: 'Function.ResponseSizeTooLarge',
        errorMessage: 'Response payload size exceeded maximum allowed payload size (6291556 bytes).',
      };
    }
    return { ok: true, payload: JSON.parse(payload) };
  } catch (error) {
    console.error(error);
    return error instanceof Error
      ? { ok: false, errorType: error.name, errorMessage: error.message }
      : { ok: false, errorType: typeof error, errorMessage: String(error) };
  }
}

function contextOf(requestId: string, deadlineMs: number) {
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName: start.name,
    functionVersion: '$LATEST',
    invokedFunctionArn: start.arn,
    logGroupName: `/aws/lambda/${start.name}`,
    logStreamName: 'local',
    memoryLimitInMB: String(start.memoryMb),
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - Date.now()),
  };
}
