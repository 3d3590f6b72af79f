import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A child process that does not outlive this one. */
export interface GuardedProcess {
  /** Resolves with the last lines of output when the process has ended. */
  readonly ended: Promise<string>;
  /** Ends the process. Settles when it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts a command that ends when `stop` is called or when this process dies for any reason. A shell waits for the
 * end of its standard input, which the system closes when this process ends. The shell then ends the command and
 * removes `scratchDir`. The command has its own session, so Ctrl-C does not reach it before this process.
 */
export function startGuarded(command: string, args: readonly string[], scratchDir = ''): GuardedProcess {
  const shell = spawn('/bin/sh', ['-c', GUARD, 'sh', scratchDir, command, ...args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = lastOutput(shell);
  // Ignore errors of writing to a shell that has ended: `ended` reports the end.
  shell.stdin?.on('error', () => {});
  const ended = Promise.race([
    // Not `exit`, after which the last lines of output may still come.
    once(shell, 'close').then(output),
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
 * Descriptor 3 is the pipe from this process, because a shell gives background commands /dev/null as standard input.
 * SIGPIPE is ignored because the shell may write after the reader has ended. With TMOUT `read` of bash would end by itself.
 */
const GUARD = `
trap '' PIPE
unset TMOUT
scratch=$1; shift
exec 3<&0
"$@" 3<&- & child=$!
(read -r _ <&3; kill -TERM $child) 2>/dev/null & watcher=$!
wait $child; status=$?
kill $watcher 2>/dev/null
[ -z "$scratch" ] || rm -rf -- "$scratch"
exit $status
`;

function killSession(shell: ChildProcess): void {
  try {
    if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
  } catch {
    // The process has already ended.
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
