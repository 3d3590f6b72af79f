import { rm } from 'node:fs/promises';
import type { JwtOptions } from '../infra/api.ts';
import { synthesize } from '../infra/synthesize.ts';
import { type LocalCloud, type LocalCloudOptions, startLocalCloud } from './local-cloud.ts';

export interface MusterOptions extends Omit<LocalCloudOptions, 'template' | 'assetPathOf'> {
  /**
   * The folder of queue definitions.
   * @default - `queues` of the checkout
   */
  readonly queuesDir?: string | undefined;
  /**
   * Ask for tokens of this issuer; `verifyToken` checks them.
   * @default - every request may call every route
   */
  readonly jwt?: JwtOptions | undefined;
}

/**
 * Starts the service on this machine: synthesizes the app in this process, and makes the local cloud from the
 * template that `cdk deploy` would deploy.
 *
 * @throws Problem naming the file and the fields at fault when a queue definition is not valid
 * @throws LocalCloudError as {@link startLocalCloud} does
 */
export async function startMuster({ queuesDir, jwt, ...options }: MusterOptions): Promise<LocalCloud> {
  const { template, assetPathOf, outdir } = synthesize({ queuesDir, jwt });
  const removeAssets = () => rm(outdir, { recursive: true, force: true });
  try {
    const cloud = await startLocalCloud({ template, assetPathOf, ...options });
    return { ...cloud, stop: () => cloud.stop().finally(removeAssets) };
  } catch (error) {
    await removeAssets();
    throw error;
  }
}
