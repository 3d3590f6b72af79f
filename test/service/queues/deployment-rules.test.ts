import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../lib/contract/problem.ts';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { deployDefinitions } from '../../../lib/service/definitions/deploy-definitions.ts';
import { parsePut } from '../../../lib/service/definitions/put-definition.ts';
import type { DeploymentNotes } from '../../../lib/service/ports/deployment-notes.ts';
import type { QueueStore } from '../../../lib/service/ports/queue-store.ts';
import type { DeploymentRules } from '../../../lib/service/queues/deployment-rules.ts';
import { definition, queuesWithoutLadders } from '../definitions.ts';

const rules: DeploymentRules = {
  push: false,
  refuseUrl: ({ hostname }) => (hostname === 'inside' ? 'expected a public address' : undefined),
  gameSessionQueues: ['arenas'],
  secretGrants: { backend: ['duel'] },
};
const parsed = (queue: string, body: unknown) =>
  parsePut(queuesWithoutLadders({} as QueueStore, rules), queue, body);
const arena = (url: string, secret: string) => definition({ name: 'arena', webhooks: [{ url, secret }] });

describe('a definition that a client puts', () => {
  it('may name the secrets of its queue', async () => {
    const wanted = arena('https://game.example/', 'arena/hook');
    expect(await parsed('arena', wanted)).toEqual(wanted);
  });

  it('is rejected with 400 when it names another team’s secret, and the error names every such field', async () => {
    await expect(parsed('arena', arena('https://inside/', 'duel/hook'))).rejects.toThrow(
      expect.objectContaining({
        status: 400,
        errors: [
          { pointer: '#/webhooks/0/url', detail: 'expected a public address' },
          { pointer: '#/webhooks/0/secret', detail: expect.stringContaining('got duel/hook') },
        ],
      }),
    );
  });
});

describe('a definition with a custom rule', () => {
  const wanted = definition({
    name: 'duel',
    rules: [
      { name: 'Ping', type: 'latency', max: 80 },
      { name: 'Votes', type: 'custom', function: 'enoughVotes' },
    ],
  });
  const put = (functions?: readonly string[]) =>
    parsePut(queuesWithoutLadders({} as QueueStore, { ...rules, functions }), 'duel', wanted);

  it('may name a function of the deployed code', async () => {
    expect(await put(['enoughVotes'])).toEqual(wanted);
  });

  it.each([
    [undefined, 'there is no code'],
    [['rivalry', 'ranks'], 'the code exports rivalry, ranks'],
  ])('is rejected with the name of the function when the code has %s', async (functions, has) => {
    await expect(put(functions)).rejects.toThrow(
      expect.objectContaining({
        status: 400,
        errors: [
          {
            pointer: '#/rules/1/function',
            detail: expect.stringContaining(`got enoughVotes for rule Votes: ${has}`),
          },
        ],
      }),
    );
  });
});

describe('a definition with a provisioner', () => {
  const errorsOf = async (provisioner: QueueDefinition['provisioner']) => {
    const rules = [{ name: 'Ping', type: 'latency' as const, max: 80 }];
    const wanted = definition({ name: 'duel', rules, ...(provisioner && { provisioner }) });
    try {
      expect(await parsed('duel', wanted)).toEqual(wanted);
      return [];
    } catch (error) {
      return (error as Problem).errors.map(({ pointer }) => pointer);
    }
  };

  it('may name a GameLift queue of the deployment and no other', async () => {
    expect(await errorsOf({ type: 'gamelift', gameSessionQueue: 'arenas' })).toEqual([]);
    expect(await errorsOf({ type: 'gamelift', gameSessionQueue: 'others' })).toEqual([
      '#/provisioner/gameSessionQueue',
    ]);
  });

  it('may name an Agones allocator at a public address with a certificate of its own', async () => {
    const allocator = 'https://agones.example/gameserverallocation';
    expect(await errorsOf({ type: 'agones', allocator, certificate: 'duel/agones' })).toEqual([]);
    expect(
      await errorsOf({ type: 'agones', allocator: 'https://inside/', certificate: 'arena/agones' }),
    ).toEqual(['#/provisioner/allocator', '#/provisioner/certificate']);
    const regions = { eu: allocator, us: 'https://inside/' };
    expect(await errorsOf({ type: 'agones', allocator: regions, certificate: 'duel/agones' })).toEqual([
      '#/provisioner/allocator/us',
    ]);
  });
});

describe('a definition that expects every player to connect', () => {
  const expecting = definition({ name: 'duel', presence: { graceSeconds: 15, required: true } });
  const put = (push: boolean) =>
    parsePut(queuesWithoutLadders({} as QueueStore, { ...rules, push }), 'duel', expecting);

  it('is rejected in a deployment without push, and the error names the option', async () => {
    await expect(put(false)).rejects.toMatchObject({
      status: 400,
      errors: [
        {
          pointer: '#/presence/required',
          detail: expect.stringContaining('switch the option push on'),
        },
      ],
    });
    expect(await put(true)).toEqual(expecting);
  });
});

describe('a definition of 200 seats', () => {
  it('is accepted', async () => {
    const battle = definition({ name: 'battle', teamSize: 100 });
    expect(await parsed('battle', battle)).toEqual(battle);
  });
});

describe('definitions of a deployment', () => {
  /** A store that no test may call. */
  const untouched = new Proxy({} as QueueStore & DeploymentNotes, {
    get: (_, method) => () => Promise.reject(new Error(`${String(method)} was called`)),
  });

  it('are rejected before any change when one names a secret that its queue may not use', async () => {
    const wanted = {
      duel: JSON.stringify(definition({ name: 'duel' })),
      arena: JSON.stringify(arena('https://game.example/', 'backend')),
    };
    await expect(
      deployDefinitions(
        { kinds: [queuesWithoutLadders(untouched, rules)], deployments: untouched },
        { wanted: { queue: wanted }, before: { queue: { old: 'digest' } }, requestId: 'r' },
        0,
      ),
    ).rejects.toThrow(/queue arena.*#\/webhooks\/0\/secret.*got backend/);
  });
});
