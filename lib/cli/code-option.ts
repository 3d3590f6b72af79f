import { Option } from '@commander-js/extra-typings';
import { invalid } from '../contract/problem.ts';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { codeInUse, missingFunctions, useCode } from '../rules/custom/code.ts';
import { InvalidInput } from './failure.ts';

/** The option `--code` of the commands that search. The program loads the file before the command: see `loadCode`. */
export function codeOption() {
  return new Option(
    '--code <file>',
    'TypeScript or JavaScript module with the functions of custom rules (docs/custom-rules.md)',
  );
}

/** The file that this process has loaded, for its threads. */
export let codeFile: string | undefined;

/**
 * Uses the functions of a module for all searches of this process.
 * @throws InvalidInput with the file and line
 */
export async function loadCode(file: string | undefined): Promise<void> {
  codeFile = file;
  if (file === undefined) return useCode(undefined);
  // Imported on demand because esbuild takes time to load.
  const { bundleCode } = await import('../rules/custom/bundle.ts');
  try {
    useCode(bundleCode(file).code);
  } catch (error) {
    throw new InvalidInput(`--code: ${(error as Error).message}`);
  }
}

/**
 * The definition, if its custom rules can be searched here.
 * @throws Problem that names the function and the file
 */
export function withFunctions(definition: QueueDefinition, file: string): QueueDefinition {
  const missing = missingFunctions(definition.rules ?? [], codeInUse()?.names);
  if (missing.length === 0) return definition;
  throw invalid(file, missing);
}
