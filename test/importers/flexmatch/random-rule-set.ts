import type { FlexRuleSet } from './judge.ts';

/** What a step of an expansion adds to a property. */
const changes = { maxDistance: 3, maxLatency: 3, minCount: -1, maxCount: 1, referenceValue: 1 };

/** A random rule set of the language: teams with ranges of sizes, rules of every type, expansions and compound rules. */
export function randomRuleSet(random: () => number): FlexRuleSet {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const chance = (probability: number) => random() < probability;
  const teams = pick([
    [{ name: 'crew', minPlayers: pick([1, 2]), maxPlayers: pick([2, 3, 4]) }],
    ['red', 'blue'].map((name) => ({ name, minPlayers: 1, maxPlayers: 2 })),
    ['red', 'blue'].map((name) => ({ name, minPlayers: 2, maxPlayers: 2 })),
    ['red', 'blue'].map((name) => ({ name, minPlayers: 1, maxPlayers: 3 })),
    [
      { name: 'hunters', minPlayers: 2, maxPlayers: 3 },
      { name: 'monster', minPlayers: 1, maxPlayers: 1 },
    ],
    [{ name: 'side', minPlayers: 1, maxPlayers: 2, quantity: 2 }],
    [{ name: 'trio', minPlayers: 1, maxPlayers: 2, quantity: 3 }],
    ['red', 'blue', 'green'].map((name) => ({ name, minPlayers: 1, maxPlayers: 2 })),
    [
      { name: 'side', minPlayers: 1, maxPlayers: 1, quantity: 2 },
      { name: 'guests', minPlayers: 1, maxPlayers: 2 },
    ],
  ]);
  const one = teams.at(-1)!.name;
  const other = teams[0]!.name;
  const isKind = teams.every((team) => 'quantity' in team);
  const attributes = (name: string, who: string) => `teams[${who}].players.attributes[${name}]`;
  const measure = (name = 'rating') => {
    const call = pick(['avg', 'min', 'max', 'sum']);
    return isKind || chance(0.5)
      ? `${call}(flatten(${attributes(name, '*')}))`
      : `${call}(${attributes(name, one)})`;
  };
  const templates: (() => object)[] = [
    () => ({
      type: 'distance',
      measurements: [`avg(${attributes('skill', '*')})`],
      referenceValue: `avg(flatten(${attributes('skill', '*')}))`,
      maxDistance: pick([1, 2, 4]),
    }),
    () => ({
      type: 'distance',
      measurements: [`flatten(${attributes('rating', '*')})`],
      referenceValue: `avg(flatten(${attributes('rating', '*')}))`,
      maxDistance: pick([2, 4]),
    }),
    () => ({
      type: 'distance',
      measurements: [`max(flatten(${attributes('rating', '*')}))`],
      referenceValue: `min(flatten(${attributes('rating', '*')}))`,
      maxDistance: pick([3, 6]),
    }),
    () => ({
      type: 'distance',
      measurements: ['max(count(teams[*].players))'],
      referenceValue: 'min(count(teams[*].players))',
      maxDistance: pick([0, 1]),
    }),
    () => ({ type: 'distance', measurements: [measure()], referenceValue: pick([5, 9]), maxDistance: 5 }),
    () => ({
      type: 'comparison',
      measurements: [`flatten(${attributes(pick(['mode', 'rating']), '*')})`],
      operation: pick(['=', '!=']),
    }),
    () => ({
      type: 'comparison',
      measurements: [isKind ? `flatten(${attributes('rating', '*')})` : attributes('rating', one)],
      operation: pick(['<', '<=', '>', '>=', '=', '!=']),
      referenceValue: pick([3, 6, 9]),
    }),
    () => ({
      type: 'comparison',
      measurements: [isKind ? `flatten(${attributes('mode', '*')})` : attributes('mode', one)],
      operation: pick(['=', '!=']),
      referenceValue: 'duel',
    }),
    () => ({
      type: 'comparison',
      measurements: [measure()],
      operation: pick(['<=', '>=']),
      referenceValue: measure(),
    }),
    () => ({
      type: 'collection',
      operation: 'intersection',
      measurements: [pick([`flatten(${attributes('modes', '*')})`, attributes('modes', '*')])],
      minCount: 1,
    }),
    () => ({
      type: 'collection',
      operation: 'contains',
      measurements: [pick([`flatten(${attributes('modes', '*')})`, attributes('modes', '*')])],
      referenceValue: 'medic',
      ...pick([{ minCount: 1 }, { minCount: 2 }, { maxCount: 1 }, { minCount: 1, maxCount: 3 }]),
    }),
    () => ({
      type: 'distance',
      measurements: [pick([`avg(${attributes('rating', one)})`, `min(${attributes('rating', one)})`])],
      referenceValue: `max(${attributes('rating', other)})`,
      maxDistance: pick([1, 3]),
      ...(chance(0.1) && { minDistance: 1 }),
    }),
    () => {
      const per = pick(['avg', 'sum', 'min', 'max']);
      const all = `${per}(${attributes('rating', '*')})`;
      return {
        type: 'distance',
        measurements: [pick([`max(${all})`, all])],
        referenceValue: `min(${all})`,
        maxDistance: pick([2, 5]),
      };
    },
    () => ({
      type: 'comparison',
      measurements: [pick([`count(teams[${one}].players)`, 'count (teams[*].players)'])],
      operation: pick(['=', '!=', '<', '<=', '>', '>=']),
      referenceValue: pick([`count(teams[${other}].players)`, 1, 2, 'max(count(teams[*].players))']),
    }),
    () => ({
      type: 'comparison',
      measurements: [`min(count(teams[*].players))`],
      operation: pick(['=', '>=']),
      referenceValue: pick([1, 2, 'max(count(teams[*].players))']),
    }),
    () => ({
      type: 'comparison',
      measurements: [pick([attributes('mode', '*'), attributes('rating', '*'), attributes('mode', one)])],
      operation: pick(['=', '!=']),
    }),
    () => ({
      type: 'comparison',
      measurements: [attributes('rating', one), attributes('rating', other)],
      operation: '<=',
      referenceValue: 6,
    }),
    () => ({
      type: 'collection',
      operation: 'intersection',
      measurements: [pick([`flatten(${attributes('modes', '*')})`, attributes('modes', one)])],
      ...pick([{ minCount: 1 }, { minCount: 2 }, { minCount: 2 }, { minCount: 0, maxCount: 1 }]),
    }),
    () => ({
      type: 'collection',
      operation: 'contains',
      measurements: [attributes('modes', one)],
      referenceValue: 'medic',
      ...pick([{ minCount: 1 }, { maxCount: 0 }, { minCount: 2, maxCount: 2 }]),
    }),
    () => ({
      type: 'collection',
      operation: 'reference_intersection_count',
      measurements: `flatten(${attributes('blocked', '*')})`,
      referenceValue: 'flatten(teams[*].players[playerId])',
      maxCount: 0,
    }),
    () => ({
      type: 'collection',
      operation: 'reference_intersection_count',
      measurements: [`flatten(${attributes('modes', '*')})`],
      referenceValue: `set_intersection(flatten(${attributes('wanted', '*')}))`,
      minCount: pick([1, 2]),
    }),
    () => ({
      type: pick(['absoluteSort', 'distanceSort']),
      sortAttribute: 'rating',
      sortDirection: 'ascending',
    }),
    () => ({ type: 'latency', maxLatency: pick([40, 60]) }),
    () => ({ type: 'batchDistance', batchAttribute: 'mode' }),
    () => ({
      type: 'batchDistance',
      batchAttribute: 'rating',
      maxDistance: pick([3, 6]),
      ...(chance(0.5) && { partyAggregation: pick(['min', 'max', 'avg']) }),
    }),
  ];
  const rules = Array.from({ length: 1 + Math.floor(3 * random()) }, (_, i) => ({
    name: `R${i}`,
    ...pick(templates)(),
  })).filter(
    (rule, i, all) => !('maxLatency' in rule) || all.findIndex((other) => 'maxLatency' in other) === i,
  );
  const names = rules.flatMap((rule) => ('maxLatency' in rule ? [] : [rule.name]));
  const isCompound = names.length > 1 && chance(0.45);
  const [r0, r1, r2 = r0] = names;
  const statement = pick([
    `or(${names.join(', ')})`,
    `or(${names.join(', ')})`,
    `and(${names.join(', ')})`,
    `xor(${names.join(', ')})`,
    `or(and(${r0}, ${r1}), not(${r2}))`,
    `and(or(${r0},${r1}),or(${r1},${r2}))`,
    `not(and(${r0}, ${r1}))`,
  ]);
  const expansions = rules.flatMap((rule) => {
    if (chance(0.5)) return [];
    const key = pick(
      Object.entries(changes).filter(([name]) => typeof (rule as Record<string, unknown>)[name] === 'number'),
    );
    if (key === undefined) return [];
    const [property, by] = key;
    const from = (rule as unknown as Record<string, number>)[property]!;
    const sign = chance(0.15) ? -1 : 1;
    const steps = [10, 20].map((waitTimeSeconds, i) => ({
      waitTimeSeconds,
      value: Math.max(0, from + sign * by * (i + 1)),
    }));
    return [{ target: `rules[${rule.name}].${property}`, steps }];
  });
  const [first] = teams;
  const sizes =
    first!.maxPlayers > 1 && chance(0.3)
      ? [
          { target: `teams[${first!.name}].minPlayers`, steps: [{ waitTimeSeconds: 12, value: 1 }] },
          ...(chance(0.3)
            ? [
                {
                  target: `teams[${first!.name}].maxPlayers`,
                  steps: [{ waitTimeSeconds: 15, value: first!.maxPlayers + 1 }],
                },
              ]
            : []),
        ]
      : [];
  return {
    ...(chance(0.3) && { algorithm: { expansionAgeSelection: 'oldest' } }),
    playerAttributes: [
      { name: 'skill', type: 'number' },
      { name: 'rating', type: 'number' },
      { name: 'mode', type: 'string' },
      { name: 'modes', type: 'string_list' },
      { name: 'wanted', type: 'string_list' },
      { name: 'blocked', type: 'string_list', default: [] },
    ],
    teams,
    rules: [...rules, ...(isCompound ? [{ name: 'C', type: 'compound', statement }] : [])],
    expansions: [...expansions, ...sizes],
    ...{ ruleLanguageVersion: '1.0' },
  };
}
