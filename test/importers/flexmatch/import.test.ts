import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkQueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { flexmatch } from '../../../lib/importers/flexmatch/flexmatch.ts';
import type { FlexMatchRuleSet } from '../../../lib/importers/flexmatch/rule-set.ts';
import { Source } from '../../../lib/importers/flexmatch/source.ts';
import { ticketsOf } from '../../../lib/importers/flexmatch/tickets.ts';
import { type ImportOptions, imported as importedBy } from '../../../lib/importers/importer.ts';
import { file, muster } from '../../cli/muster.ts';
import { seeded } from '../../engine/random-pool.ts';
import { sample } from '../../long.ts';
import { pointersOf } from '../pointers.ts';
import type { FlexRuleSet } from './judge.ts';
import { play } from './play.ts';
import * as ruleSets from './rule-sets.ts';

type Imported = ReturnType<typeof importedBy<FlexMatchRuleSet>>;
const imported = (ruleSet: object, options: ImportOptions = {}) =>
  importedBy(flexmatch, ruleSet, 'rules.json', options);
const outcomes = ({ lines }: Pick<Imported, 'lines'>) =>
  Object.fromEntries(lines.map(({ property, outcome }) => [property, outcome]));
const notes = ({ lines }: Pick<Imported, 'lines'>) =>
  Object.fromEntries(lines.map(({ property, note }) => [property, note ?? '']));
/** The properties that are not the same. */
const differing = ({ lines }: Pick<Imported, 'lines'>) =>
  lines.filter(({ outcome }) => outcome !== 'same').map(({ property }) => property);

const { rules: tighteningRules } = ruleSets.tightening;
const numberOf = (name: string, more = {}) => ({ name, type: 'number', ...more });
/** One against one, with these attributes and rules. */
const duel = (
  playerAttributes: { name: string; type: string; default?: unknown; unit?: string }[],
  rules: object[],
  expansions: { target: string; steps: { waitTimeSeconds: number; value: number }[] }[] = [],
) => ({
  name: 'duel',
  ruleLanguageVersion: '1.0',
  playerAttributes,
  teams: ['red', 'blue'].map((name) => ({ name, minPlayers: 1, maxPlayers: 1 })),
  rules,
  expansions,
});

const near = {
  name: 'Near',
  type: 'distance',
  measurements: ['max(flatten(teams[*].players.attributes[skill]))'],
  referenceValue: 'min(flatten(teams[*].players.attributes[skill]))',
  maxDistance: 3,
};

function wider(steps: readonly (readonly [number, number])[]) {
  return {
    target: 'rules[Near].maxDistance',
    steps: steps.map(([waitTimeSeconds, value]) => ({ waitTimeSeconds, value })),
  };
}

