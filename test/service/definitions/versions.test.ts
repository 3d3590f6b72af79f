import { beforeAll, describe, expect, it } from 'vitest';
import { queueStore } from '../../../lib/aws/queue-store.ts';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { listVersions, restoreVersion } from '../../../lib/service/definitions/versions.ts';
import type { QueueStore } from '../../../lib/service/ports/queue-store.ts';
import { deleteQueue } from '../../../lib/service/queues/queue-definitions.ts';
import { startTables } from '../../aws/emulated-tables.ts';
import { NOW_MS } from '../../aws/samples.ts';
import { definition, putQueue, queuesWithoutLadders } from '../definitions.ts';

describe('the versions of a definition', () => {
  let queues: QueueStore;
  let count = 0;
  beforeAll(async () => {
    const tables = await startTables('memory');
    queues = queueStore(tables.client(), tables.names.queues);
  });

  /** A queue whose definition was put with these time-outs, a second apart. */
  async function changed(...timeouts: number[]) {
    const name = `queue-${++count}`;
    const put = (timeoutSeconds: number, nowMs: number, changes: Partial<QueueDefinition> = {}) =>
      putQueue(queues, definition({ name, timeoutSeconds, ...changes }), nowMs, { by: 'ann' });
    for (const [i, timeout] of timeouts.entries()) await put(timeout, NOW_MS + i * 1_000);
    const versions = async () =>
      (await listVersions(queuesWithoutLadders(queues), name)).map((one) => [
        one.version,
        one.definition.timeoutSeconds,
      ]);
    const restore = (version: number) =>
      restoreVersion(queuesWithoutLadders(queues), name, version, NOW_MS + 99_000, { by: 'bob' });
    return { name, put, versions, restore };
  }

  it('are listed newest first, with the time and the author of each', async () => {
    const { name } = await changed(10, 20);
    expect(await listVersions(queuesWithoutLadders(queues), name)).toEqual([
      {
        version: 2,
        changedAt: new Date(NOW_MS + 1_000).toISOString(),
        changedBy: 'ann',
        etag: expect.stringMatching(/^"2-[\w-]{10}"$/),
        definition: definition({ name, timeoutSeconds: 20 }),
      },
      {
        version: 1,
        changedAt: new Date(NOW_MS).toISOString(),
        changedBy: 'ann',
        etag: expect.stringMatching(/^"1-[\w-]{10}"$/),
        definition: definition({ name, timeoutSeconds: 10 }),
      },
    ]);
  });

  it('do not grow when the same definition is put again', async () => {
    const { put, versions } = await changed(10);
    await put(10, NOW_MS + 5_000);
    expect(await versions()).toEqual([[1, 10]]);
  });

  it('are at most 50, of any number of changes', async () => {
    const { versions } = await changed(...Array.from({ length: 60 }, (_, i) => i + 1));
    expect(await versions()).toEqual(Array.from({ length: 50 }, (_, i) => [60 - i, 60 - i]));
  });

  it('are restored as a new version, and a repeated request changes nothing', async () => {
    const { restore, versions } = await changed(10, 20, 30);
    const first = await restore(1);
    expect(first).toMatchObject({
      isChanged: true,
      inForce: { version: 4, changedBy: 'bob', restored: 1, definition: { timeoutSeconds: 10 } },
    });
    expect(await restore(1)).toEqual({ ...first, isChanged: false });
    expect(await restore(4)).toEqual({ ...first, isChanged: false });
    expect(await versions()).toEqual([
      [4, 10],
      [3, 30],
      [2, 20],
      [1, 10],
    ]);
  });

  it('are one version each when two callers change the definition at the same time', async () => {
    const { put, versions } = await changed(10);
    await Promise.all([put(20, NOW_MS + 5_000), put(30, NOW_MS + 5_000)]);
    const found = await versions();
    expect(found.map(([version]) => version)).toEqual([3, 2, 1]);
    expect(found.map(([, timeout]) => timeout).sort()).toEqual([10, 20, 30]);
  });

  it('contain the one in force once when a change has kept it and then crashed', async () => {
    const { name, versions } = await changed(10, 20);
    const { definition: inForce, change } = (await queues.get(name))!;
    await queues.keep({ definition: inForce, change: change! });
    expect(await versions()).toEqual([
      [2, 20],
      [1, 10],
    ]);
  });

  it('begin with a definition of an earlier version of Muster, whose author is unknown', async () => {
    const name = `queue-${++count}`;
    const layouts = [{ version: 1, boundaries: [], fromMs: 0 }];
    const stored = { definition: definition({ name, timeoutSeconds: 10 }), version: 1, layouts };
    await queues.put({ ...stored, awakeUntilMs: 0, sentUntilMs: 0 });
    await putQueue(queues, definition({ name, timeoutSeconds: 20 }), NOW_MS);
    expect(await listVersions(queuesWithoutLadders(queues), name)).toMatchObject([
      { version: 2, changedBy: null, definition: { timeoutSeconds: 20 } },
      { version: 1, changedAt: null, changedBy: null, definition: { timeoutSeconds: 10 } },
    ]);
  });

  it('continue when a deleted queue is created again, and are unknown while it is deleted', async () => {
    const { name, put, versions, restore } = await changed(10);
    await deleteQueue(queues, name, NOW_MS + 5_000);
    await expect(versions()).rejects.toThrow(expect.objectContaining({ status: 404 }));
    await expect(restore(1)).rejects.toThrow(expect.objectContaining({ status: 404 }));
    await put(20, NOW_MS + 9_000);
    expect(await versions()).toEqual([
      [2, 20],
      [1, 10],
    ]);
  });

  it('are not restored when they are unknown, or break a rule that the deployment has today', async () => {
    const { name, put, restore } = await changed(10);
    await expect(restore(2)).rejects.toThrow(expect.objectContaining({ status: 404 }));
    const webhooks = [{ url: 'https://other.example', secret: 'someone-elses/secret' }];
    await put(20, NOW_MS + 5_000, { webhooks });
    await put(30, NOW_MS + 6_000);
    await expect(restore(2)).rejects.toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining('/webhooks/0/secret') }),
    );
    expect((await queues.get(name))!.definition.timeoutSeconds).toBe(30);
  });
});
