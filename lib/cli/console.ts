import { Command } from '@commander-js/extra-typings';
import type { Console } from '../console/console-server.ts';
import { type ServiceOptions, withService } from './client.ts';
import { Failure } from './failure.ts';
import { numberArgument } from './input.ts';
import { interruption } from './interruption.ts';
import { serviceCredentials } from './service-credentials.ts';

const PORT = 3001;

/** The command `console`: serves the console of a running service on this machine until it is interrupted. */
export function consoleCommand(): Command {
  return withService(new Command('console'))
    .summary('watch and change the queues of a running service in a browser')
    .description(
      'Serves the console on 127.0.0.1 and passes its requests on to the service. Requests to AWS are signed with the ' +
        'credentials that the AWS CLI would use, so the console may do what their owner may do. Ctrl-C stops it.',
    )
    .option('--port <port>', 'port of the console on 127.0.0.1; 0 takes any free port', portNumber, PORT)
    .action(async ({ url, port, token }) => {
      const interrupted = interruption();
      const page = await startOn({ url, token }, port);
      if (page === undefined) throw new Failure(`Port ${port} is in use: choose another with --port.`);
      console.log(`The console is at ${page.url}`);
      await interrupted;
      await page.stop();
    });
}

/** Starts the console of a service on this machine, on the console's own port or, if it is in use, on any free one. */
export async function startLocalConsole(url: string): Promise<Console> {
  return (await startOn({ url }, PORT)) ?? (await startOn({ url }, 0))!;
}

/**
 * @returns undefined when the port is in use
 * @throws InvalidInput when the service needs credentials and there are none
 */
async function startOn({ url, token }: ServiceOptions, port: number): Promise<Console | undefined> {
  const credentials = await serviceCredentials(url, token);
  // Imported on demand: most commands start no console.
  const [{ startConsole }, { connectTo }] = await Promise.all([
    import('../console/console-server.ts'),
    import('../console/service-connection.ts'),
  ]);
  try {
    return await startConsole({ port, service: connectTo({ url, credentials }), serviceUrl: url });
  } catch (error) {
    if (['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Parses a port option. */
export const portNumber = numberArgument({
  expected: 'a port from 0 to 65535',
  holds: (port) => Number.isInteger(port) && port >= 0 && port <= 65_535,
});
