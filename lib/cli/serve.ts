import { rm } from 'node:fs/promises';
import { Command, InvalidArgumentError } from 'commander';
import { synthesize } from '../infra/synthesize.ts';
import { type LocalCloud, type LogLine, startLocalCloud } from '../local/local-cloud.ts';
import { LocalCloudError } from '../local/local-cloud-error.ts';

/** `muster serve`: the local cloud, until it is interrupted. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('run the whole service on this machine, from the template that cdk deploy would deploy')
    .option('--port <port>', 'where the HTTP API answers, on 127.0.0.1', portNumber, 3000)
    .option('--queues <dir>', 'the folder of queue definitions', 'queues')
    .option('--data <dir>', 'keep tables and queues here, and go on from there (default: start empty)')
    .option('--secrets <file>', 'JSON: the name of each secret and its value')
    .option('--verbose', "show the functions' logs on standard error")
    .action(async (options: ServeOptions) => {
      process.exitCode = await serve(options);
    });
}

export interface ServeOptions {
  readonly port: number;
  readonly queues?: string;
  readonly data?: string;
  readonly secrets?: string;
  readonly verbose?: boolean;
}

/** Settles with the exit status when the service was interrupted, or did not start. */
async function serve({ port, queues, data, secrets, verbose = false }: ServeOptions): Promise<number> {
  const interrupted = interruption();
  let cloud: LocalCloud;
  try {
    cloud = await startService({
      port,
      queuesDir: queues,
      dataDir: data,
      secretsFile: secrets,
      log: ({ source, line }) => {
        if (verbose || source === 'local cloud') console.error(`${source}: ${line}`);
      },
    });
  } catch (error) {
    console.error(`muster serve: ${(error as Error).message.split('\n')[0]}`);
    return error instanceof LocalCloudError ? 1 : 2;
  }
  console.log(`Muster is ready at ${cloud.url}`);
  await interrupted;
  await cloud.stop();
  return 0;
}

export interface ServiceOptions {
  /** 0 for any port that is free. */
  readonly port: number;
  readonly queuesDir?: string | undefined;
  readonly dataDir?: string | undefined;
  readonly secretsFile?: string | undefined;
  readonly log?: ((line: LogLine) => void) | undefined;
}

/** Synthesizes the app in this process and starts the local cloud from it. */
export async function startService({ queuesDir, ...options }: ServiceOptions): Promise<LocalCloud> {
  const { template, assetPathOf, outdir } = synthesize({ queuesDir });
  const removeAssets = () => rm(outdir, { recursive: true, force: true });
  try {
    const cloud = await startLocalCloud({ template, assetPathOf, ...options });
    return { ...cloud, stop: () => cloud.stop().finally(removeAssets) };
  } catch (error) {
    await removeAssets();
    throw error;
  }
}

/** Settles when the process is asked to end, by Ctrl-C, by a signal or by its terminal's end. */
function interruption(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  return promise;
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError(`Expected a port from 0 to 65535, got "${text}".`);
  }
  return port;
}
