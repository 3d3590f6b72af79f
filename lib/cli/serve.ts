import { existsSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { Problem } from '../contract/problem.ts';
import type { LocalCloud } from '../local/local-cloud.ts';
import { LocalCloudError } from '../local/local-cloud-error.ts';
import { readSecrets } from '../local/secrets.ts';
import { Failure, InvalidInput } from './failure.ts';
import { interruption } from './interruption.ts';

interface ServeOptions {
  readonly port: number;
  readonly queues?: string;
  readonly data?: string;
  readonly secrets?: string;
  readonly verbose?: boolean;
}

/** The whole service on this machine, until it is interrupted. */
export function serveCommand(): Command {
  return new Command('serve')
    .summary('run the whole service on this machine')
    .description(
      'Runs the service on this machine, made from the template that cdk deploy would deploy. ' +
        'Prints one line with its URL when it is ready; Ctrl-C ends it.',
    )
    .option(
      '--port <port>',
      'where the HTTP API answers, on 127.0.0.1; 0: any that is free',
      portNumber,
      3000,
    )
    .option('--queues <dir>', 'folder of queue definitions (default: queues of the checkout)')
    .option('--data <dir>', 'keep tables and queues here, and go on from there (default: start empty)')
    .option('--secrets <file>', 'JSON: the name of each secret and its value')
    .option('--verbose', 'show the logs of the functions on standard error')
    .action(serve);
}

async function serve(options: ServeOptions): Promise<void> {
  const interrupted = interruption();
  const cloud = await start(options);
  console.log(`Muster is ready at ${cloud.url}`);
  await interrupted;
  await cloud.stop();
}

/** @throws Failure | InvalidInput | Problem */
async function start({ port, queues, data, secrets, verbose }: ServeOptions): Promise<LocalCloud> {
  if (queues !== undefined && !existsSync(queues)) {
    throw new InvalidInput(`Expected --queues to be a folder, got "${queues}", which does not exist.`);
  }
  if (secrets !== undefined) await checkSecrets(secrets);
  // Imported when it is needed: the CDK takes a second to load.
  const { startMuster } = await import('../local/start-muster.ts');
  try {
    return await startMuster({
      port,
      queuesDir: queues,
      dataDir: data,
      secretsFile: secrets,
      log: ({ source, line }) => {
        if (verbose || source === 'local cloud') console.error(`${source}: ${line}`);
      },
    });
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (error instanceof LocalCloudError) throw new Failure(error.message);
    throw new Failure(`The service did not start: ${(error as Error).message}`);
  }
}

async function checkSecrets(file: string): Promise<void> {
  try {
    await readSecrets(file);
  } catch (error) {
    throw new InvalidInput((error as Error).message);
  }
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError(`Expected a port from 0 to 65535, got "${text}".`);
}
