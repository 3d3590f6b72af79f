import { describe, expect, it } from 'vitest';
import {
  ALL_SECRETS,
  type SecretGrants,
  secretProblems,
  secretRefusal,
} from '../../lib/contract/secret-grants.ts';
import { definition } from '../service/definitions.ts';

describe('a queue may use', () => {
  it.each<[string, string, SecretGrants]>([
    ['a secret under its own name', 'arena/hook', {}],
    ['a shared secret', 'shared/hook', {}],
    ['a secret that is granted to it', 'backend', { backend: ['duel', 'arena'] }],
    ['a secret that is granted to all', 'backend', { backend: ['*'] }],
    ['any secret, when all are granted to it', 'duel/hook', { '*': ['arena'] }],
    ['any secret, when all are granted to all', 'duel/hook', ALL_SECRETS],
  ])('%s', (_, secret, grants) => {
    expect(secretRefusal(secret, 'arena', grants)).toBeUndefined();
  });
});

describe('a queue may not use', () => {
  it.each<[string, string, SecretGrants]>([
    ['a secret under another queue’s name', 'duel/hook', {}],
    ['a secret under a name that its own begins', 'arena-2/hook', {}],
    ['a secret that only begins like its own', 'arenahook', {}],
    ['a secret under its own name further on', 'duel/arena/hook', {}],
    ['a secret that belongs to nobody', 'backend', {}],
    ['a secret that is granted to another', 'backend', { backend: ['duel'] }],
    ['a secret that is named like a member of every object', 'constructor', {}],
    ['a secret that is named like the prototype of every object', '__proto__', {}],
  ])('%s', (_, secret, grants) => {
    expect(secretRefusal(secret, 'arena', grants)).toBe(
      `Expected a secret that queue arena may use, arena/… or shared/… or one granted to it by the deployment's option secretGrants, got ${secret}`,
    );
  });
});

it('every secret of a definition that its queue may not use is named with its place', () => {
  const wanted = definition({
    name: 'arena',
    webhooks: [
      { url: 'https://game.example/1', secret: 'arena/hook' },
      { url: 'https://game.example/2', secret: 'duel/hook' },
    ],
    provisioner: { type: 'http', url: 'https://game.example/place', secret: 'other' },
  });
  expect(secretProblems(wanted, {}).map(({ pointer }) => pointer)).toEqual([
    '#/webhooks/1/secret',
    '#/provisioner/secret',
  ]);
  expect(secretProblems(wanted, ALL_SECRETS)).toEqual([]);
});
