import { describe, expect, it } from 'vitest';
import { Problem } from '../../lib/contract/problem.ts';
import { checkQueueDefinition } from '../../lib/contract/queue-definition.ts';
import { misfits } from '../../lib/service/tickets/misfits.ts';
import { definition } from '../service/definitions.ts';

const attributes = {
  level: { type: 'number', min: 1, max: 50 },
  patch: { type: 'string', values: ['1.0', '1.1'] },
  maps: { type: 'strings', values: ['docks', 'mill'], default: ['docks'] },
  points: { type: 'number', min: 10, max: 20, default: 10 },
} as const;

/** The faults of a definition with these attributes and rules, by pointer. */
function faults(rules: readonly object[], more: object = {}): Record<string, string> {
  try {
    checkQueueDefinition({ ...definition({ teamSize: 2 }), attributes, rules, ...more }, 'the definition');
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    const { errors } = error as Problem;
    return Object.fromEntries(errors.map(({ pointer, detail }) => [pointer, detail]));
  }
  return {};
}

const within = { name: 'Level', type: 'within', attribute: 'level', max: 10 };

describe('the rules of a definition', () => {
  it('may be of every type', () => {
    const rules = [
      { name: 'Patch', type: 'same', attribute: 'patch' },
      { name: 'Levels', type: 'different', attribute: 'level', scope: 'team' },
      {
        ...within,
        party: 'mean',
        cost: 2,
        relax: [
          { waitSeconds: 10, max: 20 },
          { waitSeconds: 30, off: true },
        ],
      },
      { name: 'Map', type: 'common', attribute: 'maps', atLeast: 1 },
      { name: 'Wanted', type: 'accepted', attribute: 'maps', by: 'maps' },
      { name: 'Veterans', type: 'count', attribute: 'patch', value: '1.1', atLeast: 1, atMost: 4 },
      { name: 'Even', type: 'balance', attribute: 'skill', max: 100 },
      { name: 'Sum', type: 'compare', left: { of: 'sum', attribute: 'level' }, op: '<=', right: 100 },
      { name: 'Ping', type: 'latency', max: 80, relax: [{ waitSeconds: 20, max: 150 }] },
      { name: 'Rematch', type: 'recent', seconds: 600, scope: 'opponents', cost: 5 },
      {
        name: 'Either',
        type: 'anyOf',
        rules: [
          { type: 'same', attribute: 'patch' },
          { type: 'within', attribute: 'level', max: 3 },
        ],
      },
    ];
    expect(faults(rules, { relaxBy: 'oldest' })).toEqual({});
  });

  it('has an effect: rules between teams are rejected where a match has one team', () => {
    const teams = (count: number) => ({ teamSize: undefined, teams: [{ name: 'crew', size: 4, count }] });
    const balance = { type: 'balance', attribute: 'level', max: 5 };
    const rules = [
      { name: 'Even', ...balance },
      { name: 'Rematch', type: 'recent', seconds: 600, scope: 'opponents' },
      { name: 'Again', type: 'recent', seconds: 600, scope: 'teammates' },
      { name: 'Either', type: 'anyOf', rules: [{ type: 'same', attribute: 'patch' }, balance] },
    ];
    expect(faults(rules, teams(1))).toEqual({
      '#/rules/0/type': expect.stringMatching(
        /holds in every match: balance compares teams, and a match has one team/,
      ),
      '#/rules/1/scope': expect.stringMatching(/opponents play in different teams, and a match has one/),
      '#/rules/3/rules/1/type': expect.stringMatching(/balance compares teams, and a match has one team/),
    });
    expect(faults(rules, teams(2))).toEqual({});
  });

  it.each<[string, object[], string, RegExp]>([
    [
      'an unknown attribute',
      [{ ...within, attribute: 'rank' }],
      '#/rules/0/attribute',
      /rank.*known are level, patch, maps/,
    ],
    [
      'an attribute of another type',
      [{ ...within, attribute: 'patch' }],
      '#/rules/0/attribute',
      /number.*patch.*string/,
    ],
    ['two rules of one name', [within, { ...within, max: 5 }], '#/rules/1/name', /unique name.*"Level"/],
    [
      'a rule that permits everything',
      [{ name: 'L', type: 'within', attribute: 'level' }],
      '#/rules/0/max',
      /max, cost or both/,
    ],
    [
      'a limit that relaxes the wrong way',
      [{ ...within, relax: [{ waitSeconds: 5, max: 8 }] }],
      '#/rules/0/relax/0/max',
      /more than the 10 before, got 8/,
    ],
    [
      'a count that relaxes the wrong way',
      [
        {
          name: 'C',
          type: 'count',
          attribute: 'patch',
          value: '1.0',
          atLeast: 2,
          relax: [{ waitSeconds: 5, atLeast: 3 }],
        },
      ],
      '#/rules/0/relax/0/atLeast',
      /less than the 2 before, got 3/,
    ],
    [
      'steps that do not ascend',
      [
        {
          ...within,
          relax: [
            { waitSeconds: 9, max: 12 },
            { waitSeconds: 9, max: 15 },
          ],
        },
      ],
      '#/rules/0/relax/1/waitSeconds',
      /more than the 9/,
    ],
    [
      'a step that changes nothing',
      [{ ...within, relax: [{ waitSeconds: 9 }] }],
      '#/rules/0/relax/0',
      /off or a key that changes, got neither/,
    ],
    [
      'a step after the rule is off',
      [
        {
          ...within,
          relax: [
            { waitSeconds: 9, off: true },
            { waitSeconds: 20, max: 15 },
          ],
        },
      ],
      '#/rules/0/relax/1',
      /no step after step 0/,
    ],
    [
      'a value that the attribute does not have',
      [{ name: 'C', type: 'count', attribute: 'patch', value: '2.0', atLeast: 1 }],
      '#/rules/0/value',
      /one of 1\.0, 1\.1, got "2\.0"/,
    ],
    [
      'more players than a game has',
      [{ name: 'C', type: 'count', attribute: 'patch', value: '1.0', atLeast: 5 }],
      '#/rules/0/atLeast',
      /at most the 4 players/,
    ],
    [
      'a count without limits',
      [{ name: 'C', type: 'count', attribute: 'patch', value: '1.0' }],
      '#/rules/0/atLeast',
      /atLeast, atMost or both/,
    ],
    [
      'a least count above the most',
      [{ name: 'C', type: 'count', attribute: 'patch', value: '1.0', atLeast: 3, atMost: 1 }],
      '#/rules/0/atLeast',
      /at most atMost \(1\)/,
    ],
    [
      'two latency rules',
      [
        { name: 'A', type: 'latency', max: 50 },
        { name: 'B', type: 'latency', cost: 1 },
      ],
      '#/rules/1/type',
      /one latency rule/,
    ],
    [
      'a kind of team without names',
      [{ name: 'C', type: 'count', attribute: 'patch', value: '1.0', atLeast: 1, team: 'red' }],
      '#/rules/0/team',
      /its teams have no names/,
    ],
    [
      'a comparison of two numbers',
      [{ name: 'C', type: 'compare', left: 1, op: '<=', right: 2 }],
      '#/rules/0/left',
      /measure of players/,
    ],
    [
      'a comparison without op and max',
      [{ name: 'C', type: 'compare', left: { of: 'mean', attribute: 'level' }, right: 2 }],
      '#/rules/0/op',
      /op or max, got none/,
    ],
    [
      'a fault within anyOf',
      [
        {
          name: 'C',
          type: 'anyOf',
          rules: [
            { type: 'same', attribute: 'rank' },
            { type: 'same', attribute: 'patch' },
          ],
        },
      ],
      '#/rules/0/rules/0/attribute',
      /rank/,
    ],
    [
      'an alternative that tightens',
      [
        {
          name: 'C',
          type: 'anyOf',
          rules: [
            { type: 'same', attribute: 'patch' },
            { type: 'within', attribute: 'level', max: 5, relax: [{ waitSeconds: 5, max: 3 }] },
          ],
        },
      ],
      '#/rules/0/rules/1/relax/0/max',
      /more than the 5 before, got 3/,
    ],
    [
      'a kind of team that there is not',
      [{ ...within, team: 'red' }],
      '#/rules/0/team',
      /a kind of team of this queue, got "red"/,
    ],
    [
      'more shared values than there are',
      [{ name: 'C', type: 'common', attribute: 'maps', atLeast: 3 }],
      '#/rules/0/atLeast',
      /at most the 2 values/,
    ],
    [
      'more accepted values than there are',
      [{ name: 'A', type: 'accepted', attribute: 'maps', by: 'maps', atLeast: 3 }],
      '#/rules/0/atLeast',
      /at most the 2 values/,
    ],
    [
      'more counted players than a team has',
      [{ name: 'C', type: 'count', attribute: 'patch', value: '1.0', atLeast: 3, scope: 'team' }],
      '#/rules/0/atLeast',
      /at most the 2 players of a team, got 3/,
    ],
    [
      'fewer values than players who have to differ',
      [{ name: 'D', type: 'different', attribute: 'patch' }],
      '#/rules/0/attribute',
      /at least 4 values, .* got patch with 2/,
    ],
    [
      'a measure that no values reach',
      [{ name: 'C', type: 'compare', left: { of: 'least', attribute: 'level' }, op: '>=', right: 60 }],
      '#/rules/0/right',
      /from 1 to 50, .* got 60/,
    ],
    [
      'a count that no game has',
      [{ name: 'C', type: 'compare', left: { of: 'count', attribute: 'level' }, op: '>=', right: 5 }],
      '#/rules/0/right',
      /from 0 to 4, as the count of level is, got 5/,
    ],
    [
      'a sum that the players cannot have, also after its steps',
      [
        {
          name: 'C',
          type: 'compare',
          left: { of: 'sum', attribute: 'level' },
          op: '>=',
          right: 300,
          relax: [{ waitSeconds: 5, right: 201 }],
        },
      ],
      '#/rules/0/right',
      /from 0 to 200, as the sum of level is, got 300/,
    ],
    [
      'a number on the left that no values reach',
      [{ name: 'C', type: 'compare', left: 60, op: '<=', right: { of: 'mean', attribute: 'level' } }],
      '#/rules/0/left',
      /from 1 to 50, as the mean of level is, got 60/,
    ],
    [
      'a difference that no values have',
      [{ name: 'C', type: 'compare', left: { of: 'mean', attribute: 'level' }, max: 9, right: 60 }],
      '#/rules/0/right',
      /from 1 to 50, .* got 60/,
    ],
    [
      'measures that never meet',
      [
        {
          name: 'C',
          type: 'compare',
          left: { of: 'count', attribute: 'skill' },
          op: '>=',
          right: { of: 'mean', attribute: 'points' },
        },
      ],
      '#/rules/0/right',
      /from 0 to 4, as the count of skill is, got a number from 10 to 20 as the mean of points/,
    ],
  ])('are rejected with %s', (_, rules, pointer, message) => {
    const found = faults(rules);
    expect(Object.keys(found)).toEqual([pointer]);
    expect(found[pointer]).toMatch(message);
  });

  it.each<[string, object, string, RegExp]>([
    [
      'same in teams of one',
      { type: 'same', attribute: 'patch', scope: 'team' },
      'scope',
      /each team has one/,
    ],
    [
      'different in teams of one',
      { type: 'different', attribute: 'level', scope: 'team' },
      'scope',
      /each team/,
    ],
    [
      'within in teams of one',
      { type: 'within', attribute: 'level', cost: 1, scope: 'team' },
      'scope',
      /each team/,
    ],
    [
      'recent mates of teams of one',
      { type: 'recent', seconds: 60, scope: 'teammates' },
      'scope',
      /each team/,
    ],
    ['same of one value', { type: 'same', attribute: 'mode' }, 'attribute', /mode has one value/],
    ['a wide within', { type: 'within', attribute: 'level', max: 60 }, 'max', /level differ by at most 49/],
    ['a wide balance', { type: 'balance', attribute: 'level', max: 49 }, 'max', /level differ by at most 49/],
    [
      'a count that all players may have',
      { type: 'count', attribute: 'patch', value: '1.0', atLeast: 0, atMost: 2 },
      'atMost',
      /no more than 2 players are counted/,
    ],
    [
      'a comparison within the limits',
      { type: 'compare', left: { of: 'sum', attribute: 'level' }, op: '<=', right: 100 },
      'right',
      /all values that the sides can have/,
    ],
    [
      'a comparison with itself',
      {
        type: 'compare',
        left: { of: 'mean', attribute: 'skill' },
        max: 3,
        right: { of: 'mean', attribute: 'skill' },
      },
      'right',
      /same measure/,
    ],
    [
      'an alternative that always holds',
      {
        type: 'anyOf',
        rules: [
          { type: 'same', attribute: 'patch' },
          { type: 'different', attribute: 'level', scope: 'team' },
        ],
      },
      'rules/1/scope',
      /each team has one/,
    ],
    [
      'a step after the time-out',
      { type: 'same', attribute: 'patch', relax: [{ waitSeconds: 61, off: true }] },
      'relax/0/waitSeconds',
      /at most timeoutSeconds \(60\), got 61/,
    ],
  ])('are rejected without effect: %s', (_, rule, at, message) => {
    const more = { teamSize: 1, attributes: { ...attributes, mode: { type: 'string', values: ['duel'] } } };
    const found = faults([{ name: 'R', ...rule }], more);
    expect(Object.keys(found)).toEqual([`#/rules/0/${at}`]);
    expect(found[`#/rules/0/${at}`]).toMatch(message);
  });

  it('are rejected when they compare the players of a kind of team that has one', () => {
    const teams = ['killer', 'survivors'].map((name, i) => ({ name, size: 1 + 3 * i }));
    const rules = (team: string) => [{ name: 'R', type: 'same', attribute: 'patch', team }];
    expect(faults(rules('killer'), { teamSize: undefined, teams })).toEqual({
      '#/rules/0/team': expect.stringMatching(/team killer has one/),
    });
    expect(faults(rules('survivors'), { teamSize: undefined, teams })).toEqual({});
  });

  it('are rejected when a kind of team has fewer players than they count in it', () => {
    const rules = [
      { name: 'C', type: 'count', attribute: 'patch', value: '1.0', atLeast: 2, team: 'killer' },
    ];
    const teams = [
      { name: 'killer', size: 1 },
      { name: 'survivors', size: 4 },
    ];
    expect(faults(rules, { teamSize: undefined, teams })).toEqual({
      '#/rules/0/atLeast': 'Expected at most the 1 players of team killer, got 2: lower it',
    });
  });

  it('may forbid every game until they are turned off, or only cost', () => {
    const off = [{ waitSeconds: 9, off: true }];
    const rule = { name: 'D', type: 'different', attribute: 'patch' };
    expect(faults([{ ...rule, relax: off }])).toEqual({});
    expect(faults([{ ...rule, cost: 3 }])).toEqual({});
  });

  it.each<[string, object, string, RegExp]>([
    [
      'a default out of range',
      { level: { type: 'number', max: 5, default: 9 } },
      '#/attributes/level/default',
      /up to 5, got 9/,
    ],
    [
      'a default that is not among the values',
      { map: { type: 'string', values: ['a'], default: 'b' } },
      '#/attributes/map/default',
      /one of a, got "b"/,
    ],
    [
      'a least value above the greatest',
      { level: { type: 'number', min: 9, max: 5 } },
      '#/attributes/level/max',
      /at least min \(9\), got 5/,
    ],
    ['the name skill', { skill: { type: 'number' } }, '#/attributes/skill', /another name than skill/],
  ])('are rejected with attributes that have %s', (_, faulty, pointer, message) => {
    const found = faults([{ name: 'R', type: 'recent', seconds: 60 }], { attributes: faulty });
    expect(Object.keys(found)).toEqual([pointer]);
    expect(found[pointer]).toMatch(message);
  });
});

