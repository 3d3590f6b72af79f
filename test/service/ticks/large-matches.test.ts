import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import type { StoredTicket } from '../../../lib/service/domain/stored-ticket.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import { ticket } from '../../aws/samples.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';

describe('matches that no item can hold', () => {
  let cloud: VirtualCloud;
  let queue: string;
  ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue } = own);
  });

  const define = (changes: Partial<QueueDefinition>) =>
    putQueue(
      cloud.deps.queues,
      definition({
        name: queue,
        timeoutSeconds: 3_600,
        attributes: { packs: { type: 'strings' } },
        ...changes,
      }),
      cloud.nowMs,
    );
  /** Stores a waiting ticket without the checks of a post, as an earlier version would have. */
  const store = async (name: string, skill: number, texts: number) => {
    const one = ticket(queue, `${queue}:${name}`, [skill]);
    const packs = Array.from({ length: texts }, (_, i) => `${i}`.padEnd(64, '漢'));
    const players = one.players.map((player) => ({ ...player, attributes: { packs } }));
    const stored: StoredTicket = { ...one, players, enqueuedAt: new Date(cloud.nowMs).toISOString() };
    await cloud.deps.tickets.create(stored, { version: 1, boundaries: [], fromMs: 0 });
  };
  const statusOf = async (name: string) => {
    const found = await cloud.deps.tickets.get(`${queue}:${name}`);
    return [found!.status, found!.reason];
  };
  const tickNow = (deps: Partial<VirtualCloud['deps']> = {}) => {
    cloud.nowMs += 1_000;
    return tick({ ...cloud.deps, ...deps }, { queue, slotMs: Math.floor(cloud.nowMs / 1_000) * 1_000 });
  };

  it('are not formed: a waiting ticket with more than its share is cancelled and told why, the others are matched', async () => {
    await define({ teamSize: 100 });
    await store('bulky', 1_000, 50);
    await define({ teamSize: 1 });
    await store('a', 1_000, 1);
    await store('b', 1_000, 1);
    await define({ teamSize: 100 });
    await tickNow();
    expect(await statusOf('bulky')).toEqual([
      'CANCELLED',
      expect.stringMatching(
        /^the queue was changed and the ticket no longer fits it \(.*at most 699 bytes as JSON.*got 9\d\d\d: send fewer or shorter values\)$/,
      ),
    ]);
    await define({ teamSize: 1 });
    await tickNow();
    expect([(await statusOf('a'))[0], (await statusOf('b'))[0]]).toEqual(['MATCHED', 'MATCHED']);
  });

  it('lose their largest ticket if one is formed anyway, so that the next tick does not form it again', async () => {
    await define({ teamSize: 1 });
    await store('small', 1_000, 2);
    await store('large', 1_000, 5);
    const tooLarge = async () => 'too-large' as const;
    const result = await tickNow({ matches: { ...cloud.deps.matches, create: tooLarge } });
    expect(result).toMatchObject({ outcome: 'searched', matches: [], tooLarge: [`${queue}:large`] });
    expect(await statusOf('large')).toEqual([
      'CANCELLED',
      'its match has more data than can be stored: send fewer or shorter attributes',
    ]);
    expect((await statusOf('small'))[0]).toBe('QUEUED');
    await store('other', 1_000, 1);
    await tickNow();
    expect([(await statusOf('small'))[0], (await statusOf('other'))[0]]).toEqual(['MATCHED', 'MATCHED']);
  });
});
