import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startGuarded } from '../../lib/local/guarded-process.ts';
import { newDir, until } from './fixtures.ts';

/** A command that prints a last line when it is terminated, as an emulator does. */
const COMMAND = ['-c', 'trap "echo bye; exit 7" TERM; echo up; while :; do sleep 0.01; done'];

test('a guarded process ends when it is stopped, and its scratch directory is deleted', async () => {
  const scratchDir = newDir();
  const guarded = startGuarded('/bin/sh', COMMAND, scratchDir);
  await guarded.stop();
  expect(existsSync(scratchDir)).toBe(false);
});

test('a guarded process that ends by itself reports the last lines it wrote', async () => {
  const guarded = startGuarded('/bin/sh', ['-c', 'echo "no port" >&2; exit 1']);
  expect(await guarded.ended).toBe('no port');
  await guarded.stop();
});

test('a guarded process needs no command of PATH', async () => {
  vi.stubEnv('PATH', '/nonexistent');
  const guarded = startGuarded(process.execPath, ['-e', 'setTimeout(() => console.log("done"), 50)']);
  expect(await guarded.ended).toBe('done');
});

test('a guarded process ends when its parent is killed, and its scratch directory is deleted', async () => {
  const scratchDir = newDir();
  const module = new URL('../../lib/local/guarded-process.ts', import.meta.url).href;
  const source = `
    const { startGuarded } = await import('${module}');
    startGuarded('/bin/sh', ${JSON.stringify(COMMAND)}, '${scratchDir}');
    console.log('started');`;
  const starter = spawn(process.execPath, ['--input-type=module', '-e', source]);
  onTestFinished(() => void starter.kill('SIGKILL'));
  await once(starter.stdout, 'data');
  starter.kill('SIGKILL');
  await until(() => !existsSync(scratchDir));
});
