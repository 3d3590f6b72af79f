import { beforeEach, describe, expect, it } from 'vitest';
import { queueStore } from '../../../lib/aws/queue-store.ts';
import { Unreadable } from '../../../lib/service/domain/unreadable.ts';
import type { QueueStore } from '../../../lib/service/ports/queue-store.ts';
import { deleteQueue, listQueues } from '../../../lib/service/queues/queue-definitions.ts';
import { startTables } from '../../aws/emulated-tables.ts';
import { NOW_MS } from '../../aws/samples.ts';
import { definition, putQueue } from '../definitions.ts';

describe('queues', () => {
  let queues: QueueStore;
  beforeEach(async () => {
    const tables = await startTables('memory');
    queues = queueStore(tables.client(), tables.names.queues);
  });

  const nameOf = (i: number) => `queue-${String(i).padStart(3, '0')}`;
  const put = (name: string, timeoutSeconds = 60) =>
    putQueue(queues, definition({ name, timeoutSeconds }), NOW_MS);
  const putMany = async (count: number) => {
    for (let i = 0; i < count; i++) expect(await put(nameOf(i))).toMatchObject({ outcome: 'created' });
  };

  it('are at most 500 in a stack, including deleted ones until they are removed', async () => {
    await putMany(500);
    const refused = { status: 409, message: expect.stringMatching(/fewer than 500 queues .*queue one-more/) };
    await expect(put('one-more')).rejects.toMatchObject(refused);
    expect(await queues.get('one-more')).toBeUndefined();
    expect(await put(nameOf(7), 61)).toMatchObject({ outcome: 'changed' });

    await deleteQueue(queues, nameOf(8), NOW_MS);
    await expect(put('one-more')).rejects.toMatchObject(refused);
    expect(await put(nameOf(8))).toMatchObject({ outcome: 'created' });
    await deleteQueue(queues, nameOf(9), NOW_MS);
    expect(await queues.remove((await queues.get(nameOf(9)))!)).toBe(true);
    expect(await put('one-more')).toMatchObject({ outcome: 'created' });
  });

  it('are listed in parts that fit into a response', async () => {
    await putMany(500);
    const { records } = await queues.list();
    const large = {
      ...queues,
      list: async () => ({
        records: records.map((record) => {
          const attributes = { a: { type: 'string', default: 'x'.repeat(60_000) } } as const;
          return { ...record, definition: { ...record.definition, attributes } };
        }),
        unreadable: [],
      }),
    };
    const names: string[] = [];
    let parts = 0;
    let continuation: string | undefined;
    do {
      const part = await listQueues(large, continuation);
      expect(JSON.stringify(part).length).toBeLessThan(6_000_000);
      names.push(...part.queues.map(({ name }) => name));
      ({ continuation } = part);
      parts++;
    } while (continuation !== undefined);
    expect(parts).toBe(8);
    expect(names).toEqual(records.map((record) => record.definition.name));
    expect(await listQueues(queues)).not.toHaveProperty('continuation');
  });

  it('that cannot be read are named in the first part', async () => {
    await putMany(3);
    expect(await listQueues(queues)).not.toHaveProperty('unreadable');
    const { records } = await queues.list();
    const unreadable = ['b', 'a'].map((name) => ({ name, error: new Unreadable('of a later version') }));
    const some = { ...queues, list: async () => ({ records: records.slice(0, 2), unreadable }) };
    expect(await listQueues(some)).toMatchObject({ unreadable: ['a', 'b'] });
    expect(await listQueues(some, records[0]!.definition.name)).not.toHaveProperty('unreadable');
  });
});
