import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A child process that does not outlive this one. */
export interface GuardedProcess {
  /** Settles when the process has ended, with the last lines it wrote. */
  readonly ended: Promise<string>;
  /** Ends the process; settles when it is gone. */
  stop(): Promise<void>;
}

/**
 * Starts a command that ends when `stop` is called or when this process dies, however it dies: a shell waits
 * for the end of its standard input, which the system closes with us, and then ends the command and removes
 * `scratchDir`. The command has its own session, so that a Ctrl-C meant for us does not reach it first.
 */
export function startGuarded(command: string, args: readonly string[], scratchDir = ''): GuardedProcess {
  const shell = spawn('/bin/sh', ['-c', GUARD, 'sh', scratchDir, command, ...args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = lastOutput(shell);
  // Writing to a shell that is already gone is no news: `ended` tells.
  shell.stdin?.on('error', () => {});
  const ended = Promise.race([
    once(shell, 'exit').then(output),
    once(shell, 'error').then(([error]) => String(error)),
  ]);
  return {
    ended,
    async stop() {
      shell.stdin?.end();
      const kill = setTimeout(() => killSession(shell), STOP_GRACE_MS);
      await ended;
      clearTimeout(kill);
    },
  };
}

const STOP_GRACE_MS = 5_000;

/**
 * Descriptor 3 is our pipe: a shell gives background commands /dev/null as standard input. SIGPIPE is ignored
 * because the shell may have something to say when nobody listens any more.
 */
const GUARD = `
trap '' PIPE
scratch=$1; shift
exec 3<&0
"$@" 3<&- & child=$!
(cat <&3 >/dev/null; kill -TERM $child) 2>/dev/null & watcher=$!
wait $child; status=$?
kill $watcher 2>/dev/null
[ -z "$scratch" ] || rm -rf -- "$scratch"
exit $status
`;

function killSession(shell: ChildProcess): void {
  try {
    if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
  } catch {
    // It ended in between.
  }
}

function lastOutput(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-2_000);
    });
  }
  return () => text.trim();
}