describe('a FlexMatch rule set', () => {
  it('of very many teams is converted, and the queue says how many a match may have', async () => {
    const ruleSet = {
      ...duel(
        [numberOf('skill')],
        [
          {
            ...near,
            type: 'distance',
            measurements: ['avg(teams[*].players.attributes[skill])'],
            referenceValue: 'avg(flatten(teams[*].players.attributes[skill]))',
          },
        ],
      ),
      teams: [{ name: 'red', minPlayers: 1, maxPlayers: 1, quantity: 1e10 }],
    };
    const { definition } = imported(ruleSet);
    expect(definition).toMatchObject({ teams: [{ name: 'red', size: 1, count: 1e10 }] });
    expect(() => checkQueueDefinition(definition, 'it')).toThrow(
      '#/teams/0/count: Expected a number up to 100',
    );
  });

  it('of two even teams becomes a balance rule that relaxes with the original', () => {
    const { definition, ...rest } = imported(ruleSets.evenTeams);
    expect(definition).toMatchObject({
      name: 'even-teams',
      teams: [
        { name: 'red', size: 3, minSize: 2 },
        { name: 'blue', size: 3, minSize: 2 },
      ],
      short: { afterSeconds: 0, cost: 1_000_000 },
      backfill: { priority: 'normal' },
      rules: [
        {
          name: 'FairTeams',
          type: 'balance',
          attribute: 'skill',
          max: 20,
          relax: [
            { waitSeconds: 5, max: 100 },
            { waitSeconds: 15, max: 200 },
          ],
        },
        { name: 'EqualSizes', type: 'compare', op: '=', left: { of: 'count', team: 'red' } },
      ],
    });
    expect(differing(rest)).toEqual([]);
  });

  it('whose team sizes expand counts the players of the team, and the larger match goes first', () => {
    const { definition, ...rest } = imported(ruleSets.hunters);
    expect(definition).toMatchObject({
      teams: [{ name: 'hunters', size: 5, minSize: 4 }, { name: 'monster' }],
    });
    expect((definition.rules as object[])[0]).toMatchObject({
      name: 'hunters minPlayers',
      left: { of: 'count', team: 'hunters' },
      op: '>=',
      right: 5,
      relax: [{ waitSeconds: 30, right: 4 }],
    });
    expect(notes(rest)['teams[hunters]']).toMatch(/larger matches go first.*backfill/);
    expect(differing(rest)).toEqual([]);
  });

  it('whose limits follow the oldest ticket keeps that, and its parties count player by player', () => {
    const { definition, ...rest } = imported(ruleSets.intersections);
    expect(definition).toMatchObject({
      teams: [{ name: 'side', size: 2, count: 2 }],
      relaxBy: 'oldest',
      backfill: { priority: 'low' },
    });
    expect(differing(rest)).toEqual([]);
    expect(notes(rest)['rules[Modes]']).toMatch(/each player of a party counts/);
  });

  it('with a compound rule becomes anyOf, and block lists become the avoid of tickets', () => {
    const { definition, ...rest } = imported(ruleSets.compound);
    expect(definition).toMatchObject({
      rules: [{ name: 'Either', type: 'anyOf', rules: [{ type: 'same' }, { type: 'within' }] }],
    });
    expect(definition.attributes).not.toHaveProperty('blocked');
    expect(differing(rest)).toEqual([]);
    expect(notes(rest)['rules[Blocked]']).toMatch(/avoid/);
    expect(notes(rest)['rules[SameMode]']).toMatch(/part of Either/);
  });

  it('with a compound rule that is not possible says so of its parts, which do not hold', () => {
    const { rules } = ruleSets.compound;
    const far = { name: 'Far', type: 'latency', maxLatency: 200, maxDistance: 50, distanceReference: 'min' };
    const either = rules.map((rule) =>
      rule.name === 'Either' ? { ...rule, statement: 'or(SameMode, Far)' } : rule,
    );
    const { definition, ...rest } = imported({ ...ruleSets.compound, rules: [...either, far] });
    expect(definition.rules).not.toContainEqual(expect.objectContaining({ name: 'SameMode' }));
    expect(outcomes(rest)).toMatchObject({
      'rules[Either]': 'not possible',
      'rules[SameMode]': 'not possible',
      'rules[Far]': 'not possible',
    });
    expect(notes(rest)['rules[SameMode]']).toMatch(/part of Either, which is not possible/);
  });

  it('whose limits relax within a compound rule relaxes the alternatives of anyOf', () => {
    const expansions = [
      { target: 'rules[SameRating].maxDistance', steps: [{ waitTimeSeconds: 9, value: 7 }] },
    ];
    const { definition, ...rest } = imported({ ...ruleSets.compound, expansions });
    expect(definition.rules).toMatchObject([
      { rules: [{ type: 'same' }, { type: 'within', max: 2, relax: [{ waitSeconds: 9, max: 7 }] }] },
    ]);
    expect(differing(rest)).toEqual([]);
  });

  it('whose block lists relax, or are one of several conditions, still avoids blocked players, and says so', () => {
    const target = 'rules[Blocked].maxCount';
    const relaxing = {
      ...ruleSets.compound,
      expansions: [{ target, steps: [{ waitTimeSeconds: 9, value: 1 }] }],
    };
    expect(outcomes(imported(relaxing))[`expansions[${target}]`]).toBe('nearly the same');
    const either = { name: 'Either', type: 'compound', statement: 'or(SameMode, Blocked)' };
    const rules = [...ruleSets.compound.rules.filter(({ name }) => name !== 'Either'), either];
    expect(outcomes(imported({ ...ruleSets.compound, rules }))['rules[Either]']).toBe('nearly the same');
  });

  it('with an xor of three rules holds where exactly one of them does', () => {
    const each = (name: string, value: string) => ({
      name,
      type: 'collection',
      operation: 'contains',
      measurements: ['flatten(teams[*].players.attributes[modes])'],
      referenceValue: value,
      minCount: 1,
    });
    const one = { name: 'One', type: 'compound', statement: 'xor(A, B, C)' };
    const rules = [each('A', 'duel'), each('B', 'raid'), each('C', 'medic'), one];
    const ruleSet = duel([{ name: 'modes', type: 'string_list' }], rules);
    expect(differing(imported(ruleSet))).toEqual([]);
    expect(play(ruleSet, seeded(6), 60).matches).toBeGreaterThan(5);
  });

  it('with two compound rules that share a rule has that rule once', () => {
    const rules = [
      ...ruleSets.compound.rules.slice(0, 2),
      { name: 'A', type: 'compound', statement: 'and(SameMode, SameRating)' },
      { name: 'B', type: 'compound', statement: 'and(SameMode, or(SameMode, SameRating))' },
    ];
    const { definition, ...rest } = imported({ ...ruleSets.compound, rules });
    const names = (definition.rules as { name: string }[]).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => name === 'SameMode')).toHaveLength(1);
    expect(differing(rest)).toEqual([]);
  });

  it('whose limits tighten has the stricter limit before that step too, and says so', () => {
    const { definition, ...rest } = imported(ruleSets.tightening);
    const [near, medic] = definition.rules as { relax?: object[] }[];
    expect(near).toMatchObject({
      max: 3,
      relax: [
        { waitSeconds: 5, max: 5 },
        { waitSeconds: 20, max: 6 },
      ],
    });
    expect(medic).toMatchObject({ atLeast: 1, atMost: 4 });
    expect(medic!.relax).toBeUndefined();
    const targets = rest.lines.filter(({ property }) => property.startsWith('expansions'));
    expect(targets.map(({ outcome }) => outcome)).toEqual(['nearly the same', 'nearly the same']);
    for (const { note } of targets) expect(note).toMatch('never tightens');
  });

  it.each<[string, object, object]>([
    ['so many players', { minCount: 2 }, { type: 'count', value: 'medic', atLeast: 2 }],
    ['so many at most', { maxCount: 2 }, { type: 'count', value: 'medic', atMost: 2 }],
    ['none', { maxCount: 0 }, { type: 'count', value: 'medic', atMost: 0 }],
  ])('that counts %s with a value counts players', (_, changes, rule) => {
    const [, medic] = tighteningRules;
    const rules = [{ ...medic, minCount: undefined, maxCount: undefined, ...changes }];
    const { definition, ...rest } = imported(
      JSON.parse(JSON.stringify({ ...ruleSets.tightening, rules, expansions: [] })),
    );
    expect(definition.rules).toMatchObject([rule]);
    expect(differing(rest)).toEqual([]);
  });

  it('whose common values relax to none turns that rule off', () => {
    const [modes] = ruleSets.intersections.rules;
    const expansions = [{ target: 'rules[Modes].minCount', steps: [{ waitTimeSeconds: 15, value: 0 }] }];
    const { definition, ...rest } = imported({ ...ruleSets.intersections, rules: [modes], expansions });
    expect(definition.rules).toMatchObject([{ atLeast: 1, relax: [{ waitSeconds: 15, off: true }] }]);
    expect(differing(rest)).toEqual([]);
  });

  it('whose players bring what all others want keeps that, until it relaxes', () => {
    const attributes = ['mine', 'wanted'].map((name) => ({ name, type: 'string_list' }));
    const rule = {
      name: 'Wanted',
      type: 'collection',
      operation: 'reference_intersection_count',
      measurements: ['flatten(teams[*].players.attributes[mine])'],
      referenceValue: 'set_intersection(flatten(teams[*].players.attributes[wanted]))',
      minCount: 1,
    };
    const expansions = [{ target: 'rules[Wanted].minCount', steps: [{ waitTimeSeconds: 15, value: 0 }] }];
    const ruleSet = duel(attributes, [rule], expansions);
    const { definition, ...rest } = imported(ruleSet);
    expect(definition.rules).toEqual([
      {
        name: 'Wanted',
        type: 'accepted',
        attribute: 'mine',
        by: 'wanted',
        atLeast: 1,
        relax: [{ waitSeconds: 15, off: true }],
      },
    ]);
    expect(differing(rest)).toEqual([]);
    expect(play(ruleSet, seeded(5), 60).matches).toBeGreaterThan(20);
    const most = duel(
      attributes,
      [{ ...rule, minCount: undefined, maxCount: 2 }].map((one) => JSON.parse(JSON.stringify(one))),
    );
    expect(outcomes(imported(most))['rules[Wanted]']).toBe('not possible');
  });

  it('with distances within one team, and averages of a single team, means the same', () => {
    const level = 'teams[crew].players.attributes[level]';
    const teams = [{ name: 'crew', minPlayers: 1, maxPlayers: 5 }];
    const rules = [
      {
        name: 'Near',
        type: 'distance',
        measurements: [level],
        referenceValue: `avg(${level})`,
        maxDistance: 3,
      },
      {
        name: 'Own',
        type: 'distance',
        measurements: ['avg(teams[*].players.attributes[level])'],
        referenceValue: 'avg(flatten(teams[*].players.attributes[level]))',
        maxDistance: 10,
      },
    ];
    const expansions = [{ target: 'rules[Own].maxDistance', steps: [{ waitTimeSeconds: 5, value: 20 }] }];
    const { definition, ...rest } = imported({ ...duel([numberOf('level')], rules, expansions), teams });
    expect(definition.rules).toMatchObject([
      { name: 'Near', type: 'compare', left: { of: 'greatest' }, right: { of: 'mean' }, max: 3 },
      { name: 'Near 2', type: 'compare', left: { of: 'least' }, right: { of: 'mean' }, max: 3 },
    ]);
    expect(differing(rest)).toEqual([]);
    expect(notes(rest)['rules[Own]']).toMatch(/compares a value with itself/);
  });

  it('with a sort forbids nothing, and a map that only sorts use is not asked for', () => {
    const rules = [
      {
        name: 'Map',
        type: 'absoluteSort',
        sortDirection: 'descending',
        sortAttribute: 'maps',
        mapKey: 'maxValue',
      },
    ];
    const maps = { name: 'maps', type: 'string_number_map', default: { docks: 100 } };
    const algorithm = {
      strategy: 'exhaustiveSearch',
      batchingPreference: 'sorted',
      sortByAttributes: ['skill'],
    };
    const { definition, ...rest } = imported({ ...duel([maps, numberOf('skill')], rules), algorithm });
    expect(definition).not.toHaveProperty('rules');
    expect(definition).not.toHaveProperty('attributes');
    expect(differing(rest)).toEqual([]);
    expect(notes(rest)['rules[Map]']).toMatch(/it forbids no match/);
    expect(notes(rest)['playerAttributes[maps]']).toMatch(/tickets omit it/);
  });

  it('keeps the names of its teams, and says how those are named that it has several of', () => {
    const teams = [
      { name: 'Team 1', minPlayers: 2, maxPlayers: 2 },
      { name: 'squad', minPlayers: 1, maxPlayers: 1, quantity: 3 },
    ];
    const { definition, ...rest } = imported({ ...duel([], []), teams });
    expect(definition.teams).toMatchObject([{ name: 'Team-1' }, { name: 'squad', count: 3 }]);
    expect(notes(rest)['teams[Team 1]']).toMatch('its name is Team-1');
    expect(notes(rest)['teams[squad]']).toMatch('squad-1 to squad-3');
  });

  it('with nested statements becomes rules that all have to hold, some of them anyOf', () => {
    const { definition, ...rest } = imported(ruleSets.nested);
    expect(outcomes(rest)).toMatchObject({ 'rules[All]': 'same', 'rules[BlueBelowRed]': 'same' });
    const types = (definition.rules as { type: string }[]).map(({ type }) => type);
    expect(types).toContain('anyOf');
    expect(types).toContain('compare');
  });

  it.each<[string, object, string]>([
    ['two rules', { rules: [near, { ...near, maxDistance: 9 }] }, '#/rules/1/name'],
    [
      'two attributes',
      { playerAttributes: [numberOf('skill'), { name: 'skill', type: 'string' }] },
      '#/playerAttributes/1/name',
    ],
    ['two expansions', { expansions: [wider([[5, 4]]), wider([[9, 8]])] }, '#/expansions/1/target'],
    [
      'two steps at one time',
      {
        expansions: [
          wider([
            [5, 4],
            [5, 8],
          ]),
        ],
      },
      '#/expansions/0/steps/1/waitTimeSeconds',
    ],
    [
      'a step before a ticket waits',
      { expansions: [wider([[-5, 4]])] },
      '#/expansions/0/steps/0/waitTimeSeconds',
    ],
    [
      'a kind of no team',
      { teams: [{ name: 'crew', minPlayers: 1, maxPlayers: 2, quantity: 0 }] },
      '#/teams/0/quantity',
    ],
    [
      'a minimum above the maximum',
      { teams: [{ name: 'crew', minPlayers: 3, maxPlayers: 2 }] },
      '#/teams/0/minPlayers',
    ],
  ])('with %s where the language has one meaning for one is invalid', (_, changes, pointer) => {
    const act = () => imported({ ...duel([numberOf('skill')], [near]), ...changes });
    expect(pointersOf(act)).toEqual([pointer]);
  });

  it.each<[string, unknown]>([
    ['number', 'abc'],
    ['number', true],
    ['number', ''],
    ['number', [5]],
    ['number', null],
    ['string', 5],
    ['string_list', 'all'],
    ['string_number_map', { all: '' }],
  ])('with a default that is no %s is invalid: %j', (type, value) => {
    const [pointer] = pointersOf(() => imported(duel([{ name: 'rank', type, default: value }], [])));
    expect(pointer).toMatch(/^#\/playerAttributes\/0\/default/);
  });

  it('says what is wrong with values that the reference does not have', () => {
    const rules = [
      { ...near, partyAggregation: 'median' },
      { name: 'Either', type: 'compound', statement: 'or(not(nope), nope)' },
      { name: 'Deep', type: 'compound', statement: `${'not('.repeat(9_000)}Near${')'.repeat(9_000)}` },
    ];
    const odd = {
      ...duel([numberOf('skill')], rules, [
        { target: 'rules[Nope].maxDistance', steps: wider([[5, 4]]).steps },
      ]),
      algorithm: { strategy: 'magic', balancedAttribute: 'nope' },
    };
    expect(outcomes(imported(odd))).toMatchObject({
      'rules[Near].partyAggregation': 'not possible',
      'rules[Either]': 'not possible',
      'rules[Deep]': 'not possible',
      'expansions[rules[Nope].maxDistance]': 'not possible',
      'algorithm.strategy': 'not possible',
      'algorithm.balancedAttribute': 'not possible',
    });
  });

  it.each([
    [
      'a comparison of each',
      { operation: '>=', measurements: ['avg(teams[crew].players.attributes[skill])'] },
    ],
    ['a count in each', { operation: '!=', measurements: ['teams[crew].players.attributes[skill]'] }],
  ])('has no opposite of %s of several teams of a kind', (_, comparison) => {
    const rules = [
      near,
      { name: 'Crews', type: 'comparison', referenceValue: 5, ...comparison },
      { name: 'Other', type: 'compound', statement: 'or(Near, not(Crews))' },
    ];
    const crews = (quantity: number) => ({
      ...duel([numberOf('skill')], rules),
      teams: [
        { name: 'crew', minPlayers: 2, maxPlayers: 2, quantity },
        { name: 'boss', minPlayers: 1, maxPlayers: 1 },
      ],
    });
    expect(outcomes(imported(crews(1)))['rules[Other]']).toBe('same');
    expect(outcomes(imported(crews(2)))['rules[Other]']).toBe('not possible');
  });

  const ofTeams = (measure: string, attribute: string) =>
    `${measure}(teams[*].players.attributes[${attribute}])`;
  it.each([
    ['averages of two attributes', ofTeams('avg', 'skill'), ofTeams('avg', 'level')],
    ['sums of two attributes', ofTeams('sum', 'skill'), ofTeams('sum', 'level')],
    ['the ends of two attributes', `max(${ofTeams('avg', 'skill')})`, `min(${ofTeams('avg', 'level')})`],
    ['the greatest with itself', `max(${ofTeams('avg', 'skill')})`, `max(${ofTeams('avg', 'skill')})`],
  ])('has no distance of teams by %s', (_, measured, referenceValue) => {
    const rule = { ...near, measurements: [measured], referenceValue };
    const result = imported(duel([numberOf('skill'), numberOf('level')], [rule]));
    expect(outcomes(result)['rules[Near]']).toBe('not possible');
  });

  it('reads properties of the type of a rule alone, and steps of limits alone', () => {
    const rules = [
      { ...near, operation: '=', maxCount: 3 },
      { name: 'Ping', type: 'latency', maxLatency: 50, measurements: ['count(teams[*].players)'] },
    ];
    const ruleSet = duel([numberOf('skill')], rules, [
      { target: 'rules[Near].maxCount', steps: wider([[5, 4]]).steps },
    ]);
    expect(differing(imported(ruleSet))).toEqual([
      'expansions[rules[Near].maxCount]',
      'rules[Near].operation',
      'rules[Near].maxCount',
      'rules[Ping].measurements',
    ]);
  });

  it('whose limit is off from the beginning has no rule', () => {
    const modes = {
      name: 'Modes',
      type: 'collection',
      operation: 'intersection',
      measurements: ['flatten(teams[*].players.attributes[modes])'],
      minCount: 1,
    };
    const expansions = [{ target: 'rules[Modes].minCount', steps: [{ waitTimeSeconds: 0, value: 0 }] }];
    const { definition, ...rest } = imported(
      duel([{ name: 'modes', type: 'string_list' }], [modes], expansions),
    );
    expect(definition).not.toHaveProperty('rules');
    expect(differing(rest)).toEqual([]);
  });

  it('is one rule set, not the list that AWS describes', () => {
    expect(pointersOf(() => imported({ RuleSets: [{ RuleSetBody: '{}' }] }))).toEqual(['#/RuleSets']);
  });

  it('has a line for every rule, and names what has no counterpart', () => {
    for (const ruleSet of Object.values(ruleSets)) {
      if (!('rules' in ruleSet)) continue;
      const { lines } = imported(ruleSet);
      for (const { name } of ruleSet.rules)
        expect(lines.filter(({ property }) => property === `rules[${name}]`)).toHaveLength(1);
    }
    const odd = {
      ...duel(
        [{ ...numberOf('skill'), unit: 'points' }],
        [
          {
            name: 'Far',
            type: 'distance',
            measurements: ['avg(flatten(teams[*].players.attributes[skill]))'],
            referenceValue: 5,
            minDistance: 2,
          },
          { name: 'Near', type: 'latency', maxLatency: 50, maxSpeed: 3 },
          { name: 'New', type: 'weather' },
        ],
      ),
      mood: 'good',
    };
    expect(outcomes(imported(odd))).toMatchObject({
      mood: 'not possible',
      'playerAttributes[skill].unit': 'not possible',
      'rules[Far]': 'not possible',
      'rules[Near].maxSpeed': 'not possible',
      'rules[New]': 'not possible',
    });
  });
});

