import { describe, expect, it } from 'vitest';
import { checkQueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { type ImportOptions, imported as importedBy } from '../../../lib/importers/importer.ts';
import { unity } from '../../../lib/importers/unity/unity.ts';
import { file, muster } from '../../cli/muster.ts';
import { pointersOf } from '../pointers.ts';

/** Where the rules and teams of the default pool are. */
const DEFINITION = 'defaultPool.matchLogic.matchDefinition.';

const imported = (queue: object, options: ImportOptions = {}) =>
  importedBy(unity, queue, 'queue.mmq', options);
const notesOf = ({ lines }: ReturnType<typeof imported>) =>
  Object.fromEntries(lines.map(({ property, outcome, note }) => [property, `${outcome}: ${note ?? ''}`]));
const differing = ({ lines }: ReturnType<typeof imported>) =>
  lines.filter(({ outcome }) => outcome !== 'same').map(({ property }) => property);

/** A pool with these rules and two teams. */
const poolOf = (matchRules: object[], team: object = {}) => ({
  name: 'default-pool',
  timeoutSeconds: 90,
  matchLogic: {
    name: 'rules',
    backfillEnabled: true,
    matchDefinition: {
      teams: [{ name: 'side', teamCount: { min: 2, max: 2 }, playerCount: { min: 1, max: 3 }, ...team }],
      matchRules,
    },
  },
});
const queueOf = (matchRules: object[], team?: object) => ({
  name: 'ranked',
  defaultPool: poolOf(matchRules, team),
});
const at = (atSeconds: number, value: unknown, ageType = 'Oldest') => ({
  type: value === undefined ? 'RuleControl.Disable' : 'ReferenceControl.Replace',
  ageType,
  atSeconds,
  ...(value !== undefined && { value }),
});

describe('a pool of Unity Matchmaker', () => {
  const near = { name: 'Near', type: 'Difference', source: 'Players.CustomData.Skill', reference: 5 };

  it('says which relaxations it ignores, and which types it does not know', () => {
    const faster = [{ type: 'ReferenceControl.Multiply', atSeconds: 5, value: 2 }, at(9, 'far')];
    const result = imported(
      queueOf(
        [
          { ...near, relaxations: faster },
          { ...near, name: 'Odd', type: 'constructor' },
        ],
        {
          playerCount: {
            min: 1,
            max: 3,
            relaxations: [{ type: 'RangeControl.ReplaceMax', atSeconds: 5, value: 4 }, at(7, undefined)],
          },
        },
      ),
    );
    expect(differing(result)).toEqual(
      expect.arrayContaining([
        `${DEFINITION}teams[side].playerCount.relaxations[0]`,
        `${DEFINITION}teams[side].playerCount.relaxations[1]`,
        `${DEFINITION}matchRules[Near].relaxations[0]`,
        `${DEFINITION}matchRules[Near].relaxations[1]`,
        `${DEFINITION}matchRules[Odd]`,
      ]),
    );
    expect(result.definition.rules).toMatchObject([{ name: 'Near', max: 5 }]);
    expect(result.definition.rules).toHaveLength(1);
  });

  it('says which values of relaxations it does not read', () => {
    const relaxations = [
      { ...at(5, undefined), value: 3 },
      { type: 'RangeControl.ReplaceMax', atSeconds: 9, value: 4 },
    ];
    const { [`${DEFINITION}matchRules[Near].relaxations[0].value`]: disabled, ...rest } = notesOf(
      imported(queueOf([{ ...near, relaxations }])),
    );
    expect(disabled).toBe('not possible: the import does not read it');
    expect(rest[`${DEFINITION}matchRules[Near].relaxations[1]`]).toMatch(
      /no counterpart here; not read: value$/,
    );
  });

  it('with a step before the first second, or a minimum above the maximum, is invalid where that stands', () => {
    const logic = poolOf([{ ...near, relaxations: [at(-5, 9)] }], {
      playerCount: { min: 4, max: 3 },
    }).matchLogic;
    expect(pointersOf(() => imported(logic))).toEqual([
      '#/matchDefinition/teams/0/playerCount/min',
      '#/matchDefinition/matchRules/0/relaxations/0/atSeconds',
    ]);
  });

  it.each([0, 0.5])('is invalid with %s teams of a kind', (count) => {
    const { matchLogic } = poolOf([near], { teamCount: { min: count, max: count } });
    expect(pointersOf(() => imported(matchLogic))).toEqual(['#/matchDefinition/teams/0/teamCount/max']);
  });

  it('has each name of a team once', () => {
    const { matchLogic } = poolOf([near]);
    const { teams } = matchLogic.matchDefinition;
    const twice = { ...matchLogic, matchDefinition: { teams: [...teams, ...teams] } };
    expect(pointersOf(() => imported(twice))).toEqual(['#/matchDefinition/teams/1/name']);
  });

  it('keeps its teams and rules, and the relaxations by the oldest ticket', () => {
    const result = imported(
      queueOf(
        [
          {
            name: 'Skill',
            type: 'Difference',
            source: 'Players.CustomData.mmr',
            reference: 100,
            relaxations: [at(10, 200), at(45, undefined)],
          },
          {
            name: 'QoS',
            type: 'LessThanEqual',
            source: 'Players.QosResults.Latency',
            reference: 80,
            relaxations: [at(30, 150)],
          },
          { name: 'Mode', type: 'Equality', source: 'Players.CustomData.mode' },
          { name: 'Maps', type: 'Intersection', source: 'Players.CustomData.maps', overlap: 2 },
          { name: 'Level', type: 'GreaterThan', source: 'Players.CustomData.level', reference: 5 },
        ],
        {
          playerCount: {
            min: 2,
            max: 3,
            relaxations: [{ type: 'RangeControl.ReplaceMin', ageType: 'Oldest', atSeconds: 20, value: 1 }],
          },
        },
      ),
    );
    expect(differing(result)).toEqual([]);
    expect(result.definition).toMatchObject({
      name: 'ranked',
      teams: [{ name: 'side', size: 3, count: 2, minSize: 1 }],
      relaxBy: 'oldest',
      backfill: { priority: 'normal' },
      timeoutSeconds: 90,
      attributes: { mode: { type: 'string' }, maps: { type: 'strings' }, level: { type: 'number' } },
      rules: [
        {
          name: 'side playerCount',
          left: { of: 'count', team: 'side' },
          right: 2,
          relax: [{ waitSeconds: 20, right: 1 }],
        },
        {
          type: 'within',
          attribute: 'skill',
          max: 100,
          relax: [
            { waitSeconds: 10, max: 200 },
            { waitSeconds: 45, off: true },
          ],
        },
        { type: 'latency', max: 80, relax: [{ waitSeconds: 30, max: 150 }] },
        { type: 'same', attribute: 'mode' },
        { type: 'common', attribute: 'maps', atLeast: 2 },
        { type: 'compare', left: { of: 'least', attribute: 'level' }, op: '>=' },
      ],
    });
    const [, , , , , level] = result.definition.rules as { right: number }[];
    expect(level!.right).toBeGreaterThan(5);
    expect(checkQueueDefinition(result.definition, 'The import').name).toBe('ranked');
  });

  it('may be given as match logic with capital letters, and with rules of a team', () => {
    const result = imported({
      Name: '1v1',
      MatchDefinition: {
        Teams: [
          {
            Name: 'Red',
            TeamCount: { Min: 1, Max: 1 },
            PlayerCount: { Min: 2, Max: 2 },
            TeamRules: [
              { Name: 'Near', Type: 'Difference', Source: 'Players.CustomData.Rank', Reference: 3 },
            ],
          },
          { Name: 'Blue', TeamCount: { Min: 1, Max: 1 }, PlayerCount: { Min: 2, Max: 2 } },
        ],
        MatchRules: [{ Name: 'One', Type: 'Equality', Source: 'Players.CustomData.Mode', Reference: 'duel' }],
      },
    });
    expect(differing(result)).toEqual([]);
    expect(result.definition).toMatchObject({
      name: '1v1',
      teams: [
        { name: 'Red', size: 2 },
        { name: 'Blue', size: 2 },
      ],
      rules: [
        { name: 'One', type: 'same', attribute: 'Mode' },
        { name: 'One 2', type: 'count', attribute: 'Mode', value: 'duel', atLeast: 1 },
        { name: 'Near', type: 'within', attribute: 'skill', team: 'Red', max: 3 },
      ],
    });
  });

  it('has a line for what differs or has no counterpart', () => {
    const result = imported({
      ...queueOf(
        [
          { name: 'Far', type: 'DoubleDifference', source: 'Players.CustomData.mmr', reference: 1 },
          { name: 'Loss', type: 'LessThan', source: 'Players.QosResults.PacketLoss', reference: 0.2 },
          { name: 'Not', type: 'Equality', source: 'Players.CustomData.mode', not: true },
          { name: 'Off', type: 'Equality', source: 'Players.CustomData.mode', enableRule: false },
          {
            name: 'Mixed',
            type: 'Difference',
            source: 'Players.CustomData.mmr',
            reference: 5,
            relaxations: [at(5, 9, 'Youngest'), at(9, 12, 'Average')],
          },
        ],
        { teamCount: { min: 2, max: 4 } },
      ),
      maxPlayersPerTicket: 1,
      filteredPools: [{ ...poolOf([]), name: 'beta', filters: [{ attribute: 'build' }] }],
    });
    expect(notesOf(result)).toMatchObject({
      [`${DEFINITION}matchRules[Far]`]: expect.stringMatching(/not possible: what DoubleDifference means/),
      [`${DEFINITION}matchRules[Loss]`]: expect.stringMatching(/not possible: the source/),
      [`${DEFINITION}matchRules[Not]`]: expect.stringMatching(/not possible: opposites/),
      [`${DEFINITION}matchRules[Off]`]: 'same: it is disabled',
      [`${DEFINITION}matchRules[Mixed]`]: expect.stringMatching(
        /nearly the same: it relaxes when the youngest/,
      ),
      [`${DEFINITION}teams[side]`]: expect.stringMatching(/nearly the same: a match always has 4 such teams/),
      maxPlayersPerTicket: expect.stringMatching(/nearly the same/),
      'filteredPools[beta]': expect.stringMatching(/not possible: .*--pool beta/),
    });
    expect(result.definition).not.toHaveProperty('relaxBy');
    const beta = imported(
      { name: 'ranked', filteredPools: [{ ...poolOf([]), name: 'beta', filters: [1] }] },
      { pool: 'beta' },
    );
    expect(notesOf(beta)).toMatchObject({
      'filteredPools[beta].filters': expect.stringMatching(/not possible/),
    });
    // Another file than that of the default pool.
    expect(beta.definition.name).toBe('ranked-beta');
  });

  it('reads the ages of all relaxations that it converts', () => {
    const relaxations = [10, 20].map((atSeconds) => at(atSeconds, 5 + atSeconds, 'Average'));
    const result = imported(queueOf([{ ...near, relaxations }]));
    expect(differing(result)).toEqual([`${DEFINITION}matchRules[Near]`]);
  });

  it('ignores no value that replaces the reference of a rule without a number', () => {
    const mode = {
      name: 'Mode',
      type: 'Equality',
      source: 'Players.CustomData.mode',
      relaxations: [at(5, 9, 'Average')],
    };
    const result = imported(queueOf([mode]));
    expect(differing(result)).toEqual([`${DEFINITION}matchRules[Mode].relaxations[0]`]);
  });

  it('has no step that comes after the time-out of the pool', () => {
    const result = imported(queueOf([{ ...near, relaxations: [at(90, 9), at(91, 20)] }]));
    expect(result.definition).toMatchObject({
      timeoutSeconds: 90,
      rules: [{ name: 'Near', max: 5, relax: [{ waitSeconds: 90, max: 9 }] }],
    });
    expect(differing(result)).toEqual([]);
  });

  const on = (atSeconds: number) => ({ type: 'RuleControl.Enable', ageType: 'Oldest', atSeconds });
  it.each<[string, object, object[], object, boolean]>([
    ['disabled until then', { enableRule: false }, [on(20)], { max: 5 }, false],
    ['disabled for a while', {}, [at(10, undefined), on(20)], { max: 5 }, false],
    ['disabled with a stricter number', {}, [at(5, 2), at(10, undefined), on(20)], { max: 2 }, false],
    [
      'that relaxes later',
      { enableRule: false },
      [on(20), at(30, 9), at(40, undefined)],
      {
        max: 5,
        relax: [
          { waitSeconds: 30, max: 9 },
          { waitSeconds: 40, off: true },
        ],
      },
      false,
    ],
    ['enabled before', {}, [on(20)], { max: 5 }, true],
  ])('has a rule that is enabled from the beginning: one %s', (_, more, relaxations, expected, isSame) => {
    const result = imported(queueOf([{ ...near, ...more, relaxations }]));
    const [rule] = result.definition.rules as [object];
    expect(rule).toEqual({ name: 'Near', type: 'within', attribute: 'skill', ...expected });
    expect(differing(result)).toEqual(isSame ? [] : [`${DEFINITION}matchRules[Near]`]);
  });

  it('keeps data apart that players and other services have by one name', () => {
    const sources = ['CustomData.skill', 'externaldata.skill', 'CustomData.rank', 'ExternalData.rank'];
    const rules = sources.map((source) => ({ ...near, source: `Players.${source}` }));
    const result = imported(queueOf(rules));
    expect(differing(result)).toEqual([]);
    expect(result.definition.rules).toMatchObject(
      ['skill', 'skill-2', 'rank', 'rank-2'].map((attribute) => ({ attribute })),
    );
    expect(notesOf(result)).toMatchObject({
      'data CustomData.skill': expect.stringMatching(/it is the skill/),
      'data ExternalData.skill': 'same: its name is skill-2',
    });
    const external = imported(queueOf(rules), { skill: 'ExternalData.skill' });
    expect(external.definition.rules).toMatchObject([
      { attribute: 'skill-2' },
      { attribute: 'skill' },
      {},
      {},
    ]);
  });

  it('keeps properties apart whose names differ in the first letter only', () => {
    const result = imported({ ...queueOf([near]), Name: 'other' });
    expect(differing(result)).toEqual(['name']);
    expect(result.definition.name).toBe('other');
  });

  it.each([
    [{ Queues: [queueOf([near])] }, '#/Queues'],
    [{ name: 'ranked', Pools: [poolOf([near])] }, '#/Pools'],
  ])('is one queue or one pool, not a list of them', (list, pointer) => {
    expect(pointersOf(() => imported(list))).toEqual([pointer]);
    expect(() => imported(list)).toThrow(
      /Expected one queue with a defaultPool, or the match logic of one pool/,
    );
  });
});

describe.concurrent('muster import unity', () => {
  it('prints the definition and the report, and refuses an unknown pool or skill', async () => {
    const rule = { name: 'Skill', type: 'Difference', source: 'Players.CustomData.mmr', reference: 100 };
    const path = file('unity.mmq', queueOf([rule]));
    const done = await muster('import', 'unity', path, '--name', 'duel');
    expect(done.status).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({
      name: 'duel',
      rules: [{ attribute: 'skill', max: 100 }],
    });
    const pool = await muster('import', 'unity', path, '--pool', 'beta');
    expect(pool.status).toBe(2);
    expect(pool.stderr).toContain('--pool: Expected a pool of the queue (default-pool), got "beta"');
    const skill = await muster('import', 'unity', path, '--skill', 'mnr');
    expect(skill.status).toBe(2);
    expect(skill.stderr).toContain('--skill: Expected a number in the rules of the pool (mmr), got "mnr"');
  });
});
