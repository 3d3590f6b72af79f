import { beforeAll, expect, it, vi } from 'vitest';
import { definition } from '../service/definitions.ts';

let ask: (request: object) => unknown;

beforeAll(async () => {
  const listeners: ((event: { readonly data: object }) => void)[] = [];
  const replies: unknown[] = [];
  vi.stubGlobal('addEventListener', (_: string, listener: (typeof listeners)[number]) => {
    listeners.push(listener);
  });
  vi.stubGlobal('postMessage', (reply: unknown) => {
    replies.push(reply);
  });
  // Code of the browser, which is compiled with other types.
  const worker = '../../lib/console/page/engine-worker.ts';
  await import(worker);
  ask = (data) => {
    for (const listener of listeners) listener({ data });
    return replies.at(-1);
  };
  return () => {
    vi.unstubAllGlobals();
  };
});

it.each(['dry-run', 'reasons', 'simulate'])(
  'the browser says that it cannot run custom rules: %s',
  (kind) => {
    const custom = definition({ rules: [{ name: 'Votes', type: 'custom', function: 'enoughVotes' }] });
    expect(ask({ definition: custom, kind, waiting: [], options: {} })).toEqual({
      failed: expect.stringMatching(
        /^The browser cannot run the rule Votes: it does not have your code\. Use muster simulate --code/,
      ),
    });
  },
);

it('the browser runs a queue without them', () => {
  expect(ask({ definition: definition({}), kind: 'reasons', waiting: [] })).toHaveProperty('done');
});
