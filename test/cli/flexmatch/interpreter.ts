/**
 * FlexMatch's own semantics of whole matches, from its public reference, written apart from the importer: property
 * expressions are evaluated on the players of the teams, and every rule is asked with the limits that the age of the match
 * gives it.
 */
export interface FlexPlayer {
  readonly playerId: string;
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
interface FlexRuleSet {
  readonly rules: readonly object[];
  readonly expansions?: readonly {
    readonly target: string;
    readonly steps: readonly { readonly waitTimeSeconds: number; readonly value: number }[];
  }[];
}

/** The names of the rules that a match breaks. */
export function brokenRules(ruleSet: FlexRuleSet, teams: FlexTeams, ageSeconds: number): string[] {
  const rules = (ruleSet.rules as readonly FlexRule[]).map((rule) => expanded(rule, ruleSet, ageSeconds));
  const holds = (rule: FlexRule): boolean => {
    if (rule.type === 'compound') {
      const all = new Map(rules.map((one) => [one.name, one]));
      return isTrue(rule.statement!.replaceAll(' ', ''), (name) => holds(all.get(name)!));
    }
    return keeps(rule, teams);
  };
  const statements = rules.map(({ statement = '' }) => statement).join();
  return rules
    .filter(({ name }) => !statements.includes(name))
    .flatMap((rule) => (holds(rule) ? [] : rule.name));
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

function expanded(rule: FlexRule, { expansions = [] }: FlexRuleSet, ageSeconds: number): FlexRule {
  const changed: Record<string, unknown> = { ...rule };
  for (const { target, steps } of expansions) {
    const [, name, key] = /^rules\[(.+)\]\.(.+)$/.exec(target) ?? [];
    if (name !== rule.name) continue;
    for (const { waitTimeSeconds, value } of steps) if (ageSeconds >= waitTimeSeconds) changed[key!] = value;
  }
  return changed as unknown as FlexRule;
}

function keeps(rule: FlexRule, teams: FlexTeams): boolean {
  const players = Object.values(teams).flat();
  const measured = (rule.measurements ?? []).flatMap((text) => {
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
      const numbers = values as number[];
      return Math.max(...numbers) - Math.min(...numbers) <= rule.maxDistance!;
    }
    default:
      return true;
  }
}

function keepsCollection(rule: FlexRule, measured: readonly unknown[], reference: unknown): boolean {
  const { operation, minCount = 0, maxCount = Number.POSITIVE_INFINITY } = rule;
  const within = (count: number) => count >= minCount && count <= maxCount;
  if (operation === 'intersection') {
    const lists = measured as string[][];
    return within(lists[0]!.filter((value) => lists.every((list) => list.includes(value))).length);
  }
  if (operation === 'contains') {
    // One collection for each team unless the measurement is flattened.
    const isFlat = rule.measurements![0]!.startsWith('flatten');
    const collections = (isFlat ? [measured] : measured) as unknown[][];
    return collections.every((one) => within(one.flat(2).filter((value) => value === reference).length));
  }
  const named = new Set((measured as unknown[]).flat(2));
  return within((reference as string[]).filter((id) => named.has(id)).length);
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
  // A function of a list of lists yields a value for each.
  if (Array.isArray(inner[0]) && name !== 'count')
    return inner.map((list: number[]) => aggregate(name, list));
  return aggregate(name, inner);
}

function aggregate(name: string, values: readonly number[]): number {
  if (name === 'count') return values.length;
  if (name === 'min') return Math.min(...values);
  if (name === 'max') return Math.max(...values);
  const sum = values.reduce((a, b) => a + b, 0);
  return name === 'sum' ? sum : sum / values.length;
}