describe('the skill of an imported rule set', () => {
  const average = (name: string) => ({
    name: 'Fair',
    type: 'distance',
    measurements: [`avg(teams[*].players.attributes[${name}])`],
    referenceValue: `avg(flatten(teams[*].players.attributes[${name}]))`,
    maxDistance: 10,
  });
  const skillOf = (ruleSet: object, options = {}) =>
    new Source(imported(ruleSet, options).source, options).skill;

  it('is the attribute that is named, else one that is balanced, averaged, or has that name, else the only number', () => {
    const numbers = [numberOf('rank'), numberOf('skill')];
    expect(skillOf(duel(numbers, [average('rank')]), { skill: 'skill' })).toBe('skill');
    expect(skillOf({ ...duel(numbers, [average('skill')]), algorithm: { balancedAttribute: 'rank' } })).toBe(
      'rank',
    );
    expect(skillOf(duel(numbers, [average('rank')]))).toBe('rank');
    expect(skillOf(duel(numbers, []))).toBe('skill');
    expect(skillOf(duel([numberOf('rank')], []))).toBe('rank');
    expect(skillOf(duel([numberOf('rank'), numberOf('level')], []))).toBeUndefined();
  });

  it('is not asked for twice', () => {
    const { definition } = imported(duel([numberOf('rank')], [average('rank')]));
    expect(definition).not.toHaveProperty('attributes');
    expect(definition.rules).toMatchObject([{ attribute: 'skill' }]);
  });

  it('is not mixed with another attribute of the name skill', () => {
    const numbers = [numberOf('skill'), numberOf('level')];
    const rules = [average('level'), { ...average('skill'), name: 'Other' }];
    const { definition } = imported(duel(numbers, rules), { skill: 'level' });
    expect(definition.attributes).toEqual({ 'skill-2': { type: 'number' } });
    expect(definition.rules).toMatchObject([{ attribute: 'skill' }, { attribute: 'skill-2' }]);
  });

  it('is not a text of the name skill, whose rules stay', () => {
    const text = { name: 'skill', type: 'string' };
    const same = {
      name: 'Same',
      type: 'comparison',
      operation: '=',
      measurements: ['flatten(teams[*].players.attributes[skill])'],
    };
    const { definition, ...rest } = imported(duel([text], [same]));
    expect(definition.attributes).toEqual({ 'skill-2': { type: 'string' } });
    expect(definition.rules).toMatchObject([{ type: 'same', attribute: 'skill-2' }]);
    expect(notes(rest)['playerAttributes[skill]']).toMatch('its name is skill-2');
  });

  it('is refused when it is no number attribute of the rule set', () => {
    expect(() => imported(duel([numberOf('rank')], []), { skill: 'rnak' })).toThrow(
      '--skill: Expected a number attribute of the rule set (rank), got "rnak"',
    );
  });

  it('is shifted with the numbers that it is compared with, because it is not negative', () => {
    const least = {
      name: 'Least',
      type: 'comparison',
      measurements: ['flatten(teams[*].players.attributes[rank])'],
      operation: '>=',
      referenceValue: -20,
    };
    const expansions = [
      { target: 'rules[Least].referenceValue', steps: [{ waitTimeSeconds: 9, value: -50 }] },
    ];
    const { definition, ...rest } = imported(duel([numberOf('rank', { default: 0 })], [least], expansions), {
      skillOffset: 1000,
    });
    expect(definition.rules).toMatchObject([{ right: 980, relax: [{ waitSeconds: 9, right: 950 }] }]);
    expect(notes(rest)['playerAttributes[rank]']).toMatch(/send 1000 by default; add 1000 to every skill/);
    const count = {
      ...least,
      measurements: ['count(flatten(teams[*].players.attributes[rank]))'],
      referenceValue: 2,
    };
    const fewer = [{ target: 'rules[Least].referenceValue', steps: [{ waitTimeSeconds: 9, value: 1 }] }];
    const counted = imported(
      {
        ...duel([numberOf('rank')], [count], fewer),
        teams: [{ name: 'crew', minPlayers: 1, maxPlayers: 3, quantity: 2 }],
      },
      { skillOffset: 1000 },
    );
    expect(counted.definition.rules).toMatchObject([
      { left: { of: 'count' }, right: 2, relax: [{ waitSeconds: 9, right: 1 }] },
    ]);
    const sum = { ...least, measurements: ['sum(flatten(teams[*].players.attributes[rank]))'] };
    expect(outcomes(imported(duel([numberOf('rank')], [sum]), { skillOffset: 1000 }))['rules[Least]']).toBe(
      'not possible',
    );
  });
});

