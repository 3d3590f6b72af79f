import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { NO_DELAYS } from '../../lib/local/aws-delays.ts';
import { makeWorkerPool, type WorkerPool } from '../../lib/local/worker-pool.ts';
import { newDir, until, writeCode } from './fixtures.ts';

const dir = newDir();
/** A worker that names itself, or waits for the gate and fails when an invocation begins in another; one whose start waits for the gate. */
const codeOf = writeCode(dir, {
  Gate: `
    const worker = Math.random();
    let running = 0;
    export const handler = async ({ gated }) => {
      if (++running > 1) throw new Error('two invocations at once');
      if (gated) await fetch(process.env.GATE);
      running--;
      return worker;
    };`,
  Slow: `
    await fetch(process.env.GATE);
    export const handler = async () => 1;`,
  Priority: `
    import { getPriority } from 'node:os';
    export const handler = async () => getPriority();`,
});

/** Requests that the gate holds. */
const held: ServerResponse[] = [];
let heldMax = 0;
/** The gate opens when this many invocations wait at it at once. */
let opensAt = 1;
const gate = createServer((_, response) => {
  held.push(response);
  heldMax = Math.max(heldMax, held.length);
  if (held.length === opensAt) for (const one of held.splice(0)) one.end();
});

beforeAll(async () => {
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
});
afterAll(() => {
  gate.closeAllConnections();
  gate.close();
  rmSync(dir, { recursive: true });
});

async function withPool(
  patienceMs: number | undefined,
  use: (pool: WorkerPool) => Promise<void>,
  { code = 'Gate', starts = () => {}, ended = () => {} } = {},
): Promise<void> {
  const pool = makeWorkerPool({
    start: {
      file: `${codeOf(code)}/index.mjs`,
      exportName: 'handler',
      name: 'f',
      arn: 'arn',
      memoryMb: 128,
      isBackground: false,
    },
    environment: { GATE: `http://127.0.0.1:${(gate.address() as AddressInfo).port}/` },
    timeoutMs: 60_000,
    patienceMs,
    delays: {
      ...NO_DELAYS,
      // The pool asks for the delay of each start.
      ms: () => {
        starts();
        return 0;
      },
    },
    log: () => {},
    ended,
  });
  try {
    await use(pool);
  } finally {
    await pool.stop();
  }
}

/** Runs invocations at once. Returns the names of their workers. */
async function workersOf(pool: WorkerPool, invocations: number, gated: boolean): Promise<Set<unknown>> {
  const runs = Array.from({ length: invocations }, () => pool.run(JSON.stringify({ gated })));
  const results = await Promise.all(runs);
  expect(results.filter(({ ok }) => !ok)).toEqual([]);
  return new Set(results.map((result) => (result.ok ? result.payload : undefined)));
}

describe('the workers of a function', () => {
  test('are no more than one while invocations end before the patience with it', async () => {
    await withPool(2 ** 30, async (pool) => {
      expect((await workersOf(pool, 40, false)).size).toBe(1);
    });
    // What they compiled is removed with the bundles.
    expect(existsSync(join(dir, 'compiled'))).toBe(true);
  });

  test('are as many as the invocations that wait for something, each with one at a time', async () => {
    opensAt = 4;
    heldMax = 0;
    await withPool(1, async (pool) => {
      expect((await workersOf(pool, 4, true)).size).toBe(4);
    });
    expect(heldMax).toBe(4);
  });

  test('are not started while the first one starts, however long invocations wait for it', async () => {
    let nowMs = 1;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    onTestFinished(() => clock.mockRestore());
    opensAt = Number.POSITIVE_INFINITY;
    let workers = 0;
    const use = async (pool: WorkerPool) => {
      const waiting = [pool.run('{}'), pool.run('{}')];
      await until(() => held.length === 1);
      nowMs += 60_000;
      waiting.push(pool.run('{}'));
      // The pool looks at an invocation a moment after it comes.
      await Promise.resolve();
      await Promise.resolve();
      expect(workers).toBe(1);
      for (const one of held.splice(0)) one.end();
      await Promise.all(waiting);
    };
    await withPool(undefined, use, {
      code: 'Slow',
      starts: () => {
        workers += 1;
      },
    });
  });

  test('are not started for invocations that wait less long than the last start took', async () => {
    let nowMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    onTestFinished(() => clock.mockRestore());
    let workers = 0;
    const use = async (pool: WorkerPool) => {
      await workersOf(pool, 1, false);
      await workersOf(pool, 40, false);
      expect(workers).toBe(1);
    };
    await withPool(undefined, use, {
      // The start of a worker takes a minute, and each invocation a tenth of a second.
      starts: () => {
        workers += 1;
        nowMs += 60_000;
      },
      ended: () => {
        nowMs += 100;
      },
    });
  });
});

test.skipIf(process.platform !== 'linux')(
  'a function in the background leaves the processor to others',
  async () => {
    const priorityOf = async (isBackground: boolean) => {
      const file = `${codeOf('Priority')}/index.mjs`;
      const pool = makeWorkerPool({
        start: { file, exportName: 'handler', name: 'f', arn: 'arn', memoryMb: 128, isBackground },
        environment: {},
        timeoutMs: 60_000,
        delays: NO_DELAYS,
        log: () => {},
        ended: () => {},
      });
      onTestFinished(() => pool.stop());
      const result = await pool.run('{}');
      if (!result.ok) throw new Error(result.errorMessage);
      return result.payload as number;
    };
    const own = getPriority();
    expect(await priorityOf(false)).toBe(own);
    expect(await priorityOf(true)).toBe(Math.max(own, constants.priority.PRIORITY_BELOW_NORMAL));
    expect(getPriority()).toBe(own);
  },
);
