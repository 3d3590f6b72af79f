import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { DEFINITION_AGE_MS } from '../../../lib/service/domain/definition-age.ts';
import { deliver } from '../../../lib/service/events/notify.ts';
import { assignMatch } from '../../../lib/service/placement/assign-match.ts';
import { listQueues } from '../../../lib/service/queues/queues.ts';
import { answerMatch } from '../../../lib/service/tickets/acceptance.ts';
import { cancelTicket } from '../../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { type EmulatedTables, suiteName, USE_CASE_STORE } from '../../aws/emulated-tables.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';

/**
 * The items of all tables of a deployment of 0.1, as its stores wrote them: three queues; tickets that wait; matches that wait for acceptance, wait for a server and are played; a ticket that was cancelled;
 * and the lease of a tick that was stopped before it could commit.
 */
const STATE: {
  readonly nowMs: number;
  readonly tables: Record<keyof EmulatedTables['names'], readonly Record<string, unknown>[]>;
} = JSON.parse(readFileSync(join(import.meta.dirname, 'state-of-0.1.json'), 'utf8'), (_, value) =>
  Array.isArray(value?.set) ? new Set(value.set) : value,
);
/** The functions of the new version begin this much later. Ticks and messages of the earlier one are lost. */
const DEPLOYMENT_MS = 20_000;

const { emulator, skipped } = USE_CASE_STORE;
describe.skipIf(skipped !== undefined)(suiteName('an upgrade', emulator, skipped), () => {
  let cloud: VirtualCloud;
  let queue: string;
  let tables: EmulatedTables;
  ownCloudForEachTest(emulator, (own) => {
    ({ cloud, queue, tables } = own);
  });
  const statuses = async (...tickets: string[]) =>
    Promise.all(tickets.map(async (id) => (await cloud.deps.tickets.get(id))!.status));

  it('from 0.1 ends every ticket and match that it finds, each once', async () => {
    for (const [table, items] of Object.entries(STATE.tables))
      for (const Item of items)
        await cloud.client.send(
          new PutCommand({ TableName: tables.names[table as keyof EmulatedTables['names']], Item }),
        );
    cloud.nowMs = STATE.nowMs + DEPLOYMENT_MS;
    expect((await listQueues(cloud.deps.queues)).queues.map(({ name }) => name)).toEqual([
      'crashed',
      'duel',
      'ranked',
    ]);
    await answerMatch(cloud.deps, 'asked-2', { accepted: true, matchId: 'id-5' }, cloud.nowMs);
    await assignMatch(cloud.deps, 'id-5', { address: 'us.example' });
    await assignMatch(cloud.deps, 'id-3', { address: 'us.example' });
    // A lease of a stopped tick is held for up to three minutes.
    await cloud.run(5 * 60_000);
    for (const matchId of ['id-1', 'id-3', 'id-5'])
      expect(await cloud.deps.matches.get(matchId)).toMatchObject({ status: 'COMPLETED' });
    const matchOf = async (id: string) => (await cloud.deps.tickets.get(id))!.matchId!;
    const party = ['party', 'solo-1', 'solo-2'];
    expect(await statuses(...party)).toEqual(Array(3).fill('MATCHED'));
    expect(new Set(await Promise.all(party.map(matchOf))).size).toBe(1);
    // Tickets of the new version meet those of the earlier one; `patient` is read as the policy that replaces it.
    const join = (name: string, ticketId: string, skill: number) =>
      enqueue(cloud.deps, name, { ticketId, players: [{ playerId: ticketId, skill }] }, cloud.nowMs);
    await join('ranked', 'new', 1500);
    await join('duel', 'new-patient', 1000);
    await cloud.run(20_000);
    expect(await matchOf('new')).toBe(await matchOf('waiting'));
    expect(await matchOf('new-patient')).toBe(await matchOf('patient-1'));
    await cloud.run(5 * 60_000);
    expect(await statuses('patient-2')).toEqual(['TIMED_OUT']);
    // Three matches of the earlier version, whose items are in the stream here, and three of this one.
    const found = cloud.events.filter(({ type }) => type === 'MatchFound');
    expect(new Set(found.map(({ eventId }) => eventId)).size).toBe(6);
    expect(await statuses('cancelled')).toEqual(['CANCELLED']);
  });

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
    expect((await cloud.deps.queues.list()).unreadable.map((one) => one.queue)).toEqual([queue]);
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