describe('an offset of skills', () => {
  const of = (team: string, measure: string) => `${measure}(teams[${team}].players.attributes[skill])`;
  it.each([
    ['sums of unequal teams', of('red', 'sum'), of('blue', 'sum'), 4, 'not possible'],
    ['sums of teams that are always equal', of('red', 'sum'), of('blue', 'sum'), 1, 'same'],
    ['an average and a sum', of('red', 'avg'), of('blue', 'sum'), 4, 'not possible'],
    ['a count and an average', of('red', 'count'), of('blue', 'avg'), 4, 'not possible'],
    ['the sums of all teams', `max(${of('*', 'sum')})`, `min(${of('*', 'sum')})`, 4, 'not possible'],
    ['averages', of('red', 'avg'), of('blue', 'avg'), 4, 'same'],
  ])(
    'shifts both sides of a rule alike or is not possible: %s',
    (_, measured, referenceValue, size, outcome) => {
      const teams = [
        { name: 'red', minPlayers: 1, maxPlayers: 1 },
        { name: 'blue', minPlayers: size, maxPlayers: size },
      ];
      const distance = { ...near, measurements: [measured], referenceValue };
      const comparison = { ...distance, name: 'Compared', type: 'comparison', operation: '<=' };
      const rules = measured.startsWith('max') ? [distance] : [distance, comparison];
      const result = imported({ ...duel([numberOf('skill')], rules), teams }, { skillOffset: 1000 });
      for (const { name } of rules) expect(outcomes(result)[`rules[${name}]`]).toBe(outcome);
    },
  );
});

