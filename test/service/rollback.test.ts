import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { DEFINITION_AGE_MS } from '../../lib/service/domain/timing.ts';
import { deliver } from '../../lib/service/events/notify.ts';
import { cancelTicket } from '../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../lib/service/tickets/enqueue.ts';
import { suiteName, USE_CASE_STORE } from '../aws/emulated-tables.ts';
import { definition, putQueue } from './definitions.ts';
import { ownCloudForEachTest } from './own-cloud.ts';
import type { VirtualCloud } from './virtual-cloud.ts';

const { emulator, skipped } = USE_CASE_STORE;
describe.skipIf(skipped !== undefined)(suiteName('a deployment', emulator, skipped), () => {
  let cloud: VirtualCloud;
  let queue: string;
  ownCloudForEachTest(emulator, (own) => {
    ({ cloud, queue } = own);
  });
  const statuses = async (...tickets: string[]) =>
    Promise.all(tickets.map(async (id) => (await cloud.deps.tickets.get(id))!.status));

  it('is rolled back past a definition of a later version: its webhooks wait, and others play on', async () => {
    const other = `${queue}-other`;
    const webhooks = [
      { url: 'https://game.example/', secret: 'shared/s', events: ['TicketCancelled' as const] },
    ];
    const own = definition({ name: queue, tickSeconds: 10, webhooks });
    await putQueue(cloud.deps.queues, own, cloud.nowMs);
    await putQueue(cloud.deps.queues, definition({ name: other, tickSeconds: 10 }), cloud.nowMs);
    const join = (name: string, id: string) =>
      enqueue(cloud.deps, name, { ticketId: id, players: [{ playerId: `p-${id}`, skill: 1 }] }, cloud.nowMs);
    await join(queue, `${queue}:a`);
    await cloud.run(11_000);
    // The later version has put a policy that this one does not know; a key that it does not know it would ignore.
    const later = { ...own, release: { policy: 'of a later version' }, laterKey: true };
    await putQueue(cloud.deps.queues, later as unknown as QueueDefinition, cloud.nowMs);
    // Until no function keeps the earlier definition.
    cloud.nowMs += DEFINITION_AGE_MS;
    await cancelTicket(cloud.deps, `${queue}:a`, cloud.nowMs);
    await join(other, `${other}:a`);
    await join(other, `${other}:b`);
    await cloud.run(70_000);
    expect((await cloud.deps.queues.list()).unreadable.map(({ name }) => name)).toEqual([queue]);
    expect(await statuses(`${other}:a`, `${other}:b`)).toEqual(['MATCHED', 'MATCHED']);
    await expect(join(queue, `${queue}:b`)).rejects.toThrow(/cannot be read by this version of Muster/);
    const cancelled = cloud.events.filter(
      (event) => event.queue === queue && event.type === 'TicketCancelled',
    );
    expect(cancelled).toHaveLength(1);
    expect(await deliver(cloud.deps, { event: cancelled[0]! })).toMatchObject({ outcome: 'postponed' });
    // What the later version has changed is undone by the definition of before.
    await putQueue(cloud.deps.queues, own, cloud.nowMs);
    await cloud.run(60_000);
    for (let i = 0; i < 2; i++)
      for (const due of cloud.dueDeliveries())
        expect(await deliver(cloud.deps, due)).toEqual({ outcome: 'done' });
    expect(cloud.posted).toEqual([`https://game.example/ ${cancelled[0]!.eventId}`]);
    await join(queue, `${queue}:b`);
    await join(queue, `${queue}:c`);
    await cloud.run(11_000);
    expect(await statuses(`${queue}:b`, `${queue}:c`)).toEqual(['MATCHED', 'MATCHED']);
  });
});
