/** A process that runs commands of `muster` one after another, with its modules loaded once: see `muster.ts`. */
import { runMuster } from '../../lib/cli/program.ts';

/** A command line, with a number for its result. */
export interface Asked {
  readonly id: number;
  readonly args: readonly string[];
}

/** What a command did. */
export interface Run {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

process.once('disconnect', () => process.exit());
// Every command listens for signals until its process ends.
process.setMaxListeners(0);
let running: Promise<unknown> = Promise.resolve();
process.on('message', ({ id, args }: Asked) => {
  running = running.then(async () => process.send!({ id, run: await runOf(args) }));
});

async function runOf(args: readonly string[]): Promise<Run> {
  const stdout = captured(process.stdout);
  const stderr = captured(process.stderr);
  process.exitCode = 0;
  try {
    await runMuster(args);
    return { status: Number(process.exitCode), stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.exitCode = 0;
    for (const { release } of [stdout, stderr]) release();
  }
}

/** Keeps what is written to a stream instead. */
function captured(stream: NodeJS.WriteStream): { text(): string; release(): void } {
  const { write } = stream;
  let text = '';
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    return true;
  };
  return {
    text: () => text,
    release: () => {
      stream.write = write;
    },
  };
}
