import type { FlexRuleSet } from './interpreter.ts';

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
  ]);
  const one = pick(teams).name;
  const isKind = teams.some((team) => 'quantity' in team);
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
    () => ({ type: 'latency', maxLatency: pick([40, 60]) }),
    () => ({ type: 'batchDistance', batchAttribute: 'mode' }),
    () => ({ type: 'batchDistance', batchAttribute: 'rating', maxDistance: pick([3, 6]) }),
  ];
  const rules = Array.from({ length: 1 + Math.floor(3 * random()) }, (_, i) => ({
    name: `R${i}`,
    ...pick(templates)(),
  })).filter(
    (rule, i, all) => !('maxLatency' in rule) || all.findIndex((other) => 'maxLatency' in other) === i,
  );
  const names = rules.flatMap((rule) => ('maxLatency' in rule ? [] : [rule.name]));
  const isCompound = names.length > 1 && chance(0.35);
  const statement = pick(['or', 'or', 'and', 'xor']);
  const expansions = rules.flatMap((rule) => {
    if (chance(0.5)) return [];
    const key = ['maxDistance', 'maxLatency'].find((one) => one in rule);
    if (key === undefined) return [];
    const from = (rule as unknown as Record<string, number>)[key]!;
    const steps = [10, 20].map((waitTimeSeconds, i) => ({ waitTimeSeconds, value: from + 3 * (i + 1) }));
    return [{ target: `rules[${rule.name}].${key}`, steps }];
  });
  const [first] = teams;
  const sizes =
    first!.maxPlayers > 1 && chance(0.3)
      ? [{ target: `teams[${first!.name}].minPlayers`, steps: [{ waitTimeSeconds: 12, value: 1 }] }]
      : [];
  return {
    ...(chance(0.3) && { algorithm: { expansionAgeSelection: 'oldest' } }),
    playerAttributes: [
      { name: 'skill', type: 'number' },
      { name: 'rating', type: 'number' },
      { name: 'mode', type: 'string' },
      { name: 'modes', type: 'string_list' },
    ],
    teams,
    rules: [
      ...rules,
      ...(isCompound
        ? [{ name: 'C', type: 'compound', statement: `${statement}(${names.join(', ')})` }]
        : []),
    ],
    expansions: [...expansions, ...sizes],
    ...{ ruleLanguageVersion: '1.0' },
  };
}
