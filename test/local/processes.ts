import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Only Linux has `/proc`. */
export const isLinux = process.platform === 'linux';

/** The state of a process as a letter, its parent, and more: see `man 5 proc_pid_stat`. @throws when there is no such process */
function statusOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the command before it may have brackets and spaces.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** The process ids of all descendants of a process. */
export function descendants({ pid }: ChildProcess): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      parents.set(Number(entry), Number(statusOf(Number(entry))[1]));
    } catch {
      // The process has already ended.
    }
  }
  const found = [pid!];
  for (const id of found)
    found.push(...[...parents].filter(([, parent]) => parent === id).map(([child]) => child));
  return found.slice(1);
}

/** A process that has ended is a zombie until its new parent looks, which the first process of some containers never does. */
export function isGone(pid: number): boolean {
  try {
    return statusOf(pid)[0] === 'Z';
  } catch {
    return true;
  }
}
