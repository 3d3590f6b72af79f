import { CommanderError } from '@commander-js/extra-typings';
import { ERRORS_MAX, Problem } from '../contract/problem.ts';
import { LocalCloudError } from '../local/local-cloud-error.ts';
import { InvalidInput } from '../vocabulary/invalid-input.ts';

export { InvalidInput };

/** The command failed with valid input. It ends with status 1 and this text on standard error. */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** The status of the response that was no success, if there was one. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** Prints the error and returns the exit status: 0 success, 1 a failure, 2 wrong usage or input. */
export function reportFailure(error: unknown): 0 | 1 | 2 {
  if (error instanceof CommanderError) {
    // Commander has already printed the error. Printing help is not a failure.
    return error.exitCode === 0 ? 0 : 2;
  }
  if (error instanceof Problem && error.errors.length > 0) {
    const source = error.message.slice(0, error.message.indexOf(' is not valid'));
    for (const { pointer, detail } of error.errors) console.error(`${source}: ${pointer}: ${detail}`);
    if (error.errors.length === ERRORS_MAX)
      console.error(`${source}: only the first ${ERRORS_MAX} are named`);
    return 2;
  }
  if (error instanceof Problem || error instanceof InvalidInput) {
    console.error(error.message);
    return 2;
  }
  const missing = missingPackage(error);
  if (missing !== undefined) {
    console.error(
      `This command needs the package ${missing}, which is not installed: npm install ${missing}`,
    );
    return 1;
  }
  console.error(error instanceof Failure || error instanceof LocalCloudError ? error.message : error);
  return 1;
}

/** The optional package that an import did not find. */
function missingPackage(error: unknown): string | undefined {
  const { code, message = '' } = (error ?? {}) as { readonly code?: unknown; readonly message?: string };
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return undefined;
  return /Cannot find (?:package|module) '((?:@[^/']+\/)?[^./'][^/']*)/.exec(message)?.[1];
}
