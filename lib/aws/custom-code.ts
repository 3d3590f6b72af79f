import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { codeOf, useCode } from '../rules/custom/code.ts';
import { logger } from './log.ts';

/** Processor time of this thread: other work on the machine does not count against a call. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * Uses the studio's code beside the bundle of a function that searches, if the deployment has one. Code that cannot be loaded is
 * as good as none: the queues that need it are set aside, and the others do not feel it.
 *
 * @param bundle the URL of the bundle
 */
export function useDeployedCode(bundle: string): void {
  const file = fileURLToPath(new URL('code.cjs', bundle));
  if (!existsSync(file)) return;
  try {
    useCode(codeOf(createRequire(bundle)(file), cpuMs));
  } catch (error) {
    logger.error('the code of custom rules cannot be loaded', error as Error);
  }
}
