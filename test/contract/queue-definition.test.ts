import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../lib/contract/problem.ts';
import { checkQueueDefinition, parseQueueDefinition } from '../../lib/contract/queue-definition.ts';
import { definition } from '../service/definitions.ts';

/** The pointers of the invalid fields, in order. */
function faults(value: unknown): string[] {
  try {
    checkQueueDefinition(value, 'the definition');
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    return (error as Problem).errors.map(({ pointer }) => pointer);
  }
  return [];
}

describe('a queue definition', () => {
  it.each(readdirSync('queues'))('is valid in the sample %s', (file) => {
    const parsed = parseQueueDefinition(readFileSync(`queues/${file}`, 'utf8'), file);
    expect(`${parsed.name}.json`).toBe(file);
  });

  it('may have all fields at once', () => {
    const full = definition({
      teamSize: 5,
      teams: 2,
      roles: { tank: 1, healer: 1, damage: 3 },
      imbalance: { alpha: 0.5, p: 'inf', q: 1.5 },
      beta: 0,
      buckets: [1000, 1500],
      fill: 'bots',
      acceptance: { timeoutSeconds: 30 },
      provisioner: { type: 'http', url: 'https://example.com/place', secret: 'place' },
      webhooks: [{ url: 'https://example.com/hook', secret: 'hook', events: ['MatchFound'] }],
      events: ['MatchFound', 'MatchAssigned'],
    });
    expect(checkQueueDefinition(full, 'full')).toEqual(full);
  });

  it.each([
    ['an unknown key', { ...definition(), colour: 'red' }, ['#/colour']],
    [
      'an unknown key inside',
      { ...definition(), imbalance: { alpha: 1, p: 1, q: 2, r: 3 } },
      ['#/imbalance/r'],
    ],
    ['no team size', { ...definition(), teamSize: undefined }, ['#/teamSize']],
    ['a team size of 0', definition({ teamSize: 0 }), ['#/teamSize']],
    ['a team size of 9', definition({ teamSize: 9 }), ['#/teamSize']],
    ['half a player', definition({ teamSize: 1.5 }), ['#/teamSize']],
    ['three teams', { ...definition(), teams: 3 }, ['#/teams']],
    ['roles that do not sum to the team size', definition({ teamSize: 2, roles: { tank: 1 } }), ['#/roles']],
    ['no role at all', definition({ roles: {} }), ['#/roles']],
    ['a role nobody plays', definition({ roles: { tank: 0, healer: 1 } }), ['#/roles/tank']],
    ['p below 1', definition({ imbalance: { alpha: 1, p: 0.5, q: 2 } }), ['#/imbalance/p']],
    [
      'q that is not a norm',
      { ...definition(), imbalance: { alpha: 1, p: 1, q: 'many' } },
      ['#/imbalance/q'],
    ],
    ['alpha of 0', definition({ imbalance: { alpha: 0, p: 1, q: 2 } }), ['#/imbalance/alpha']],
    ['a negative beta', definition({ beta: -1 }), ['#/beta']],
    ['an infinite beta', definition({ beta: Number.POSITIVE_INFINITY }), ['#/beta']],
    [
      'alpha that is not a number',
      definition({ imbalance: { alpha: Number.NaN, p: 1, q: 2 } }),
      ['#/imbalance/alpha'],
    ],
    ['an unknown policy', { ...definition(), release: { policy: 'magic' } }, ['#/release/policy']],
    [
      'a policy with an option of another policy',
      { ...definition(), release: { policy: 'greedy', fast: true } },
      ['#/release/fast'],
    ],
    ['a tick of 0 s', definition({ tickSeconds: 0 }), ['#/tickSeconds']],
    [
      'a time-out shorter than a tick',
      definition({ tickSeconds: 10, timeoutSeconds: 5 }),
      ['#/timeoutSeconds'],
    ],
    ['a word for buckets', definition({ buckets: 'many' as 'auto' }), ['#/buckets']],
    ['a bucket below 0', definition({ buckets: [-1] }), ['#/buckets/0']],
    ['edges out of order', definition({ buckets: [1500, 1000] }), ['#/buckets']],
    ['the same edge twice', definition({ buckets: [1000, 1000] }), ['#/buckets']],
    ['a name with a space', definition({ name: 'my queue' }), ['#/name']],
    ['a name with the key separator', definition({ name: 'a#b' }), ['#/name']],
    [
      'a webhook that is no URL and has no secret',
      { ...definition(), webhooks: [{ url: 'example.com' }] },
      ['#/webhooks/0/url', '#/webhooks/0/secret'],
    ],
    [
      'a webhook with a password in its URL',
      definition({ webhooks: [{ url: 'https://me:pass@example.com', secret: 'hook' }] }),
      ['#/webhooks/0/url'],
    ],
    [
      'an http provisioner without URL',
      { ...definition(), provisioner: { type: 'http' } },
      ['#/provisioner/url'],
    ],
    [
      'several faults at once',
      { ...definition(), teamSize: 0, tickSeconds: -1, colour: 1 },
      ['#/teamSize', '#/tickSeconds', '#/colour'],
    ],
  ])('with %s is rejected with the invalid fields', (_, value, pointers) => {
    expect(faults(value)).toEqual(pointers);
  });

  it('that is not JSON is rejected with its source', () => {
    expect(() => parseQueueDefinition('{ "name": ', 'queues/broken.json')).toThrow(
      /queues\/broken\.json.*JSON/,
    );
  });
});
