import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { toMatchView } from '../../../lib/service/domain/stored-match.ts';
import { type CurrentTicket, toTicketView } from '../../../lib/service/domain/stored-ticket.ts';
import { answerMatch } from '../../../lib/service/tickets/acceptance.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { suiteName, USE_CASE_STORE } from '../../aws/emulated-tables.ts';
import { ticket } from '../../aws/samples.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';

const { emulator, skipped } = USE_CASE_STORE;
describe.skipIf(skipped !== undefined)(suiteName('an answer to a match', emulator, skipped), () => {
  let cloud: VirtualCloud;
  let queue: string;
  ownCloudForEachTest(emulator, (own) => {
    ({ cloud, queue } = own);
  });

  const id = (name: string) => `${queue}:${name}`;
  const define = (changes: Partial<QueueDefinition> = {}) =>
    putQueue(
      cloud.deps.queues,
      definition({ name: queue, timeoutSeconds: 300, acceptance: { timeoutSeconds: 60 }, ...changes }),
      cloud.nowMs,
    );
  const join = (name: string) => {
    const { ticketId, players } = ticket(queue, id(name), 1);
    return enqueue(cloud.deps, queue, { ticketId, players }, cloud.nowMs);
  };
  const stored = async (name: string) => (await cloud.deps.tickets.get(id(name)))!;
  const matchOf = async (name: string) => (await stored(name)).matchId!;
  const answer = (name: string, matchId: string, accepted = true) =>
    answerMatch(cloud.deps, id(name), { accepted, matchId }, cloud.nowMs);

  /** `a` has accepted a match that `b` then declined, and is in the next one, with `c`. */
  const rematched = async () => {
    await define();
    await join('a');
    await join('b');
    await cloud.run(2_000);
    const first = await matchOf('a');
    await answer('a', first);
    await answer('b', first, false);
    await join('c');
    await cloud.run(2_000);
    return { first, second: await matchOf('a') };
  };

  it('names its match, so that a repeated request does not accept the next match', async () => {
    const { first, second } = await rematched();
    expect(second).not.toBe(first);
    await expect(answer('a', first)).rejects.toMatchObject({
      status: 409,
      extensions: { ticketStatus: 'REQUIRES_ACCEPTANCE' },
    });
    expect((await cloud.deps.matches.get(second))!.accepted).toBeUndefined();
    expect((await answer('a', second)).status).toBe('REQUIRES_ACCEPTANCE');
    expect((await cloud.deps.matches.get(second))!.accepted).toEqual([id('a')]);
  });

  it('that declines an earlier match leaves the next match as it is', async () => {
    const { first, second } = await rematched();
    await expect(answer('a', first, false)).rejects.toMatchObject({ status: 409 });
    expect((await cloud.deps.matches.get(second))!.status).toBe('REQUIRES_ACCEPTANCE');
  });

  it('is rejected while the ticket waits again', async () => {
    await define();
    await join('a');
    await join('b');
    await cloud.run(2_000);
    const matchId = await matchOf('a');
    await answer('a', matchId);
    await answer('b', matchId, false);
    await expect(answer('a', matchId)).rejects.toMatchObject({
      status: 409,
      extensions: { ticketStatus: 'QUEUED' },
    });
  });

  it('that declines is kept in the match with the answers of the others', async () => {
    const { first } = await rematched();
    expect(toMatchView((await cloud.deps.matches.get(first))!)).toMatchObject({
      status: 'FAILED',
      reasonCode: 'DECLINED',
      acceptance: { accepted: [id('a')], declined: [id('b')], unanswered: [] },
    });
    expect(toTicketView((await cloud.deps.tickets.get(id('b'))) as CurrentTicket)).toMatchObject({
      status: 'CANCELLED',
      reasonCode: 'DECLINED',
    });
  });

  it('that never comes is kept in the match, with the deadline', async () => {
    await define();
    await join('a');
    await join('b');
    await cloud.run(2_000);
    const matchId = await matchOf('a');
    await answer('a', matchId);
    const { acceptance } = toMatchView((await cloud.deps.matches.get(matchId))!);
    await cloud.run(70_000);
    expect(toMatchView((await cloud.deps.matches.get(matchId))!)).toMatchObject({
      status: 'FAILED',
      reasonCode: 'NOT_ACCEPTED',
      acceptance: {
        deadline: acceptance!.deadline,
        accepted: [id('a')],
        declined: [],
        unanswered: [id('b')],
      },
    });
    expect((await stored('b')).reasonCode).toBe('NOT_ACCEPTED');
    expect(await stored('a')).not.toHaveProperty('reasonCode');
  });

  it('that declines in a queue that is deleted cancels the others with a code of their own', async () => {
    await define();
    await join('a');
    await join('b');
    await cloud.run(2_000);
    const matchId = await matchOf('a');
    cloud.deps.queues.get = async () => undefined;
    await answer('b', matchId, false);
    expect((await stored('a')).reasonCode).toBe('QUEUE_DELETED');
    expect((await stored('b')).reasonCode).toBe('DECLINED');
  });

  it('may be repeated for the same match, but not changed', async () => {
    const { second } = await rematched();
    await answer('c', second);
    expect((await answer('c', second)).status).toBe('REQUIRES_ACCEPTANCE');
    await answer('a', second);
    expect((await answer('c', second)).status).toBe('COMPLETED');
    await expect(answer('c', second, false)).rejects.toMatchObject({
      status: 409,
      extensions: { ticketStatus: 'COMPLETED' },
    });
    const refused = await rematchedAgain();
    expect((await answer('x', refused, false)).status).toBe('CANCELLED');
    expect((await answer('x', refused, false)).status).toBe('CANCELLED');
    await expect(answer('x', refused)).rejects.toMatchObject({
      status: 409,
      extensions: { ticketStatus: 'CANCELLED' },
    });
    await expect(answer('y', refused)).rejects.toMatchObject({ status: 409 });
  });

  const rematchedAgain = async () => {
    await join('x');
    await join('y');
    await cloud.run(2_000);
    return matchOf('x');
  };
});
