import { type ChildProcess, execFile, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderOfRun } from '../folder-of-run.ts';
import type { Asked, Run } from './muster-process.ts';

const MUSTER = fileURLToPath(new URL('../../lib/cli/muster.ts', import.meta.url));
const PROCESS = fileURLToPath(new URL('./muster-process.ts', import.meta.url));

/**
 * Runs `muster` to its end. The runs of a test file take turns in one process, because loading the modules takes longer than
 * most commands.
 */
export function muster(...args: string[]): Promise<Run> {
  commands ??= startCommands();
  const child = commands;
  const id = ++asked;
  return new Promise((resolve, reject) => {
    const received = (result: { readonly id: number; readonly run: Run }) => {
      if (result.id !== id) return;
      child.off('message', received).off('exit', ended);
      resolve({ ...result.run, stderr: result.run.stderr.replace(PROGRESS, '') });
    };
    const ended = (status: number | null) => {
      commands = undefined;
      reject(new Error(`Expected muster ${args.join(' ')} to return, but it ended its process: ${status}`));
    };
    child.on('message', received).on('exit', ended);
    child.send({ id, args } satisfies Asked);
  });
}

/** What a command that takes longer than ten seconds prints, as on a busy machine. */
const PROGRESS = /^[^:\n]+: \d+ %\n/gm;

/** Ends with this process. */
let commands: ChildProcess | undefined;
let asked = 0;

function startCommands(): ChildProcess {
  const child = fork(PROCESS, { execArgv: [], stdio: 'inherit' }).setMaxListeners(0);
  child.unref();
  child.channel!.unref();
  return child;
}

/** Runs `muster` to its end in a process of its own, as a shell does. */
export function musterProcess(...args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MUSTER, ...args], { encoding: 'utf8' }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

/** A file that is removed after the run of the tests. Text is written unchanged, other content as JSON. */
export function file(name: string, content: unknown): string {
  folder ??= mkdtempSync(join(folderOfRun(), 'cli-'));
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

let folder: string | undefined;
