import { sample } from '../long.ts';
import type { Line } from './virtual-cloud.ts';

/** A function is killed at its nth call to a port: before the call takes effect, or after it but before the result arrives. */
export interface Fault {
  readonly call: number;
  readonly when: 'before' | 'after';
}

/** Thrown by the calls of a killed function. What it does after that has no effect, because each further call throws as well. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/** A line that kills the function at a fault, and records the calls. */
export function mortalLine(fault?: Fault): { line: Line; calls: string[]; isDead: () => boolean } {
  const calls: string[] = [];
  let dead = false;
  const line: Line = async (what, effect) => {
    if (dead) throw new Killed(`${what}, after it was killed`);
    calls.push(what);
    if (calls.length !== fault?.call) return effect();
    dead = true;
    if (fault.when === 'after') await effect();
    throw new Killed(`${fault.when} ${what}`);
  };
  return { line, calls, isDead: () => dead };
}

/** Prepares the state, runs a function on the line, which returns whether it has lived, then checks the outcome. */
export type Scenario = (
  run: (task: (line: Line) => Promise<unknown>) => Promise<boolean>,
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
  const { line, calls, isDead } = mortalLine(fault);
  await scenario(async (task) => {
    try {
      await task(line);
    } catch (error) {
      if (!isDead()) throw error;
    }
    return !isDead();
  }, label);
  if (isDead() !== (fault !== undefined))
    throw new Error(
      `Expected the function to be killed only by a fault, got killed: ${isDead()}, fault: ${label}`,
    );
  return calls;
}