describe('what a rule set does not say', () => {
  it('is a time-out beyond the last step, unless the configuration has one', () => {
    const expansions = [{ target: 'rules[Near].maxLatency', steps: [{ waitTimeSeconds: 400, value: 90 }] }];
    const ruleSet = duel([], [{ name: 'Near', type: 'latency', maxLatency: 50 }], expansions);
    expect(imported(ruleSet).definition).toMatchObject({ timeoutSeconds: 800 });
    expect(imported(duel([], [])).definition).toMatchObject({ timeoutSeconds: 300 });
    const { definition, ...rest } = imported(ruleSet, { timeout: 120 });
    expect(definition).toMatchObject({ timeoutSeconds: 120 });
    expect(notes(rest).timeoutSeconds).toMatch(/steps at 120 s and later have no effect/);
    expect(definition.rules).toEqual([{ name: 'Near', type: 'latency', max: 50 }]);
  });

  it('is kept where it is empty: a default of no text, and of no list', () => {
    const attributes = [
      { name: 'clan', type: 'string', default: '' },
      { name: 'modes', type: 'string_list', default: [] },
    ];
    const { definition, ...rest } = imported(duel(attributes, []));
    expect(definition.attributes).toEqual({
      clan: { type: 'string', default: '' },
      modes: { type: 'strings', default: [] },
    });
    expect(differing(rest)).toEqual([]);
  });
});

