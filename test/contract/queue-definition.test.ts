import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
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

/** A definition with a list of teams. */
function shaped(teams: readonly unknown[]): Record<string, unknown> {
  const { teamSize: _, ...others } = definition();
  return { ...others, teams };
}

const side = (name: string, size: number, more: Record<string, unknown> = {}) => ({ name, size, ...more });
const rolesOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`r${i}`, 1]));

describe('a queue definition', () => {
  it.each(globSync('queues/**/*.json').sort())('is valid in the sample %s', (file) => {
    const parsed = parseQueueDefinition(readFileSync(file, 'utf8'), file);
    expect(`${parsed.name}.json`).toBe(basename(file));
  });

  it.each(globSync('queues/shapes/*.json').sort())('is explained in docs/matches.md: %s', (file) => {
    expect(readFileSync('docs/matches.md', 'utf8')).toContain(file);
  });

  it('limits the counts of rules by the seats of all teams', () => {
    const withRule = (teams: number) =>
      definition({
        teamSize: 3,
        teams,
        attributes: { side: { type: 'string' } },
        rules: [{ name: 'Sides', type: 'count', attribute: 'side', value: 'a', atLeast: 8 }],
      });
    expect(faults(withRule(2))).toEqual(['#/rules/0/atLeast']);
    expect(faults(withRule(4))).toEqual([]);
  });

  it('may have rules beside every shape, and its rules name only the kinds of team it has', () => {
    const withRule = (team: string) => ({
      ...shaped([side('killer', 1), side('survivors', 4, { minSize: 3 })]),
      short: { afterSeconds: 10 },
      attributes: { perk: { type: 'string' } },
      rules: [{ name: 'Perks', type: 'count', attribute: 'perk', value: 'a', atMost: 1, team }],
    });
    expect(faults(withRule('survivors'))).toEqual([]);
    expect(faults(withRule('hunters'))).toEqual(['#/rules/0/team']);
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
    ['a team size of 201', definition({ teamSize: 201 }), ['#/teamSize']],
    ['half a player', definition({ teamSize: 1.5 }), ['#/teamSize']],
    ['one team as a number', { ...definition(), teams: 1 }, ['#/teams']],
    ['101 teams', { ...definition(), teams: 101 }, ['#/teams']],
    ['more than 200 seats', definition({ teamSize: 5, teams: 41 }), ['#/teamSize']],
    ['a team size beside a list of teams', { ...definition(), teams: [side('a', 2)] }, ['#/teamSize']],
    ['roles beside a list of teams', { ...shaped([side('a', 2)]), roles: { tank: 2 } }, ['#/roles']],
    ['no team at all', shaped([]), ['#/teams']],
    ['a list of more than 200 seats', shaped([side('a', 100), side('b', 101)]), ['#/teams']],
    ['a team nobody can play in', shaped([side('a', 2), side('b', 0)]), ['#/teams/1/size']],
    ['two teams of one name', shaped([side('a', 2), side('a', 3)]), ['#/teams']],
    [
      'a name that another team gets by its count',
      shaped([side('a', 2, { count: 2 }), side('a-1', 3)]),
      ['#/teams'],
    ],
    [
      'a minSize above the size',
      { ...shaped([side('a', 2, { minSize: 3 }), side('b', 2, { minSize: 1 })]), short: { afterSeconds: 5 } },
      ['#/teams'],
    ],
    ['a minSize that is never allowed', shaped([side('a', 4, { minSize: 3 })]), ['#/teams']],
    ['a short start of no team', { ...shaped([side('a', 4)]), short: { afterSeconds: 5 } }, ['#/short']],
    [
      'a short start that no ticket lives to see',
      { ...shaped([side('a', 4, { minSize: 3 })]), short: { afterSeconds: 60 }, timeoutSeconds: 60 },
      ['#/short'],
    ],
    [
      'a longest wait beyond the time-out',
      definition({
        release: { policy: 'option-value', waitCost: 1, longestWaitSeconds: 60 },
        timeoutSeconds: 60,
      }),
      ['#/release'],
    ],
    ['a short start of equal teams', definition({ short: { afterSeconds: 5 } }), ['#/short']],
    [
      'roles that do not sum to the size of their team',
      shaped([side('a', 2, { roles: { tank: 1 } }), side('b', 2)]),
      ['#/teams'],
    ],
    ['an unknown key in a team', shaped([side('a', 2, { colour: 'red' })]), ['#/teams/0/colour']],
    ['roles that do not sum to the team size', definition({ teamSize: 2, roles: { tank: 1 } }), ['#/roles']],
    ['no role at all', definition({ roles: {} }), ['#/roles']],
    ['31 roles', definition({ teamSize: 31, roles: rolesOf(31) }), ['#/roles']],
    ['31 roles of a team', shaped([side('a', 31, { roles: rolesOf(31) })]), ['#/teams/0/roles']],
    [
      '31 pairs of a team and a role',
      shaped([side('a', 16, { roles: rolesOf(16) }), side('b', 15, { roles: rolesOf(15) })]),
      ['#/teams'],
    ],
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
      'nothing in it',
      {},
      ['#/name', '#/imbalance', '#/release', '#/tickSeconds', '#/timeoutSeconds', '#/teamSize'],
    ],
    ['a role with an invalid name', definition({ roles: { 'the tank': 1 } }), ['#/roles/the%20tank']],
    ['rare ticks', definition({ tickSeconds: 61, timeoutSeconds: 600 }), ['#/tickSeconds']],
    ['an unknown fill', { ...definition(), fill: 'clowns' }, ['#/fill']],
    ['an acceptance without time', { ...definition(), acceptance: {} }, ['#/acceptance/timeoutSeconds']],
    ['an unknown provisioner', { ...definition(), provisioner: { type: 'magic' } }, ['#/provisioner/type']],
    [
      'a webhook by ftp',
      definition({ webhooks: [{ url: 'ftp://studio.example/', secret: 'hook' }] }),
      ['#/webhooks/0/url'],
    ],
    [
      'a webhook for no events',
      definition({ webhooks: [{ url: 'https://example.com', secret: 'hook', events: [] }] }),
      ['#/webhooks/0/events'],
    ],
    [
      'an unknown event',
      { ...definition(), webhooks: [{ url: 'https://example.com', secret: 'hook', events: ['MatchMade'] }] },
      ['#/webhooks/0/events/0'],
    ],
    [
      'too many webhooks',
      definition({ webhooks: Array(6).fill({ url: 'https://example.com', secret: 'hook' }) }),
      ['#/webhooks'],
    ],
    [
      'several faults at once',
      { ...definition(), teamSize: 0, tickSeconds: -1, colour: 1 },
      ['#/teamSize', '#/tickSeconds', '#/colour'],
    ],
  ])('with %s is rejected with the invalid fields', (_, value, pointers) => {
    expect(faults(value)).toEqual(pointers);
  });

  it.each([
    ['three teams of four', definition({ teamSize: 4, teams: 3 })],
    ['twenty squads of three', definition({ teamSize: 3, teams: 20 })],
    ['a hundred on their own', definition({ teamSize: 1, teams: 100 })],
    ['two teams of a hundred', definition({ teamSize: 100 })],
    ['one against four', shaped([side('killer', 1, { offset: 200 }), side('survivors', 4)])],
    ['one team', shaped([side('crew', 4)])],
    [
      'teams with roles that may start short',
      {
        ...shaped([
          side('attack', 6, { minSize: 5, roles: { tank: 2, damage: 4 } }),
          side('defence', 3, { count: 2 }),
        ]),
        short: { afterSeconds: 30, cost: 25 },
      },
    ],
  ])('may describe %s', (_, value) => {
    expect(faults(value)).toEqual([]);
  });

  it('may have a single seat, for games that one player starts', () => {
    expect(faults(shaped([side('racer', 1)]))).toEqual([]);
  });

  it('names the expectation, the value and what to do when teams contradict each other', () => {
    expect(() => checkQueueDefinition(shaped([side('a', 150), side('b', 51)]), 'big.json')).toThrow(
      'big.json is not valid: #/teams: Expected 1 to 200 seats in all teams together, got 201: change the sizes or the number of teams',
    );
    expect(() => checkQueueDefinition(shaped([side('a', 4, { minSize: 3 })]), 'short.json')).toThrow(
      'Expected short beside a minSize, got none: say after how many seconds a team may start with fewer players',
    );
  });

  it('has a rule that gives each match its region when its provisioner has an allocator for each', () => {
    const placed = (more: object) =>
      faults(
        definition({
          provisioner: {
            type: 'agones',
            allocator: { eu: 'https://eu.example.com/' },
            certificate: 'shared/c',
          },
          ...more,
        }),
      );
    const ping = { name: 'Ping', type: 'latency', max: 80 };
    expect(placed({})).toEqual(['#/provisioner']);
    expect(placed({ rules: [{ ...ping, relax: [{ waitSeconds: 30, off: true }] }] })).toEqual([
      '#/provisioner',
    ]);
    expect(placed({ rules: [ping] })).toEqual([]);
    expect(placed({ rules: [{ ...ping, relax: [{ waitSeconds: 30, max: 200 }] }] })).toEqual([]);
  });

  it('has at most the bytes that a request may have', () => {
    const attributes = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [
        `a${i}`,
        { type: 'string', values: Array.from({ length: 50 }, (_, v) => `${'é'.repeat(60)}${v}`) },
      ]),
    );
    expect(() => checkQueueDefinition({ ...definition(), attributes }, 'large.json')).toThrow(
      /large\.json is not valid: #: Expected a definition of at most 65536 bytes as JSON, which is what PUT takes, got 7\d\d\d\d/,
    );
  });

  it('that is not JSON is rejected with its source', () => {
    expect(() => parseQueueDefinition('{ "name": ', 'queues/broken.json')).toThrow(
      /queues\/broken\.json.*JSON/,
    );
  });
});
