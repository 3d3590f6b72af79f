import { expect, it } from 'vitest';
import { FRAMES, FrameLimit } from '../../../lib/service/watching/frame-limit.ts';

/** A connection that counts what it is told, and whose end may fail. */
function limited() {
  const told: string[] = [];
  let nowMs = 1_000_000;
  let isClosable = true;
  const deps = {
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
  const limit = new FrameLimit();
  const admitted = async (connectionId: string, frames: number) => {
    let admits = 0;
    for (let i = 0; i < frames; i++) admits += Number(await limit.admits(deps, connectionId));
    return admits;
  };
  return {
    told,
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

it('tries again to end a connection', async () => {
  const { told, admitted, failToClose } = limited();
  failToClose(true);
  await admitted('flood', FRAMES.burst + 1);
  failToClose(false);
  await admitted('flood', 5);
  expect(told).toEqual(['flood 429', 'flood closed', 'flood 429', 'flood closed']);
});
