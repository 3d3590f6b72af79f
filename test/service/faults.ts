import type { Line } from './virtual-cloud.ts';

/** Where a function is killed: at its nth call to the outside, before that takes effect or before it is answered. */
export interface Fault {
  readonly call: number;
  readonly when: 'before' | 'after';
}

/** What a killed function's calls end in; nothing catches it. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

/** A line that dies at a fault, and counts the calls that passed it. */
export function mortalLine(fault?: Fault): { line: Line; calls: string[] } {
  const calls: string[] = [];
  let dead = false;
  const line: Line = async (what, effect) => {
    if (dead) throw new Killed(`${what}, after the end`);
    calls.push(what);
    if (calls.length !== fault?.call) return effect();
    dead = true;
    if (fault.when === 'after') await effect();
    throw new Killed(`${fault.when} ${what}`);
  };
  return { line, calls };
}

/** Prepares what a function needs, lets it run on the line, then sees what became of it. */
export type Scenario = (
  run: (task: (line: Line) => Promise<unknown>) => Promise<void>,
  label: string,
) => Promise<void>;

/**
 * Runs a scenario without a fault to learn how many calls its function makes, then once with each fault there
 * is, or with every so manieth.
 *
 * @returns the calls of the run without a fault
 */
export async function withFaults(every: number, scenario: Scenario): Promise<string[]> {
  const calls = await withFault(undefined, scenario, 'never');
  const faults = calls.flatMap((what, i) =>
    (['before', 'after'] as const).map((when) => ({ call: i + 1, when, what })),
  );
  for (const [i, fault] of faults.entries()) {
    if (i % every === 0) await withFault(fault, scenario, `${fault.when} call ${fault.call}, ${fault.what}`);
  }
  return calls;
}

async function withFault(fault: Fault | undefined, scenario: Scenario, label: string): Promise<string[]> {
  const { line, calls } = mortalLine(fault);
  let died = false;
  await scenario(async (task) => {
    try {
      await task(line);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      died = true;
    }
  }, label);
  if (died !== (fault !== undefined)) throw new Error(`the function died: ${died}, killed ${label}`);
  return calls;
}