/** Teams of one, among which a party of two is divided. */
const ONE_EACH = { teamSize: 1 };

describe('a ticket in a queue with rules', () => {
  const queue = checkQueueDefinition(
    { ...definition(), attributes, rules: [{ name: 'Ping', type: 'latency', max: 80 }] },
    'the definition',
  );
  const fine = {
    playerId: 'p',
    skill: 1,
    attributes: { level: 3, patch: '1.0' },
    latencyMs: { east: 40 },
  };

  it('fits with its attributes and a latency, and a default replaces a missing attribute', () => {
    expect(misfits({ players: [fine] }, queue)).toEqual([]);
  });

  it.each<[string, object, string, RegExp]>([
    [
      'lacks an attribute',
      { attributes: { level: 3 } },
      '#/players/0/attributes/patch',
      /got nothing.*no default/,
    ],
    [
      'has an unknown attribute',
      { attributes: { level: 3, patch: '1.0', rank: 2 } },
      '#/players/0/attributes/rank',
      /level, patch, maps/,
    ],
    [
      'has a value out of range',
      { attributes: { level: 99, patch: '1.0' } },
      '#/players/0/attributes/level',
      /from 1 to 50, got 99/,
    ],
    [
      'has a value of another type',
      { attributes: { level: '3', patch: '1.0' } },
      '#/players/0/attributes/level',
      /a number, got "3"/,
    ],
    [
      'has a value that is not listed',
      { attributes: { level: 3, patch: '1.0', maps: ['fort'] } },
      '#/players/0/attributes/maps',
      /docks, mill, got "fort"/,
    ],
    ['lacks a latency', { latencyMs: {} }, '#/players/0/latencyMs', /at least one region.*Ping/],
    ['avoids its own player', { avoid: ['p'] }, '#/players/0/avoid', /p, who is in this ticket/],
  ])('is rejected when a player %s', (_, changes, pointer, message) => {
    const found = misfits({ players: [{ ...fine, ...changes }] }, queue);
    expect(found.map((fault) => fault.pointer)).toEqual([pointer]);
    expect(found[0]!.detail).toMatch(message);
  });

  it.each<[string, object, object, object, RegExp, object?]>([
    ['same', { type: 'same', attribute: 'patch' }, {}, { patch: '1.1' }, /patch \["1.0","1.1"\]/],
    ['different', { type: 'different', attribute: 'level', scope: 'team' }, {}, {}, /level \[3,3\]/],
    [
      'within, after its last step',
      { type: 'within', attribute: 'level', max: 5, relax: [{ waitSeconds: 9, max: 20 }] },
      {},
      { level: 40 },
      /one match under the rule R .*"max":20.*level \[3,40\]/,
    ],
    ['common', { type: 'common', attribute: 'maps' }, { maps: ['docks'] }, { maps: ['mill'] }, /docks.*mill/],
    ['accepted', { type: 'accepted', attribute: 'maps', by: 'maps' }, {}, { maps: ['mill'] }, /docks.*mill/],
    [
      'count',
      { type: 'count', attribute: 'patch', value: '1.0', atMost: 1 },
      {},
      {},
      /patch \["1.0","1.0"\]/,
    ],
    [
      'balance',
      { type: 'balance', attribute: 'level', max: 5 },
      {},
      { level: 40 },
      /level \[3,40\]/,
      ONE_EACH,
    ],
    [
      'compare',
      { type: 'compare', left: { of: 'least', attribute: 'level' }, op: '>=', right: 5 },
      {},
      { level: 40 },
      /level \[3,40\]/,
    ],
    ['latency', { type: 'latency', max: 80 }, {}, { west: 40 }, /latencyMs \[{"east":40},{"west":40}\]/],
    [
      'anyOf',
      {
        type: 'anyOf',
        rules: [
          { type: 'same', attribute: 'patch' },
          { type: 'within', attribute: 'level', max: 5 },
        ],
      },
      {},
      { patch: '1.1', level: 40 },
      /patch \["1.0","1.1"\] and level \[3,40\]/,
    ],
    [
      'a kind of team',
      { type: 'same', attribute: 'patch', team: 'crew' },
      {},
      { patch: '1.1' },
      /on one team under the rule R/,
      { teamSize: undefined, teams: [{ name: 'crew', size: 2, count: 2 }] },
    ],
  ])('is rejected when its own players violate a rule of %s', (_, rule, a, b, message, more = {}) => {
    const ruled = checkQueueDefinition(
      { ...definition({ teamSize: 2, ...more }), attributes, rules: [{ name: 'R', ...rule }] },
      'the definition',
    );
    const player = (playerId: string, { west, ...own }: { west?: number }) => ({
      ...fine,
      playerId,
      attributes: { ...fine.attributes, ...own },
      ...(west !== undefined && { latencyMs: { west } }),
    });
    const split = more === ONE_EACH;
    const found = misfits({ players: [player('p', a), player('q', b)], split }, ruled);
    expect(found.map(({ pointer }) => pointer)).toEqual(['#/players']);
    expect(found[0]!.detail).toMatch(message);
    expect(found[0]!.detail).toMatch(/under the rule R/);
    const relaxed = {
      ...ruled,
      rules: [{ ...ruled.rules![0]!, relax: [{ waitSeconds: 9, off: true as const }] }],
    };
    expect(misfits({ players: [player('p', a), player('q', b)], split }, relaxed)).toEqual([]);
  });
});
