import { rm } from 'node:fs/promises';
import { ALL_SECRETS } from '../contract/secret-grants.ts';
import type { JwtOptions } from '../infra/api.ts';
import type { SynthesizeOptions } from '../infra/synthesize.ts';
import { type LocalCloud, type LocalCloudOptions, startLocalCloud } from './local-cloud.ts';
import { takePlace } from './place.ts';
import { synthesizeInProcess } from './synthesize-in-process.ts';

export interface MusterOptions
  extends Omit<LocalCloudOptions, 'template' | 'assetPathOf' | 'place'>,
    Pick<SynthesizeOptions, 'queuesDir' | 'laddersDir' | 'context'> {
  /**
   * Requires tokens of this issuer, which `verifyToken` checks.
   * @default - every request may call every route
   */
  readonly jwt?: JwtOptions | undefined;
}

/**
 * Starts the service on this machine: synthesizes the app and starts a local cloud from the template
 * that `cdk deploy` would deploy. Every queue may use every secret, because one developer owns them all.
 *
 * @throws Problem with the file and the invalid fields when a definition is invalid
 * @throws LocalCloudError as {@link startLocalCloud} does
 */
export async function startMuster({
  queuesDir,
  laddersDir,
  jwt,
  context,
  ...options
}: MusterOptions): Promise<LocalCloud> {
  // First, because it fails fast, and synthesizing the app takes seconds.
  const place = await takePlace(options.port, options.dataDir);
  const definitions = { queuesDir, laddersDir, jwt, context, secretGrants: ALL_SECRETS };
  const { template, assetPathOf, outdir } = await synthesizeInProcess(definitions).catch(async (error) => {
    await place.stop();
    throw error;
  });
  const removeAssets = () => rm(outdir, { recursive: true, force: true });
  try {
    const cloud = await startLocalCloud({ template, assetPathOf, place, ...options });
    return { ...cloud, stop: () => cloud.stop().finally(removeAssets) };
  } catch (error) {
    await removeAssets();
    throw error;
  }
}
