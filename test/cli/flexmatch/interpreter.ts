/**
 * FlexMatch's own semantics of whole matches, from its public reference, written apart from the importer: property
 * expressions are evaluated on the players of the teams, and every rule is asked with the limits that the age of the match
 * gives it.
 */
export interface FlexPlayer {
  readonly playerId: string;
  /** The ticket that the player came with. */
  readonly party: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly latencyMs: Readonly<Record<string, number>>;
}
export type FlexTeams = Readonly<Record<string, readonly FlexPlayer[]>>;

interface FlexRule {
  readonly name: string;
  readonly type: string;
  readonly measurements?: readonly string[];
  readonly referenceValue?: unknown;
  readonly operation?: string;
  readonly maxDistance?: number;
  readonly minCount?: number;
  readonly maxCount?: number;
  readonly maxLatency?: number;
  readonly batchAttribute?: string;
  readonly statement?: string;
}
export interface FlexRuleSet {
  readonly algorithm?: { readonly expansionAgeSelection?: string };
  readonly playerAttributes?: readonly { readonly name: string; readonly type: string }[];
  readonly teams: readonly {
    readonly name: string;
    readonly minPlayers: number;
    readonly maxPlayers: number;
    readonly quantity?: number;
  }[];
  readonly rules?: readonly object[];
  readonly expansions?: readonly {
    readonly target: string;
    readonly steps: readonly { readonly waitTimeSeconds: number; readonly value: number }[];
  }[];
}

/**
 * The names of the rules, and of the teams by their sizes, that a match breaks. Teams of a kind with a quantity are named
 * NAME-1, NAME-2, …
 */
export function brokenRules(ruleSet: FlexRuleSet, teams: FlexTeams, ageSeconds: number): string[] {
  const rules = ((ruleSet.rules ?? []) as readonly FlexRule[]).map((rule) =>
    expanded(rule, `rules[${rule.name}]`, ruleSet, ageSeconds),
  );
  const holds = (rule: FlexRule): boolean => {
    if (rule.type === 'compound') {
      const all = new Map(rules.map((one) => [one.name, one]));
      return isTrue(rule.statement!.replaceAll(' ', ''), (name) => holds(all.get(name)!));
    }
    return keeps(rule, teams);
  };
  const statements = rules.flatMap(({ statement = '' }) =>
    statement.split(/[(),]/).map((name) => name.trim()),
  );
  const sizes = ruleSet.teams.flatMap((team) => {
    const {
      name,
      minPlayers,
      maxPlayers,
      quantity = 1,
    } = expanded(team, `teams[${team.name}]`, ruleSet, ageSeconds);
    const names = quantity === 1 ? [name] : Array.from({ length: quantity }, (_, i) => `${name}-${i + 1}`);
    return names.filter((one) => {
      const size = teams[one]?.length ?? 0;
      return size < minPlayers || size > maxPlayers;
    });
  });
  const broken = rules
    .filter(({ name }) => !statements.includes(name))
    .flatMap((rule) => (holds(rule) ? [] : rule.name));
  return [...sizes, ...broken];
}

/** The value of a statement: the innermost operator is replaced by its value until none is left. */
function isTrue(statement: string, holds: (rule: string) => boolean): boolean {
  const innermost = /(and|or|not|xor)\(([^()]*)\)/;
  const truthOf = (name: string) => (name === 'TRUE' ? true : name === 'FALSE' ? false : holds(name));
  let left = statement;
  for (let found = innermost.exec(left); found; found = innermost.exec(left)) {
    const parts = found[2]!.split(',').map(truthOf);
    const count = parts.filter(Boolean).length;
    const value = {
      and: count === parts.length,
      or: count > 0,
      not: count === 0,
      xor: count % 2 === 1,
    }[found[1] as 'and' | 'or' | 'not' | 'xor'];
    left = left.replace(found[0], value ? 'TRUE' : 'FALSE');
  }
  return truthOf(left);
}

/** A rule or a team with the values that its expansions give it at an age. */
function expanded<T extends object>(
  of: T,
  place: string,
  { expansions = [] }: FlexRuleSet,
  ageSeconds: number,
): T {
  const changed = { ...of } as Record<string, unknown>;
  for (const { target, steps } of expansions) {
    if (!target.startsWith(`${place}.`)) continue;
    const key = target.slice(place.length + 1);
    for (const { waitTimeSeconds, value } of steps) if (ageSeconds >= waitTimeSeconds) changed[key] = value;
  }
  return changed as T;
}

