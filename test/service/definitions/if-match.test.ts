import { beforeAll, describe, expect, it } from 'vitest';
import { queueStore } from '../../../lib/aws/queue-store.ts';
import { etagOf } from '../../../lib/service/definitions/etag.ts';
import { listVersions } from '../../../lib/service/definitions/versions.ts';
import { changeOf } from '../../../lib/service/domain/stored-definition.ts';
import type { QueueStore } from '../../../lib/service/ports/queue-store.ts';
import { deleteQueue } from '../../../lib/service/queues/queue-definitions.ts';
import { openQueue } from '../../../lib/service/queues/read-queues.ts';
import { startTables } from '../../aws/emulated-tables.ts';
import { NOW_MS } from '../../aws/samples.ts';
import { definition, putQueue, queuesWithoutLadders } from '../definitions.ts';

describe('a change with If-Match', () => {
  let queues: QueueStore;
  let count = 0;
  beforeAll(async () => {
    const tables = await startTables('memory');
    queues = queueStore(tables.client(), tables.names.queues);
  });

  const put = (name: string, timeoutSeconds: number, ifMatch?: string, by = 'ann') =>
    putQueue(queues, definition({ name, timeoutSeconds }), NOW_MS, { by }, ifMatch);
  const begun = async () => {
    const name = `queue-${++count}`;
    const { etag } = await put(name, 10);
    return { name, etag };
  };
  const inForce = async (name: string) => (await openQueue(queues, name)).definition.timeoutSeconds;

  it('replaces the version that it names, whose ETag PUT, GET and the list of versions agree on', async () => {
    const { name, etag } = await begun();
    const record = await openQueue(queues, name);
    expect(etagOf({ ...record, change: changeOf(record) })).toBe(etag);
    const next = await put(name, 20, etag);
    expect(next).toMatchObject({ outcome: 'changed' });
    expect((await listVersions(queuesWithoutLadders(queues), name)).map((one) => one.etag)).toEqual([
      next.etag,
      etag,
    ]);
  });

  it('is refused when another has come into force, and names both versions and who has put it', async () => {
    const { name, etag } = await begun();
    const { etag: newer } = await put(name, 20, undefined, 'bob');
    const refused = { status: 412, extensions: { etag: newer } };
    const promise = put(name, 30, etag);
    await expect(promise).rejects.toMatchObject(refused);
    await expect(promise).rejects.toThrow(
      `Version 2 of queue ${name} is in force since ${new Date(NOW_MS).toISOString()}, put by bob, and the request is for version 1.`,
    );
    await expect(deleteQueue(queues, name, NOW_MS, etag)).rejects.toMatchObject(refused);
    expect(await inForce(name)).toBe(20);
    await deleteQueue(queues, name, NOW_MS, newer);
    await expect(openQueue(queues, name)).rejects.toMatchObject({ status: 404 });
  });

  it('is refused with a weak ETag, and says that this is why', async () => {
    const { name, etag } = await begun();
    const promise = put(name, 20, `W/${etag}`);
    await expect(promise).rejects.toMatchObject({ status: 412, extensions: { etag } });
    await expect(promise).rejects.toThrow(/weak ETag, which never matches.*Send it without W\//);
    expect(await put(name, 20, `W/${etag}, ${etag}`)).toMatchObject({ outcome: 'changed' });
  });

  it('can be repeated when its response was lost', async () => {
    const { name, etag } = await begun();
    const first = await put(name, 20, etag);
    expect(await put(name, 20, etag)).toMatchObject({ outcome: 'unchanged', etag: first.etag });
    await deleteQueue(queues, name, NOW_MS, first.etag);
    await deleteQueue(queues, name, NOW_MS, first.etag);
  });

  it('lets one of two through that have read the same version', async () => {
    const { name, etag } = await begun();
    const results = await Promise.allSettled([20, 30, 40].map((seconds) => put(name, seconds, etag)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of results)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ status: 412 });
  });

  it('does not take a queue that was created again for the one before', async () => {
    const { name, etag } = await begun();
    await deleteQueue(queues, name, NOW_MS);
    await queues.remove((await queues.get(name))!);
    const { etag: other } = await put(name, 20);
    expect(other.slice(0, 2)).toBe(etag.slice(0, 2));
    await expect(put(name, 30, etag)).rejects.toMatchObject({ status: 412 });
  });

  it('takes a list of versions and *, and rejects what is neither', async () => {
    const { name, etag } = await begun();
    await put(name, 20, `"0-other", ${etag}`);
    await put(name, 30, '*');
    expect(await inForce(name)).toBe(30);
    await expect(put(name, 40, etag.replaceAll('"', ''))).rejects.toMatchObject({ status: 400 });
    await expect(put('never', 40, '*')).rejects.toMatchObject({ status: 412 });
    // A weak ETag matches nothing.
    const { etag: now } = await put(name, 50);
    await expect(put(name, 60, `W/${now}`)).rejects.toMatchObject({ status: 412 });
  });
});
