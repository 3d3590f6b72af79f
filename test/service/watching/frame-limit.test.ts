import { expect, it, vi } from 'vitest';
import { connectionStore } from '../../../lib/aws/connection-store.ts';
import { logger } from '../../../lib/aws/log.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { FRAMES, FrameLimit } from '../../../lib/service/watching/frame-limit.ts';
import { startTables } from '../../aws/emulated-tables.ts';

const tables = await startTables('memory');
const client = tables.client();
const connections = connectionStore(client, tables.names.connections);
let tickets = 0;

/** Connections of a ticket that count what they are told, and whose end may fail. @param instances of the function, which receive in turn */
function limited(instances = 1) {
  const ticketId = `ticket-${++tickets}`;
  const told: string[] = [];
  let nowMs = 1_000_000;
  let isClosable = true;
  const deps = {
    connections,
    clock: { now: () => nowMs },
    sockets: {
      send: async (connectionId: string, message: string) => {
        told.push(`${connectionId} ${JSON.parse(message).data.status}`);
        return 'sent' as const;
      },
      close: async (connectionId: string) => {
        told.push(`${connectionId} closed`);
        return isClosable;
      },
    },
  };
  const limits = Array.from({ length: instances }, () => new FrameLimit());
  let received = 0;
  const admitted = async (connectionId: string, frames: number) => {
    let admits = 0;
    for (let i = 0; i < frames; i++) {
      const limit = limits[received++ % instances]!;
      admits += Number(await limit.admits(deps, { ticketId }, connectionId));
    }
    return admits;
  };
  const connect = (connectionId: string) =>
    connections.add({
      ticketId,
      connectionId,
      queue: 'duel',
      player: 0,
      enqueuedAtMs: nowMs,
      status: 'CONNECTED',
      connectedAtMs: nowMs,
      shownFromMs: nowMs,
    });
  return {
    told,
    connect,
    admitted,
    pass: (ms: number) => {
      nowMs += ms;
    },
    failToClose: (isFailing: boolean) => {
      isClosable = !isFailing;
    },
  };
}

it('takes the frames of a client that sends a few each second', async () => {
  const { told, admitted, pass } = limited();
  for (let second = 0; second < 60; second++) {
    expect(await admitted('one', FRAMES.perSecond)).toBe(FRAMES.perSecond);
    pass(1_000);
  }
  expect(await admitted('one', FRAMES.burst)).toBe(FRAMES.burst);
  expect(told).toEqual([]);
});

it('reports the limit to a connection that exceeds it, closes it and ignores its frames; others continue', async () => {
  const { told, admitted, pass } = limited();
  expect(await admitted('flood', 100)).toBe(FRAMES.burst);
  expect(told).toEqual(['flood 429', 'flood closed']);
  pass(60_000);
  expect(await admitted('flood', 10)).toBe(0);
  expect(await admitted('other', 10)).toBe(10);
  expect(told).toHaveLength(2);
});

it('tries to end a connection again at its next frame, which gets no response, and tells the client once', async () => {
  const { told, admitted, pass, failToClose } = limited();
  failToClose(true);
  await admitted('flood', FRAMES.burst + 1);
  pass(60_000);
  failToClose(false);
  expect(await admitted('flood', 5)).toBe(0);
  expect(told).toEqual(['flood 429', 'flood closed', 'flood closed']);
});

it('takes frames whose count in the store fails, whatever the reason', async () => {
  const { connect, admitted } = limited();
  await connect('client');
  const lines = vi.spyOn(logger, 'warn').mockImplementation(() => {});
  const send = vi.spyOn(client, 'send');
  for (const error of [
    new StoreBusy('throttled'),
    Object.assign(new Error('not authorized'), { $metadata: {} }),
  ])
    send.mockRejectedValueOnce(error as never);
  expect(await admitted('client', 3)).toBe(3);
  expect(lines).toHaveBeenCalledTimes(2);
});

it('ends a flood that reaches so many instances that none receives much of it, and no client within the limit', async () => {
  const { told, connect, admitted, pass } = limited(20);
  await connect('client');
  await connect('flood');
  let flooded = 0;
  for (let second = 0; second < 120; second++) {
    expect(await admitted('client', FRAMES.perSecond)).toBe(FRAMES.perSecond);
    flooded += await admitted('flood', 30);
    pass(1_000);
  }
  expect(await admitted('client', FRAMES.burst)).toBe(FRAMES.burst);
  expect(told.slice(0, 2)).toEqual(['flood 429', 'flood closed']);
  // Each instance takes a frame before it counts, and a few seconds pass until the count is full.
  expect(flooded).toBeLessThan(5 * 30);
});

it('counts no frame of a client that pings as the service asks', async () => {
  const { connect, admitted, pass } = limited();
  await connect('client');
  const countFrame = vi.spyOn(connections, 'countFrame');
  for (let ping = 0; ping < 100; ping++) {
    pass(20_000);
    await admitted('client', 1);
  }
  expect(countFrame).not.toHaveBeenCalled();
  pass(20_000);
  await admitted('client', 2);
  expect(countFrame).toHaveBeenCalledOnce();
});
