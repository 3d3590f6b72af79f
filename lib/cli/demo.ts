import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { seededRandom } from '../simulation/random.ts';
import { musterClient } from './client.ts';
import { demoTable } from './demo-table.ts';
import { Failure, InvalidInput } from './failure.ts';
import { nothingSeen, playBackend, type QueueSeen } from './game-backend.ts';
import { positiveNumber, wholeNumber } from './input.ts';
import { interruption } from './interruption.ts';

interface DemoOptions {
  url?: string;
  rate: number;
  queue?: string;
  seconds?: number;
  seed: number;
}

/** On a terminal the table is drawn anew this often; elsewhere it is printed less often. */
const REDRAW_MS = 500;
const REPRINT_MS = 10_000;

/** Plays a game backend against a running service, or against one of its own. */
export function demoCommand(): Command {
  return new Command('demo')
    .summary('play a game backend and watch the matches')
    .description(
      'Posts players of a plausible population (solos and parties, roles where the queue has them) to a running ' +
        'service and shows what becomes of them. Without --url it starts the local cloud with the queues of ./queues.',
    )
    .option(
      '--url <url>',
      'a running service; requests to AWS are signed with the credentials in the environment',
    )
    .option('--rate <players>', 'players per second, over all queues together', positiveNumber, 20)
    .option('--queue <name>', 'only this queue (default: all the service has)')
    .option('--seconds <n>', 'stop after this time (default: at Ctrl-C)', positiveNumber)
    .option('--seed <n>', 'seed of the population', wholeNumber, 1)
    .action(async (options: DemoOptions) => {
      const stop = new AbortController();
      void interruption().then(() => stop.abort());
      const cloud = options.url === undefined ? await startOwnCloud() : undefined;
      try {
        if (!stop.signal.aborted) await play(options.url ?? cloud!.url, options, stop);
      } finally {
        await cloud?.stop();
      }
    });
}

/** Imported when it is needed: the CDK takes a second to load. */
async function startOwnCloud() {
  console.log('Starting the local cloud …');
  const { startMuster } = await import('../local/start-muster.ts');
  return startMuster({ port: 0 });
}

async function play(
  url: string,
  { rate, queue, seconds, seed }: DemoOptions,
  stop: AbortController,
): Promise<void> {
  const client = musterClient(url);
  const all = await client.queues();
  const queues = queue === undefined ? all : all.filter(({ name }) => name === queue);
  if (queues.length === 0) {
    throw queue === undefined
      ? new Failure(
          `The service at ${url} has no queues. Put a definition in its folder, or PUT /queues/NAME.`,
        )
      : new InvalidInput(
          `Expected --queue to be one of ${all.map(({ name }) => name).join(', ')}, got ${queue}`,
        );
  }
  console.log(
    `Playing ${rate} players a second against ${url} for ${seconds ? `${seconds} s` : 'as long as you like; Ctrl-C ends it'}`,
  );
  const random = seededRandom(seed);
  const seen = queues.map(({ name }) => nothingSeen(name));
  const timer = seconds === undefined ? undefined : setTimeout(() => stop.abort(), seconds * 1_000);
  try {
    await Promise.all([
      show(seen, stop.signal),
      ...queues.map((definition, i) =>
        playBackend({
          client,
          definition,
          rate: rate / queues.length,
          random: random.fork(definition.name),
          signal: stop.signal,
          seen: seen[i]!,
        }).catch((error) => {
          stop.abort();
          throw error;
        }),
      ),
    ]);
  } finally {
    clearTimeout(timer);
  }
}

/** Draws the table over itself on a terminal, prints it now and then elsewhere, and once more at the end. */
async function show(seen: readonly QueueSeen[], signal: AbortSignal): Promise<void> {
  const terminal = process.stdout.isTTY === true;
  let drawn = 0;
  const draw = () => {
    const table = demoTable(seen);
    const back = terminal && drawn > 0 ? `\x1b[${drawn}A\x1b[J` : '';
    process.stdout.write(`${back}${table}\n`);
    drawn = table.split('\n').length;
  };
  while (!signal.aborted) {
    await sleep(terminal ? REDRAW_MS : REPRINT_MS, undefined, { signal }).catch(() => {});
    draw();
  }
}
