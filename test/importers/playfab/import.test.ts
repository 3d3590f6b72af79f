import { describe, expect, it } from 'vitest';
import { checkQueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { type ImportOptions, imported as importedBy } from '../../../lib/importers/importer.ts';
import { playfab } from '../../../lib/importers/playfab/playfab.ts';
import { planTick } from '../../../lib/policies/plan.ts';
import { file, muster } from '../../cli/muster.ts';
import { pointersOf } from '../pointers.ts';

const imported = (queue: object, options: ImportOptions = {}) =>
  importedBy(playfab, queue, 'queue.json', options);
const notesOf = ({ lines }: ReturnType<typeof imported>) =>
  Object.fromEntries(lines.map(({ property, outcome, note }) => [property, `${outcome}: ${note ?? ''}`]));
const differing = ({ lines }: ReturnType<typeof imported>) =>
  lines.filter(({ outcome }) => outcome !== 'same').map(({ property }) => property);

const attribute = (Path: string) => ({ Attribute: { Path, Source: 'User' } });
/** Two teams of two to three players. */
const teams = ['red', 'blue'].map((Name) => ({ Name, MinTeamSize: 2, MaxTeamSize: 3 }));
const base = { Name: 'ranked', MinMatchSize: 4, MaxMatchSize: 6, Teams: teams };

describe('a queue of PlayFab', () => {
  it('with a least size above the greatest, or two teams of one name, is invalid', () => {
    const faults = (queue: object) => pointersOf(() => imported(queue));
    expect(faults(base)).toEqual([]);
    expect(faults({ ...base, MinMatchSize: 9 })).toEqual(['#/MinMatchSize']);
    expect(faults({ ...base, Teams: [{ Name: 'red', MinTeamSize: 4, MaxTeamSize: 3 }] })).toEqual([
      '#/Teams/0/MinTeamSize',
    ]);
    expect(faults({ ...base, Teams: [teams[0], teams[0]] })).toEqual(['#/Teams/1/Name']);
  });

  it('names rules of unknown lists, unknown behaviors, and the expansion of two that counts', () => {
    const near = {
      Name: 'Near',
      ...attribute('mu'),
      Difference: 3,
      DefaultAttributeValue: 7,
      AttributeNotSpecifiedBehavior: 'Guess',
      LinearExpansion: { Delta: 2, Limit: 8, SecondsBetweenExpansions: 5 },
      CustomExpansion: { SecondsBetweenExpansions: 5, DifferenceOverrides: [{ Value: 3 }, { Value: 4 }] },
    };
    const result = imported({ ...base, DifferenceRules: [near], MoodRules: [near] });
    expect(differing(result)).toEqual(
      expect.arrayContaining([
        'MoodRules',
        'DifferenceRules[Near].AttributeNotSpecifiedBehavior',
        'DifferenceRules[Near].LinearExpansion',
      ]),
    );
    expect(notesOf(result)['attribute mu']).toMatch('send 7 by default');
  });

  it('with rules of every type keeps them, with their expansions', () => {
    const result = imported({
      MatchmakingQueue: {
        ...base,
        StringEqualityRules: [
          { Name: 'Build', ...attribute('build'), DefaultAttributeValue: 'dev', SecondsUntilOptional: 40 },
        ],
        DifferenceRules: [
          {
            Name: 'Skill',
            ...attribute('mu'),
            Difference: 3,
            MergeFunction: 'Max',
            Weight: 2,
            LinearExpansion: { Delta: 2, Limit: 8, SecondsBetweenExpansions: 5 },
            SecondsUntilOptional: 30,
          },
        ],
        MatchTotalRules: [{ Name: 'Hosts', ...attribute('hosts'), Min: 1, Max: 2 }],
        TeamDifferenceRules: [{ Name: 'Even', ...attribute('mu'), DefaultAttributeValue: 5, Difference: 4 }],
        RegionSelectionRule: {
          Name: 'Region',
          Path: 'latencies',
          MaxLatency: 60,
          CustomExpansion: {
            SecondsBetweenExpansions: 10,
            MaxLatencyOverrides: [{ Value: 60 }, { Value: 120 }, null],
          },
        },
        TeamSizeBalanceRule: { Name: 'Sizes', Difference: 0 },
      },
    });
    expect(differing(result)).toEqual([]);
    expect(result.definition).toMatchObject({
      name: 'ranked',
      teams: [
        { name: 'red', size: 3, minSize: 2 },
        { name: 'blue', size: 3, minSize: 2 },
      ],
      short: { afterSeconds: 0 },
      attributes: { build: { type: 'string', default: 'dev' }, hosts: { type: 'number' } },
      rules: [
        { name: 'Build', type: 'same', attribute: 'build', relax: [{ waitSeconds: 40, off: true }] },
        {
          name: 'Skill',
          type: 'within',
          attribute: 'skill',
          max: 3,
          party: 'greatest',
          relax: [
            { waitSeconds: 5, max: 5 },
            { waitSeconds: 10, max: 7 },
            { waitSeconds: 15, max: 8 },
            { waitSeconds: 30, off: true },
          ],
        },
        { name: 'Hosts', type: 'compare', left: { of: 'sum', attribute: 'hosts' }, op: '>=', right: 1 },
        { name: 'Hosts 2', type: 'compare', op: '<=', right: 2 },
        {
          name: 'Even',
          type: 'compare',
          left: { of: 'sum', attribute: 'skill', team: 'red' },
          right: { of: 'sum', attribute: 'skill', team: 'blue' },
          max: 4,
        },
        {
          name: 'Region',
          type: 'latency',
          max: 60,
          relax: [
            { waitSeconds: 10, max: 120 },
            { waitSeconds: 20, off: true },
          ],
        },
        {
          name: 'Sizes',
          type: 'compare',
          left: { of: 'count', team: 'red' },
          right: { team: 'blue' },
          max: 0,
        },
      ],
    });
    expect(checkQueueDefinition(result.definition, 'The import').name).toBe('ranked');
  });

  it('without teams has one team, and makes the largest match', () => {
    const rules = [{ Type: 'DifferenceRule', Name: 'Near', ...attribute('mu'), Difference: 10 }];
    const result = imported({ ...base, Teams: undefined, MinMatchSize: 2, MaxTicketSize: 1, Rules: rules });
    const queue = checkQueueDefinition(result.definition, 'The import');
    const tickets = [10, 12, 15, 40].map((skill, i) => ({
      ticketId: `t${i}`,
      enqueuedAtMs: 0,
      players: [{ playerId: `p${i}`, skill }],
    }));
    const { matches, waiting } = planTick({ rules: queue, tickets, nowMs: 1000 });
    expect(matches.map(({ ticketIds }) => ticketIds)).toEqual([['t0', 't1', 't2']]);
    expect(waiting.map(({ ticketId }) => ticketId)).toEqual(['t3']);
  });

  it('has a line for what differs, is open or has no counterpart', () => {
    const result = imported({
      ...base,
      Teams: undefined,
      MaxTicketSize: 4,
      ServerAllocationEnabled: true,
      Mood: 'good',
      SetIntersectionRules: [
        {
          Name: 'Maps',
          ...attribute('maps'),
          MinIntersectionSize: 2,
          LinearExpansion: { Delta: 1, SecondsBetweenExpansions: 10 },
        },
      ],
      StringEqualityRules: [
        { Name: 'Build', ...attribute('build'), AttributeNotSpecifiedBehavior: 'MatchAny' },
        {
          Name: 'Mode',
          ...attribute('mode'),
          Expansion: { SecondsBetweenExpansions: 5, EnabledOverrides: [true, false, true, false] },
        },
      ],
      TeamTicketSizeSimilarityRule: { Name: 'Parties' },
    });
    expect(notesOf(result)).toMatchObject({
      MinMatchSize: expect.stringMatching(/nearly the same: .*PlayFab waits for another ticket/),
      MaxTicketSize: expect.stringMatching(/nearly the same/),
      ServerAllocationEnabled: expect.stringMatching(/not possible: a provisioner/),
      Mood: expect.stringMatching(/not possible/),
      'SetIntersectionRules[Maps]': expect.stringMatching(/nearly the same: .*not documented/),
      'StringEqualityRules[Build]': expect.stringMatching(/nearly the same: every player has to have/),
      'StringEqualityRules[Mode]': expect.stringMatching(/nearly the same: .*never tightens/),
      TeamTicketSizeSimilarityRule: expect.stringMatching(/not possible/),
    });
    expect(result.definition.rules).toMatchObject([
      { name: 'Build', type: 'same' },
      { name: 'Mode', type: 'same', relax: [{ waitSeconds: 15, off: true }] },
      {
        name: 'Maps',
        type: 'common',
        atLeast: 2,
        relax: [
          { waitSeconds: 10, atLeast: 1 },
          { waitSeconds: 20, off: true },
        ],
      },
    ]);
  });

  it('with an expansion of many steps keeps as many as a rule may have, the last one among them', () => {
    const LinearExpansion = { Delta: 1, Limit: 103, SecondsBetweenExpansions: 1 };
    const rule = { Name: 'Near', ...attribute('mu'), Difference: 3, LinearExpansion };
    const result = imported({ ...base, DifferenceRules: [rule] });
    const [near] = result.definition.rules as { relax: { waitSeconds: number; max: number }[] }[];
    expect(near!.relax.length).toBeLessThanOrEqual(20);
    expect(near!.relax.at(-1)).toEqual({ waitSeconds: 100, max: 103 });
    for (const { waitSeconds, max } of near!.relax) expect(max).toBe(3 + waitSeconds);
    expect(notesOf(result)['DifferenceRules[Near]']).toMatch(/nearly the same: of more than 20 steps/);
  });

  it.each<[string, object, object, object]>([
    [
      'by its kind, linear',
      { Difference: 1 },
      { Expansion: { Type: 'Linear', Delta: 2, Limit: 6, SecondsBetweenExpansions: 5 } },
      { max: 1, relax: [3, 5, 6].map((max, i) => ({ waitSeconds: 5 * (i + 1), max })) },
    ],
    [
      'by its kind, custom, with plain numbers from the beginning',
      { Difference: 9 },
      { Expansion: { Type: 'Custom', DifferenceOverrides: [1, 2, 4], SecondsBetweenExpansions: 5 } },
      { max: 1, relax: [2, 4].map((max, i) => ({ waitSeconds: 5 * (i + 1), max })) },
    ],
    [
      'whose last steps come after the rule is optional',
      { Difference: 10, SecondsUntilOptional: 50 },
      { LinearExpansion: { Delta: 0.5, Limit: 40, SecondsBetweenExpansions: 5 } },
      {
        max: 10,
        relax: [
          ...Array.from({ length: 9 }, (_, i) => ({ waitSeconds: 5 * (i + 1), max: 10 + 0.5 * (i + 1) })),
          { waitSeconds: 50, off: true },
        ],
      },
    ],
    [
      'without a limit, up to the time-out of tickets',
      { Difference: 10 },
      { Expansion: { Delta: 1, SecondsBetweenExpansions: 30 } },
      { max: 10, relax: Array.from({ length: 9 }, (_, i) => ({ waitSeconds: 30 * (i + 1), max: 11 + i })) },
    ],
  ])('with an expansion %s keeps its steps', (_, rule, expansion, expected) => {
    const near = { Type: 'DifferenceRule', Name: 'Near', ...attribute('mu'), ...rule, ...expansion };
    const result = imported({ ...base, Rules: [near] });
    expect(differing(result)).toEqual([]);
    expect(result.definition.rules).toEqual([
      { name: 'Near', type: 'within', attribute: 'skill', party: 'mean', ...expected },
    ]);
  });

  it('whose least total falls by plain numbers keeps that, in place of Min', () => {
    const Expansion = { Type: 'Custom', SecondsBetweenExpansions: 10, MinOverrides: [6, 5, 4] };
    const count = { Type: 'MatchTotalRule', Name: 'Count', ...attribute('one'), Min: 4, Max: 6, Expansion };
    const result = imported({ ...base, Rules: [count] });
    expect(differing(result)).toEqual([]);
    expect(result.definition.rules).toMatchObject([
      {
        op: '>=',
        right: 6,
        relax: [
          { waitSeconds: 10, right: 5 },
          { waitSeconds: 20, right: 4 },
        ],
      },
      { op: '<=', right: 6 },
    ]);
  });

  it('omits a rule that is off from the beginning', () => {
    const Expansion = { SecondsBetweenExpansions: 5, EnabledOverrides: [false] };
    const rule = { Name: 'Build', ...attribute('build'), Expansion };
    const result = imported({ ...base, StringEqualityRules: [rule] });
    expect(differing(result)).toEqual([]);
    expect(result.definition).not.toHaveProperty('rules');
  });

  it('names what contradicts itself: kinds of expansions, sources, defaults and types of one attribute', () => {
    const rules = [
      {
        ...{ Type: 'DifferenceRule', Name: 'A', Difference: 1, DefaultAttributeValue: 1, ...attribute('mu') },
        Expansion: { Type: 'Custom', Delta: 1, Limit: 5, SecondsBetweenExpansions: 5 },
      },
      { Type: 'DifferenceRule', Name: 'B', Difference: 1, DefaultAttributeValue: 2, ...attribute('mu') },
      { Type: 'StringEqualityRule', Name: 'C', Attribute: { Path: 'mu', Source: 'Nobody' } },
      { Type: 'DifferenceRule', Name: 'D', Difference: 1, MergeFunction: 'constructor', ...attribute('mu') },
      { Type: 'DifferenceRule', Name: 'E', Difference: 1, DefaultAttributeValue: 'abc', ...attribute('mu') },
    ];
    expect(notesOf(imported({ ...base, Rules: rules }))).toMatchObject({
      'Rules[A].Expansion.Type': expect.stringMatching(/not possible: Expected Linear, got "Custom"/),
      'Rules[B].DefaultAttributeValue': expect.stringMatching(/not possible: an attribute has one default/),
      'Rules[C].Attribute.Path': expect.stringMatching(/not possible: another rule reads it as a number/),
      'Rules[C].Attribute.Source': expect.stringMatching(/not possible: Expected User or PlayerEntity/),
      'Rules[D]': expect.stringMatching(/not possible: parties by constructor/),
      'Rules[E].DefaultAttributeValue': expect.stringMatching(/not possible: Expected a number, got "abc"/),
    });
  });

  it('is one queue, not a list of them', () => {
    expect(pointersOf(() => imported({ MatchMakingQueues: [base] }))).toEqual(['#/MatchMakingQueues']);
    expect(() => imported([base])).toThrow('#: Expected one queue, got a list: write one of them to a file');
  });
});

describe.concurrent('muster import playfab', () => {
  it('prints the definition and the report, and refuses a skill that is no number of the queue', async () => {
    const DifferenceOverrides = [4, 5, 6].map((Value) => ({ Value }));
    const CustomExpansion = { SecondsBetweenExpansions: 10, DifferenceOverrides };
    const near = { Name: 'Near', ...attribute('mu'), Difference: 3, CustomExpansion };
    const queue = { ...base, DifferenceRules: [near] };
    const path = file('playfab.json', { MatchmakingQueue: queue });
    const done = await muster('import', 'playfab', path, '--timeout', '90', '--name', 'duel');
    expect(done.status).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({ name: 'duel', timeoutSeconds: 90 });
    expect(done.stderr).toContain('MatchmakingQueue.DifferenceRules[Near]: same\n');
    const early = await muster('import', 'playfab', path, '--timeout', '10');
    expect(JSON.parse(early.stdout).rules[0].relax).toMatchObject([{ waitSeconds: 10 }]);
    const misspelt = await muster('import', 'playfab', path, '--skill', 'nu');
    expect(misspelt.status).toBe(2);
    expect(misspelt.stderr).toContain(
      '--skill: Expected the path of a number attribute of the queue (mu), got "nu"',
    );
  });
});