describe.each(Object.entries(ruleSets.played))('the imported rule set %s', (_, ruleSet) => {
  it('is valid; all of its matches of random tickets meet the original, and none is missing', () => {
    // Named teams and statements take longer to search.
    const rounds = ruleSet.name === 'nested' ? sample(6, 40) : sample(30, 250);
    const { matches } = play(ruleSet as unknown as FlexRuleSet, seeded(20_180), rounds);
    expect(matches).toBeGreaterThan(sample(2, 10));
  });
});

describe('a ticket of FlexMatch', () => {
  it.each<[string, object, object, string]>([
    ['a time beyond all dates', { StartTime: 1e15 }, {}, 'StartTime'],
    ['a time that is no date', { StartTime: 'yesterday' }, {}, 'StartTime'],
    ['an empty number', {}, { N: '' }, 'Players/0/PlayerAttributes/rank/N'],
    ['no number', {}, { N: null }, 'Players/0/PlayerAttributes/rank/N'],
    ['an empty number in a map', {}, { SDM: { a: '' } }, 'Players/0/PlayerAttributes/rank/SDM/a'],
  ])('with %s is invalid', (_, more, rank, pointer) => {
    const Players = [{ PlayerId: 'ann', PlayerAttributes: { rank } }];
    const { source } = imported(duel([numberOf('rank')], []));
    const act = () => ticketsOf([{ TicketId: 't-1', Players, ...more }], 'tickets.json', source, {}, 0);
    expect(pointersOf(act)).toEqual([`#/0/${pointer}`]);
  });
});

