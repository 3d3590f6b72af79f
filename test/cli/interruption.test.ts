import { describe, expect, it, vi } from 'vitest';
import { startUnless } from '../../lib/cli/interruption.ts';

const never = new Promise<void>(() => {});

describe('a service that starts', () => {
  it('is returned when nothing interrupts the process', async () => {
    const service = { stop: async () => {} };
    expect(await startUnless(never, async () => service)).toBe(service);
  });

  it('is stopped when the process was interrupted meanwhile', async () => {
    const stop = vi.fn(async () => {});
    expect(await startUnless(Promise.resolve(), async () => ({ stop }))).toBeUndefined();
    expect(stop).toHaveBeenCalledOnce();
  });

  it('may fail after an interruption, because its child processes are interrupted too', async () => {
    const start = () => Promise.reject(new Error('the bundler was stopped'));
    expect(await startUnless(Promise.resolve(), start)).toBeUndefined();
    await expect(startUnless(never, start)).rejects.toThrow('the bundler was stopped');
  });
});
