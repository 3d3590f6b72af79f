import { beforeEach, describe, expect, it, vi } from 'vitest';
import { receiverStore } from '../../../lib/aws/receiver-store.ts';
import { trialOutbound } from '../../../lib/service/placement/trial-outbound.ts';
import type { OutboundResult } from '../../../lib/service/ports/outbound.ts';
import type { ReceiverStore } from '../../../lib/service/ports/receiver-store.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { tablesInMemory } from '../../aws/emulated-tables.ts';
import { NOW_MS } from '../../aws/samples.ts';
import { eventually } from '../../patience.ts';
import { memoryReceivers } from '../events/memory-receivers.ts';

const RESPONDED: OutboundResult = { outcome: 'responded', status: 200, body: '{}' };
const TIMED_OUT: OutboundResult = { outcome: 'unreachable', error: 'no response', timedOut: true };

describe('a call of the endpoint of a provisioner', () => {
  let nowMs: number;
  let store: ReceiverStore;
  /** The calls that have not ended, each with its end. */
  let open: ((result: OutboundResult) => void)[];
  let begun: string[];
  beforeEach(() => {
    nowMs = NOW_MS;
    store = memoryReceivers();
    open = [];
    begun = [];
  });

  const call = (url = 'https://a.example/', endpoints: ReceiverStore = store) =>
    trialOutbound(
      {
        post: (to) => {
          begun.push(to);
          return new Promise((settle) => open.push(settle));
        },
      },
      endpoints,
      () => nowMs,
    ).post(url, '{}', {}, 5_000);
  /** Lets calls run until they wait for their response. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const ended = async (called: Promise<OutboundResult>, result: OutboundResult) => {
    await settled();
    open.shift()!(result);
    return called;
  };

  it('is made one at a time while the endpoint has not responded', async () => {
    const first = call();
    await settled();
    expect(await call()).toMatchObject({ outcome: 'unreachable' });
    expect(await call()).toMatchObject({ outcome: 'unreachable' });
    // Other endpoints have their own trial.
    const other = call('https://b.example/');
    expect(await ended(first, TIMED_OUT)).toEqual(TIMED_OUT);
    expect(await ended(other, RESPONDED)).toEqual(RESPONDED);
    const again = call();
    await settled();
    expect(await call()).toMatchObject({ outcome: 'unreachable' });
    await ended(again, TIMED_OUT);
    expect(begun).toEqual(['https://a.example/', 'https://b.example/', 'https://a.example/']);
  });

  it.each([200, 503])(
    'is free after a response, also one of status %s, until one is missing',
    async (status) => {
      await ended(call(), { ...RESPONDED, status });
      const calls = [call(), call(), call()];
      await settled();
      expect(open).toHaveLength(3);
      open.shift()!(TIMED_OUT);
      await calls[0];
      const trial = call();
      await settled();
      expect(await call()).toMatchObject({ outcome: 'unreachable' });
      // A late response of a call from before counts as well as that of the trial.
      open.shift()!(RESPONDED);
      await calls[1];
      for (const end of open.splice(0)) end(RESPONDED);
      await Promise.all([...calls, trial]);
      const free = [call(), call()];
      await settled();
      expect(open).toHaveLength(2);
      for (const end of open.splice(0)) end(RESPONDED);
      await Promise.all(free);
    },
  );

  it('follows a trial whose function was stopped, when the time of the trial is over', async () => {
    void call();
    await settled();
    nowMs += 6_999;
    expect(await call()).toMatchObject({ outcome: 'unreachable' });
    nowMs += 1;
    void call();
    await settled();
    expect(begun).toHaveLength(2);
  });

  it('succeeds although its result cannot be noted', async () => {
    const tables = tablesInMemory();
    const client = tables.client();
    const endpoints = receiverStore(client, tables.names.receivers);
    const send = vi.spyOn(client, 'send');
    for (const result of [RESPONDED, TIMED_OUT]) {
      const called = call(undefined, endpoints);
      await eventually(() => expect(open).toHaveLength(1));
      send.mockRejectedValueOnce(new StoreBusy('throttled') as never);
      open.shift()!(result);
      expect(await called).toEqual(result);
      nowMs += 7_000;
    }
  });

  it('renews the mark of an endpoint once a day', async () => {
    await ended(call(), RESPONDED);
    const marked = async () => (await store.get('provisioner https://a.example/'))!.fastAtMs! - NOW_MS;
    for (const [afterMs, atMs] of [
      [1_000, 0],
      [86_399_999, 0],
      [86_400_000, 86_400_000],
    ] as const) {
      nowMs = NOW_MS + afterMs;
      await ended(call(), RESPONDED);
      expect(await marked()).toBe(atMs);
    }
  });
});
