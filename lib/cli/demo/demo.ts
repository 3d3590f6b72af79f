import { styleText } from 'node:util';
import { Command } from '@commander-js/extra-typings';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { seededRandom } from '../../simulation/random.ts';
import { askOf, queuesOf } from '../client.ts';
import { codeOption } from '../code-option.ts';
import { startLocalConsole } from '../console.ts';
import { Failure, InvalidInput } from '../failure.ts';
import { numberArgument, type OptionsOf, positiveNumber, wholeNumber } from '../input.ts';
import { INTERRUPTED_STATUS, interruption, outputClosed, startUnless } from '../interruption.ts';
import { nothingSeen, pause, playBackend, type QueueSeen } from './game-backend.ts';
import { latestMatch } from './latest-match.ts';
import { playerNames } from './player-names.ts';
import { HOSTED_QUEUE, PUT_LADDER, RATED_QUEUE } from './queues.ts';
import { demoSummary } from './summary.ts';
import { demoTable, LEGEND } from './table.ts';

/** On a terminal the table is redrawn this often. */
const REDRAW_MS = 500;
/** Elsewhere it is printed this often. */
const REPRINT_MS = 3_000;
/** Timers count milliseconds in 31 bits. */
const SECONDS_MAX = 2_147_483;

/** The command `demo`: simulates a game backend against a running service or one that it starts. */
export const demoCommand = () => withOptions(new Command('demo')).action(demo);

type DemoOptions = OptionsOf<typeof withOptions>;

function withOptions(command: Command) {
  return command
    .summary('simulate a game backend and watch the matches')
    .description(
      'Posts tickets of a plausible population (solos and parties, roles where the queue has them), accepts matches ' +
        'where the queue asks for it, and shows them. Without --url it starts the service on this machine with the queues of ./queues and two ' +
        'of its own: hosted, with game servers, and ranked, with a ladder. Ctrl-C stops it.',
    )
    .option(
      '--url <url>',
      'a running service; requests to AWS are signed with the credentials that the AWS CLI would use (default: start one)',
    )
    .option('--rate <players>', 'players per second, all queues together', positiveNumber, 20)
    .option('--queue <name>', 'only this queue (default: all queues of the service)')
    .option(
      '--seconds <seconds>',
      'stop after this time (default: at Ctrl-C)',
      numberArgument({
        expected: `a number above 0, at most ${SECONDS_MAX} seconds (24 days)`,
        holds: (seconds) => seconds > 0 && seconds <= SECONDS_MAX,
      }),
    )
    .option('--seed <number>', 'seed of the population', wholeNumber(), 1)
    .addOption(codeOption())
    .option('--no-console', 'do not start the console (default: started with the service)');
}

async function demo(options: DemoOptions): Promise<void> {
  const stop = new AbortController();
  const interrupted = interruption();
  void Promise.race([interrupted, outputClosed()]).then(() => stop.abort());
  if (options.url !== undefined) {
    await play({ url: options.url }, options, stop);
    return;
  }
  const cloud = await startUnless(interrupted, () => startOwnCloud(options.code));
  if (cloud === undefined) {
    process.exitCode = INTERRUPTED_STATUS;
    return;
  }
  const page = options.console ? await startLocalConsole(cloud.url) : undefined;
  try {
    if (!stop.signal.aborted)
      await play({ url: cloud.url, isOwn: true, consoleUrl: page?.url }, options, stop);
  } finally {
    await page?.stop();
    await cloud.stop();
  }
}

/** Imported on demand because the CDK takes a second to load. */
async function startOwnCloud(code: string | undefined) {
  console.log('Starting the service on this machine …');
  const { startMuster } = await import('../../local/start-muster.ts');
  return startMuster({ port: 0, ...(code !== undefined && { context: { code } }) });
}

interface PlayedService {
  readonly url: string;
  /** Whether the demo has started it, so there are no other players in its queues. */
  readonly isOwn?: boolean;
  readonly consoleUrl?: string | undefined;
}

