import { existsSync } from 'node:fs';
import { Command } from '@commander-js/extra-typings';
import { Problem } from '../contract/problem.ts';
import type { LocalCloud } from '../local/local-cloud.ts';
import { LocalCloudError } from '../local/local-cloud-error.ts';
import { isFolder } from '../local/make-folder.ts';
import { readSecrets } from '../local/secrets.ts';
import { askOf, queuesOf } from './client.ts';
import { codeOption } from './code-option.ts';
import { portNumber, startLocalConsole } from './console.ts';
import { contextOption } from './context-option.ts';
import { ErrorLines } from './error-lines.ts';
import { Failure, InvalidInput } from './failure.ts';
import type { OptionsOf } from './input.ts';
import { INTERRUPTED_STATUS, interruption, startUnless } from './interruption.ts';
import { readJson } from './json-file.ts';
import { missingSecrets, serveGuide } from './serve-guide.ts';

/** The command `serve`: runs the whole service on this machine until it is interrupted. */
export const serveCommand = () => withOptions(new Command('serve')).action(serve);

type ServeOptions = OptionsOf<typeof withOptions>;

function withOptions(command: Command) {
  return command
    .summary('run the whole service on this machine')
    .description(
      'Runs the service on this machine, built from the template that cdk deploy deploys. Prints one line with its ' +
        'URL to standard output when it is ready, and on a terminal also the queues and a request to try. Ctrl-C stops it.',
    )
    .option('--port <port>', 'port of the HTTP API on 127.0.0.1; 0 takes any free port', portNumber, 3000)
    .option('--queues <dir>', 'folder of queue definitions (default: queues in the repository)')
    .option(
      '--ladders <dir>',
      'folder of ladder definitions (default: ladders beside the folder of queues, if there is one)',
    )
    .option(
      '--data <dir>',
      'folder that stores tables and queues for the next start (default: nothing is stored)',
    )
    .option('--secrets <file>', 'JSON file with the name and value of each secret (default: no secrets)')
    .option('--jwt-issuer <url>', 'require tokens of this issuer (default: every request is authorized)')
    .option('--jwt-audience <names>', 'accepted audiences of the tokens, separated by commas')
    .option('--jwt-keys <file>', 'JSON Web Key Set of the issuer (default: fetched from the issuer)')
    .addOption(codeOption())
    .addOption(contextOption())
    .option('--aws-delays', 'wait as long as AWS takes for each step (default: no delays)')
    .option('--no-console', 'do not start the console (default: started on port 3001, or any free port)')
    .option('--verbose', 'print the logs of the functions to standard error');
}

async function serve(options: ServeOptions): Promise<void> {
  const interrupted = interruption();
  const people = process.stdout.isTTY === true;
  if (people) console.error('Starting …');
  const cloud = await startUnless(interrupted, () => start(options));
  if (cloud === undefined) {
    process.exitCode = INTERRUPTED_STATUS;
    return;
  }
  // Programs wait for this line, so a pipe receives only this line.
  console.log(`Muster is ready at ${cloud.url}`);
  // With tokens required, the requests in the guide and in the console would be rejected.
  const isOpen = options.jwtIssuer === undefined;
  const page = options.console && isOpen ? await startLocalConsole(cloud.url) : undefined;
  const queues = isOpen ? await queuesOf(await askOf({ url: cloud.url })) : [];
  for (const line of missingSecrets(queues, cloud.secrets, options.secrets)) console.error(line);
  if (people && isOpen) {
    console.log(serveGuide(cloud.url, queues, { dataDir: options.data, consoleUrl: page?.url }));
  } else if (page !== undefined) console.error(`The console is at ${page.url}`);
  await interrupted;
  await page?.stop();
  await cloud.stop();
}

/** @throws Failure | InvalidInput | Problem */
async function start(options: ServeOptions): Promise<LocalCloud> {
  const { port, queues, ladders, data, secrets, code, awsDelays, verbose } = options;
  const context = { ...options.context, ...(code !== undefined && { code }) };
  // The folder of the data may not be there yet.
  const stored = data !== undefined && existsSync(data) ? data : undefined;
  for (const [option, dir] of Object.entries({ '--queues': queues, '--ladders': ladders, '--data': stored }))
    if (dir !== undefined && !isFolder(dir))
      throw new InvalidInput(`${option}: Expected a folder, got ${dir}`);
  if (secrets !== undefined) await readSecrets(checkedJson(secrets));
  const authorization = await authorizationOf(options);
  const errors = new ErrorLines();
  // Imported on demand because the CDK takes a second to load.
  const { startMuster } = await import('../local/start-muster.ts');
  try {
    return await startMuster({
      port,
      queuesDir: queues,
      laddersDir: ladders,
      dataDir: data,
      secretsFile: secrets,
      context,
      ...authorization,
      awsDelays,
      log: ({ source, line }) => {
        const printed = verbose || source === 'local cloud' ? `${source}: ${line}` : errors.of(source, line);
        if (printed !== undefined) console.error(printed);
      },
    });
  } catch (error) {
    if ([InvalidInput, LocalCloudError, Problem].some((kind) => error instanceof kind)) throw error;
    throw new Failure(`The service did not start: ${(error as Error).message}`);
  }
}

/** The file, if it has JSON. @throws InvalidInput with the place of a syntax error */
function checkedJson(file: string): string {
  readJson(file);
  return file;
}

/** The options that make the local cloud require tokens; empty without an issuer. */
async function authorizationOf({ jwtIssuer: issuer, jwtAudience: audience, jwtKeys: keys }: ServeOptions) {
  if (issuer === undefined && audience === undefined && keys === undefined) return {};
  if (issuer === undefined || audience === undefined) {
    const missing = issuer === undefined ? '--jwt-issuer' : '--jwt-audience';
    throw new InvalidInput(`expected --jwt-issuer and --jwt-audience together, got no ${missing}`);
  }
  if (!issuer.startsWith('https://')) {
    throw new InvalidInput(`--jwt-issuer: expected an https URL, got "${issuer}"`);
  }
  // Imported on demand because most starts need no tokens.
  const { discoveringVerifier, readKeySet, verifierOf } = await import('../local/token-verifier.ts');
  return {
    jwt: { issuer, audience: audience.split(',').map((name) => name.trim()) },
    verifyToken: keys === undefined ? discoveringVerifier() : verifierOf(await readKeySet(checkedJson(keys))),
  };
}
