import { sample } from '../long.ts';
import type { Line } from './virtual-cloud.ts';

/** A function is killed at its nth call to a port: before the call takes effect, or after it but before the result arrives. */
export interface Fault {
  readonly call: number;
  readonly when: 'before' | 'after';
}

/** Thrown by the calls of a killed function. Use cases do not catch it. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/** A line that kills the function at a fault, and records the calls. No call of a killed function returns. */
export function mortalLine(fault?: Fault): { line: Line; calls: string[]; killed: Promise<'killed'> } {
  const calls: string[] = [];
  const killed = Promise.withResolvers<'killed'>();
  const never = new Promise<never>(() => {});
  let dead = false;
  const line: Line = async (what, effect) => {
    if (dead) return never;
    calls.push(what);
    if (calls.length !== fault?.call) return effect();
    dead = true;
    if (fault.when === 'after') await effect();
    killed.resolve('killed');
    return never;
  };
  return { line, calls, killed: killed.promise };
}

/** Prepares the state, runs a function on the line, then checks the outcome. */
export type Scenario = (
  run: (task: (line: Line) => Promise<unknown>) => Promise<void>,
  label: string,
) => Promise<void>;

/** `npm test` tries every third fault: of every three calls, one before it takes effect and one after it. */
const STRIDE = sample(3, 1);

/**
 * Runs a scenario without a fault to count the calls of its function, then once with each possible fault.
 *
 * @param every uses only every nth fault
 * @returns the calls of the run without a fault
 */
export async function withFaults(every: number, scenario: Scenario): Promise<string[]> {
  const calls = await withFault(undefined, scenario, 'never');
  for (const fault of faultsOf(calls, every * STRIDE))
    await withFault(fault, scenario, `${fault.when} call ${fault.call}, ${calls[fault.call - 1]}`);
  return calls;
}

/** Every nth fault of a function that makes these calls, from one of the first `every` faults on. */
export function faultsOf(calls: readonly string[], every = STRIDE, from = 0): Fault[] {
  return calls
    .flatMap((_, i) => (['before', 'after'] as const).map((when) => ({ call: i + 1, when })))
    .filter((_, i) => i % every === from % every);
}

async function withFault(fault: Fault | undefined, scenario: Scenario, label: string): Promise<string[]> {
  const { line, calls, killed } = mortalLine(fault);
  let end: unknown;
  await scenario(async (task) => {
    end = await Promise.race([task(line), killed]);
  }, label);
  if ((end === 'killed') !== (fault !== undefined))
    throw new Error(`Expected the function to be killed only by a fault, got: ${end}, fault: ${label}`);
  return calls;
}