async function play(
  { url, isOwn = false, consoleUrl }: PlayedService,
  { rate, queue, seconds, seed }: DemoOptions,
  stop: AbortController,
): Promise<void> {
  const ask = await askOf({ url });
  const stored = await queuesOf(ask);
  const added = isOwn
    ? [HOSTED_QUEUE, RATED_QUEUE].filter((one) => stored.every(({ name }) => name !== one.name))
    : [];
  const queues = chosenQueues([...stored, ...added], queue, url);
  const ends = seconds === undefined ? 'Ctrl-C stops it' : `for ${seconds} s`;
  const heading = [
    `Posting ${rate} players a second to ${url}, ${ends}`,
    ...(consoleUrl === undefined ? [] : [`Watch it in a browser at ${styleText('bold', consoleUrl)}`]),
  ];
  console.log(heading.join('\n'));
  const random = seededRandom(seed);
  const nextName = playerNames(random.fork('names'));
  const backends = queues.map((definition) => ({
    ask,
    definition,
    rate: rate / queues.length,
    random: random.fork(definition.name),
    nextName,
    signal: stop.signal,
    seen: nothingSeen(definition.name, {
      withServers: added.includes(definition) && 'provisioner' in definition,
    }),
  }));
  const seen = backends.map((backend) => backend.seen);
  const startMs = performance.now();
  const timer = seconds === undefined ? undefined : setTimeout(() => stop.abort(), seconds * 1_000);
  try {
    await Promise.all([
      show(seen, heading, stop.signal),
      ...backends.map(async (backend) => {
        try {
          const { definition } = backend;
          if (definition === RATED_QUEUE) await ask((client) => client.request(PUT_LADDER));
          if (added.includes(definition)) await ask((client) => client.queues.put(definition));
          await playBackend(backend);
        } catch (error) {
          stop.abort();
          throw error;
        }
      }),
    ]);
  } finally {
    clearTimeout(timer);
  }
  // Show the final state, which includes the responses to the last requests.
  print(heading, seen);
  const summary = demoSummary(seen, performance.now() - startMs);
  console.log(
    ['', ...summary.map((line) => (line.startsWith(' ') ? line : styleText('bold', line)))].join('\n'),
  );
}

/** @throws Failure | InvalidInput when there is no queue, or none of this name */
function chosenQueues(
  all: readonly QueueDefinition[],
  name: string | undefined,
  url: string,
): QueueDefinition[] {
  const queues = all.filter((one) => name === undefined || one.name === name);
  if (queues.length > 0) return queues;
  if (name === undefined)
    throw new Failure(
      `The service at ${url} has no queues. Put a definition in its folder, or PUT /queues/NAME.`,
    );
  throw new InvalidInput(
    `Expected --queue to be one of ${all.map((one) => one.name).join(', ')}, got ${name}`,
  );
}

/** Shows the table until the signal aborts. */
async function show(
  seen: readonly QueueSeen[],
  heading: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  while (await pause(isLive() ? REDRAW_MS : REPRINT_MS, signal)) print(heading, seen);
}

/** Whether the output is a terminal whose screen can be cleared. */
const isLive = () => process.stdout.isTTY === true && process.env.TERM !== 'dumb';

/** Prints the state in place of the screen of a terminal, with the heading, or below the output before it. */
function print(heading: readonly string[], seen: readonly QueueSeen[]): void {
  const lines = isLive() ? ['\x1b[H\x1b[J', ...heading, ...frame(seen)] : frame(seen);
  process.stdout.write(`${lines.join('\n')}\n`);
}

function frame(seen: readonly QueueSeen[]): string[] {
  const [names, units, ...rows] = demoTable(seen, Date.now());
  const latest = seen
    .flatMap(({ matches }) => matches.slice(-1))
    .toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))[0];
  const server = seen.map(({ servers }) => servers?.get(latest?.matchId ?? '')).find(Boolean);
  const lines = latest === undefined ? ['latest match: none yet'] : latestMatch(latest, server);
  return [
    '',
    styleText('bold', names!),
    styleText('dim', units!),
    ...rows,
    styleText('dim', LEGEND),
    '',
    ...lines,
  ];
}