function keeps(rule: FlexRule, teams: FlexTeams): boolean {
  const players = Object.values(teams).flat();
  const measured = [rule.measurements ?? []].flat().flatMap((text) => {
    const value = valueOfExpression(text, teams);
    return Array.isArray(value) ? value : [value];
  });
  const reference =
    typeof rule.referenceValue === 'string' && /[[(]/.test(rule.referenceValue)
      ? valueOfExpression(rule.referenceValue, teams)
      : rule.referenceValue;
  switch (rule.type) {
    case 'distance':
      return measured.every((value) => Math.abs(value - (reference as number)) <= rule.maxDistance! + 1e-9);
    case 'comparison': {
      if (reference === undefined) {
        const distinct = new Set(measured).size;
        return rule.operation === '=' ? distinct === 1 : distinct === measured.length;
      }
      return measured.every((value) => compares(value, rule.operation!, reference));
    }
    case 'collection':
      return keepsCollection(rule, measured, reference);
    case 'latency': {
      const regions = Object.keys(players[0]!.latencyMs);
      return regions.some((region) =>
        players.every(({ latencyMs }) => (latencyMs[region] ?? Number.POSITIVE_INFINITY) <= rule.maxLatency!),
      );
    }
    case 'batchDistance': {
      const values = players.map(({ attributes }) => attributes[rule.batchAttribute!]);
      if (typeof values[0] === 'string') return new Set(values).size === 1;
      // It is between tickets, whose players it takes the average of.
      const means = [...new Set(players.map(({ party }) => party))].map((party) =>
        aggregate(
          'avg',
          players
            .filter((one) => one.party === party)
            .map((one) => one.attributes[rule.batchAttribute!] as number),
        ),
      );
      return Math.max(...means) - Math.min(...means) <= rule.maxDistance! + 1e-9;
    }
    default:
      return true;
  }
}

function keepsCollection(rule: FlexRule, measured: readonly unknown[], reference: unknown): boolean {
  const { operation, minCount = 0, maxCount = Number.POSITIVE_INFINITY } = rule;
  const within = (count: number) => count >= minCount && count <= maxCount;
  if (operation === 'intersection') {
    const perTeam = [rule.measurements!].flat()[0]!.startsWith('teams[*]');
    const collections = (perTeam ? measured : [measured]) as string[][][];
    return collections.every((lists) =>
      within(lists[0]!.filter((value) => lists.every((list) => list.includes(value))).length),
    );
  }
  if (operation === 'contains') {
    // One collection for each team unless the measurement is flattened.
    const isFlat = [rule.measurements!].flat()[0]!.startsWith('flatten');
    const collections = (isFlat ? [measured] : measured) as unknown[][];
    return collections.every((one) => within(one.flat(2).filter((value) => value === reference).length));
  }
  return (measured as string[][]).every((list) =>
    within((reference as string[]).filter((value) => list.includes(value)).length),
  );
}

function compares(value: unknown, operation: string, reference: unknown): boolean {
  if (operation === '=') return value === reference;
  if (operation === '!=') return value !== reference;
  const [a, b] = [value as number, reference as number];
  if (operation === '<') return a < b;
  if (operation === '<=') return a <= b;
  return operation === '>' ? a > b : a >= b;
}

// biome-ignore lint/suspicious/noExplicitAny: expressions yield numbers, texts, and lists of lists of them
function valueOfExpression(text: string, teams: FlexTeams): any {
  const open = text.indexOf('(');
  if (open === -1) {
    const [, names, rest] = /^teams\[([^\]]+)\]\.(.+)$/.exec(text)!;
    const chosen = names === '*' ? Object.values(teams) : names!.split(',').map((name) => teams[name]!);
    const [, attribute] = /^players\.attributes\[(.+)\]$/.exec(rest!) ?? [];
    const lists = chosen.map((team) =>
      attribute !== undefined
        ? team.map(({ attributes }) => attributes[attribute])
        : rest === 'players'
          ? team
          : team.map(({ playerId }) => playerId),
    );
    return names === '*' || names!.includes(',') ? lists : lists[0];
  }
  const inner = valueOfExpression(text.slice(open + 1, -1), teams);
  const name = text.slice(0, open);
  if (name === 'flatten') return inner.flat(1);
  if (name === 'set_intersection')
    return [...new Set(inner.flat())].filter((value) =>
      inner.every((list: unknown[]) => list.includes(value)),
    );
  // A function of a list of lists yields a value for each.
  if (Array.isArray(inner[0])) return inner.map((list: number[]) => aggregate(name, list));
  return aggregate(name, inner);
}

function aggregate(name: string, values: readonly number[]): number {
  if (name === 'count') return values.length;
  if (name === 'min') return Math.min(...values);
  if (name === 'max') return Math.max(...values);
  const sum = values.reduce((a, b) => a + b, 0);
  return name === 'sum' ? sum : sum / values.length;
}