describe.concurrent('muster import flexmatch', () => {
  it('prints the definition, and on standard error the result for each property', async () => {
    const path = file('even-teams-rules.json', ruleSets.evenTeams);
    const { status, stdout, stderr } = await muster('import', 'flexmatch', path, '--name', 'fair');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'fair', teams: [{ size: 3 }, { size: 3 }] });
    expect(stderr).toContain('rules[FairTeams]: same\n');
    expect(stderr).toMatch(/teams\[red\]: same \(larger matches go first/);
  });

  it('ends with status 1 unless everything is the same, and with 2 for invalid input', async () => {
    const tightening = await muster('import', 'flexmatch', file('tightening.json', ruleSets.tightening));
    expect(tightening.status).toBe(1);
    expect(tightening.stderr).toMatch(/nearly the same \(a rule never tightens/);
    const invalid = await muster('import', 'flexmatch', file('no-rules.json', { teams: [] }));
    expect(invalid.status).toBe(2);
    expect(invalid.stderr).toContain('#/ruleLanguageVersion');
    const path = file('misspelt.json', ruleSets.evenTeams);
    const misspelt = await muster('import', 'flexmatch', path, '--skill', 'skil');
    expect(misspelt).toMatchObject({ status: 2, stdout: '' });
    expect(misspelt.stderr).toContain(
      '--skill: Expected a number attribute of the rule set (skill), got "skil"',
    );
  });

  it('reads comments and commas after the last item, as the samples of AWS have them', async () => {
    const text = `{ // two teams
      "ruleLanguageVersion": "1.0", /* the only one */
      "teams": [{ "name": "red", "minPlayers": 1, "maxPlayers": 1, "quantity": 2 },],
    }`;
    const { status, stdout } = await muster('import', 'flexmatch', file('commented.json', text));
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ teams: [{ name: 'red', count: 2 }] });
    const broken = await muster('import', 'flexmatch', file('broken.json', '{ "teams": ['));
    expect(broken.status).toBe(2);
    expect(broken.stderr).toMatch(/broken.json:1:13: invalid JSON/);
  });

  it('writes the definition to a folder, which it makes', async () => {
    const path = file('fair-rules.json', ruleSets.evenTeams);
    const folder = join(dirname(path), 'new', 'queues');
    const { status, stdout } = await muster('import', 'flexmatch', path, '--name', 'fair', '--out', folder);
    expect([status, stdout]).toEqual([0, '']);
    const written = JSON.parse(readFileSync(join(folder, 'fair.json'), 'utf8'));
    expect(written).toEqual(imported(ruleSets.evenTeams, { name: 'fair' }).definition);
  });

  it('does not write the definition over the file that it imports', async () => {
    const path = file('fair.json', ruleSets.evenTeams);
    const here = ['--name', 'fair', '--out', dirname(path)];
    const { status, stderr } = await muster('import', 'flexmatch', path, ...here);
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining(`cannot write ${path}: the command reads it`),
    ]);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(ruleSets.evenTeams);
  });

  it('reports a folder that cannot be made', async () => {
    const path = file('fair-rules.json', ruleSets.evenTeams);
    const { status, stderr } = await muster('import', 'flexmatch', path, '--out', '/proc/muster');
    expect(status).toBe(2);
    expect(stderr).toContain('cannot write /proc/muster: ');
  });

  it('tries tickets of StartMatchmaking at once', async () => {
    const ticket = (id: string, N: number, time: string) => ({
      TicketId: id,
      StartTime: time,
      Players: [
        { PlayerId: `${id}-ann`, PlayerAttributes: { rank: { N } }, LatencyInMs: { 'eu-west-1': 20 } },
      ],
    });
    const level = 'flatten(teams[*].players.attributes[rank])';
    const near = {
      name: 'Near',
      type: 'distance',
      measurements: [`max(${level})`],
      referenceValue: `min(${level})`,
      maxDistance: 5,
    };
    const rules = file('tried.json', duel([numberOf('rank', { default: 10 })], [near]));
    const tickets = file('tickets.json', {
      TicketList: [
        ticket('t-1', 10, '2026-01-31T12:00:00Z'),
        ticket('t-2', 14, '2026-01-31T12:00:05Z'),
        ticket('t-3', 40, '2026-01-31T12:00:05Z'),
      ],
    });
    const { status, stdout } = await muster('import', 'flexmatch', rules, '--try', tickets);
    expect(status).toBe(0);
    const { matches, waiting } = JSON.parse(stdout);
    const teams = matches.map((match: { teams: { players: { ticketId: string }[] }[] }) =>
      match.teams.map(({ players }) => players.map(({ ticketId }) => ticketId)),
    );
    expect(teams).toEqual([[['t-1'], ['t-2']]]);
    expect(waiting).toMatchObject([{ ticketId: 't-3' }]);
  });
});
