import type { InnerRule, Measure, RelaxStep, Rule } from '../../rules/types.ts';
import { parseExpression, takeApart } from './expression.ts';
import type { FlexMatchRule, FlexMatchRuleSet } from './rule-set.ts';

/** The result of the import for one property of a rule set. */
export interface ImportLine {
  /** The position in the rule set. */
  readonly property: string;
  readonly outcome: 'same' | 'nearly the same' | 'not possible';
  /** The difference, or the reason why it is not possible. */
  readonly note?: string | undefined;
}

export interface Imported {
  /** A queue definition; not checked yet. */
  readonly definition: Record<string, unknown>;
  readonly lines: readonly ImportLine[];
}

export interface ImportOptions {
  /** The number attribute that becomes the players' skill. */
  readonly skill?: string | undefined;
  /** The name of the queue. @default the name of the rule set */
  readonly name?: string | undefined;
}

/**
 * Converts a FlexMatch rule set into a queue definition, as far as Muster can express it, with a result for each property.
 * Every match that the definition permits meets each property with the result same or nearly the same: a rule without an
 * exact counterpart becomes a stricter one.
 */
export function importRuleSet(ruleSet: FlexMatchRuleSet, options: ImportOptions = {}): Imported {
  return new Import(ruleSet, options).run();
}

/** A rule without its name, which may become one of `anyOf`, and how FlexMatch's limits become its own. */
interface Converted {
  readonly body: InnerRule | { readonly type: 'latency'; readonly max: number };
  readonly note?: string | undefined;
  /** For each property that an expansion may target: the key of the body, and its value for one of FlexMatch. */
  readonly limits?: Readonly<Record<string, { readonly key: keyof RelaxStep; of(value: number): number }>>;
}

const plainly = (value: number) => value;

class Import {
  readonly #set: FlexMatchRuleSet;
  readonly #options: ImportOptions;
  readonly #lines: ImportLine[] = [];
  readonly #skill: string | undefined;
  readonly #teamNames: readonly string[];
  /** The maximum of players in a game. */
  readonly #seats: number;

  constructor(set: FlexMatchRuleSet, options: ImportOptions) {
    this.#set = set;
    this.#options = options;
    this.#teamNames = set.teams.map(({ name }) => name);
    this.#seats = set.teams.reduce((sum, { maxPlayers, quantity = 1 }) => sum + maxPlayers * quantity, 0);
    this.#skill = this.#skillAttribute();
  }

  run(): Imported {
    const teams = this.#teams();
    const attributes = this.#attributes();
    const rules = this.#rules();
    const relaxBy = this.#algorithm();
    const known = [
      'name',
      'ruleLanguageVersion',
      'playerAttributes',
      'algorithm',
      'teams',
      'rules',
      'expansions',
    ];
    for (const key of Object.keys(this.#set)) {
      if (!known.includes(key)) this.#say(key, 'not possible', 'it is not a property of the reference');
    }
    const hasRelaxation = rules.some(({ relax }) => relax !== undefined);
    return {
      definition: {
        name: this.#options.name ?? queueName(this.#set.name),
        ...teams,
        ...(Object.keys(attributes).length > 0 && { attributes }),
        ...(rules.length > 0 && { rules }),
        ...(relaxBy && hasRelaxation && { relaxBy }),
        imbalance: { alpha: 1, p: 1, q: 2 },
        release: { policy: 'greedy' },
        tickSeconds: 2,
        timeoutSeconds: 300,
      },
      lines: this.#lines,
    };
  }

  #say(property: string, outcome: ImportLine['outcome'], note?: string): void {
    this.#lines.push({ property, outcome, ...(note !== undefined && { note }) });
  }

  /** The attribute that is the skill: the one asked for, else one whose team averages a rule compares, else the only number. */
  #skillAttribute(): string | undefined {
    const numbers = (this.#set.playerAttributes ?? []).filter(({ type }) => type === 'number');
    if (this.#options.skill !== undefined) return this.#options.skill;
    for (const { measurements = [] } of this.#set.rules ?? []) {
      for (const text of measurements) {
        const expression = parseExpression(text);
        const measured = expression && takeApart(expression, this.#teamNames);
        if (measured?.calls.includes('avg') && measured.attribute !== undefined) return measured.attribute;
      }
    }
    return numbers.length === 1 ? numbers[0]!.name : undefined;
  }

  #teams(): Record<string, unknown> {
    const { teams } = this.#set;
    const [first] = teams;
    const count = teams.reduce((sum, { quantity = 1 }) => sum + quantity, 0);
    const isEven = teams.every(({ maxPlayers }) => maxPlayers === first!.maxPlayers);
    for (const { name, minPlayers, maxPlayers } of teams) {
      if (minPlayers === maxPlayers) this.#say(`teams[${name}]`, 'same');
      else {
        this.#say(
          `teams[${name}]`,
          'nearly the same',
          `its teams always have ${maxPlayers} players; FlexMatch also starts with ${minPlayers}`,
        );
      }
    }
    if (isEven && count === 2) return { teamSize: first!.maxPlayers };
    return {
      teams: teams.map(({ name, maxPlayers, quantity }) => ({
        name,
        size: maxPlayers,
        ...(quantity !== undefined && quantity > 1 && { count: quantity }),
      })),
    };
  }

  #attributes(): Record<string, unknown> {
    const attributes: Record<string, unknown> = {};
    for (const { name, type, default: fallback } of this.#set.playerAttributes ?? []) {
      const property = `playerAttributes[${name}]`;
      if (type === 'string_number_map') {
        this.#say(property, 'not possible', 'attributes are numbers, texts and lists of texts');
        continue;
      }
      if (name === 'skill') {
        const note = 'it is the skill of each player, which every ticket carries';
        this.#say(property, 'nearly the same', fallback === undefined ? note : `${note}; it has no default`);
        continue;
      }
      if (this.#isBlockList(name)) {
        this.#say(property, 'nearly the same', 'tickets name blocked players in avoid');
        continue;
      }
      const ours = type === 'string_list' ? 'strings' : type;
      const usable = fallback !== undefined && !(Array.isArray(fallback) && fallback.length === 0);
      attributes[name] = { type: ours, ...(usable && { default: fallback }) };
      if (fallback !== undefined && !usable) {
        this.#say(property, 'nearly the same', 'a list has at least one text, so there is no empty default');
      } else if (name === this.#skill) {
        this.#say(property, 'nearly the same', 'tickets carry it twice: as this attribute and as skill');
      } else this.#say(property, 'same');
    }
    if (this.#skill === undefined) {
      this.#say(
        'skill',
        'nearly the same',
        'no attribute is the skill, so each ticket says skill 0; --skill names one',
      );
    }
    return attributes;
  }

  #algorithm(): 'oldest' | undefined {
    for (const [key, value] of Object.entries(this.#set.algorithm ?? {})) {
      const property = `algorithm.${key}`;
      if (key === 'expansionAgeSelection') {
        if (value === 'oldest') this.#say(property, 'same');
        else {
          this.#say(
            property,
            'nearly the same',
            'each ticket has the limits of its own age, and all have to hold',
          );
        }
      } else if (key === 'strategy' || key === 'batchingPreference' || key === 'balancedAttribute') {
        this.#say(property, 'nearly the same', 'Muster searches all waiting tickets for the least imbalance');
      } else this.#say(property, 'not possible', 'Muster has no such setting');
    }
    return this.#set.algorithm?.expansionAgeSelection === 'oldest' ? 'oldest' : undefined;
  }

  #rules(): Rule[] {
    const { rules = [], expansions = [] } = this.#set;
    const compounds = rules.filter(({ type }) => type === 'compound');
    const inCompound = new Set(compounds.flatMap(({ statement = '' }) => namesIn(statement)));
    const out: Rule[] = [];
    for (const rule of rules) {
      const property = `rules[${rule.name}]`;
      if (rule.type === 'compound') out.push(...this.#compound(rule, rules));
      else if (!inCompound.has(rule.name)) {
        const needless = this.#needless(rule);
        const converted = needless ?? this.#convert(rule);
        if (needless) this.#say(property, needless.outcome, needless.note);
        else if (typeof converted === 'string') this.#say(property, 'not possible', converted);
        else if ('body' in converted) {
          this.#say(property, converted.note === undefined ? 'same' : 'nearly the same', converted.note);
          out.push(...this.#named(rule.name, converted));
        }
      }
    }
    for (const { target } of expansions) this.#checkTarget(target, rules, inCompound);
    return out;
  }

  /** What a rule becomes that needs none in Muster; undefined for other rules. */
  #needless(rule: FlexMatchRule): Omit<ImportLine, 'property'> | undefined {
    const { operation, referenceValue } = rule;
    const [text = ''] = rule.measurements ?? [];
    const counted = [text, referenceValue].every(
      (side) =>
        typeof side === 'string' && /^count\(teams\[[^\]]+\]\.players\)$/.test(side.replaceAll(/\s+/g, '')),
    );
    const [first] = this.#set.teams;
    if (
      counted &&
      operation === '=' &&
      this.#set.teams.every((team) => team.maxPlayers === first!.maxPlayers)
    )
      return { outcome: 'same', note: 'it needs no rule: teams are always full' };
    if (this.#blockList(rule) !== undefined)
      return { outcome: 'nearly the same', note: 'it needs no rule: tickets name blocked players in avoid' };
    return undefined;
  }

  #isBlockList(attribute: string): boolean {
    return (this.#set.rules ?? []).some((rule) => this.#blockList(rule) === attribute);
  }

  /** The attribute whose lists a rule compares with the ids of all players, so that none may be in one. */
  #blockList({ operation, referenceValue, maxCount, measurements = [] }: FlexMatchRule): string | undefined {
    if (operation !== 'reference_intersection_count' || maxCount !== 0) return undefined;
    const [measured, reference] = [measurements[0], referenceValue].map((text) =>
      typeof text === 'string' ? parseExpression(text) : undefined,
    );
    if (!measured || !reference || takeApart(reference, this.#teamNames).attribute !== undefined)
      return undefined;
    return takeApart(measured, this.#teamNames).attribute;
  }

  /** The rule with its relaxation. */
  #named(name: string, { body, limits = {} }: Converted): Rule[] {
    const steps = new Map<number, Record<string, number>>();
    for (const { target, steps: own } of this.#set.expansions ?? []) {
      const [, rule, property] = /^rules\[([^\]]+)\]\.(\w+)$/.exec(target) ?? [];
      const limit = limits[property ?? ''];
      if (rule !== name || !limit) continue;
      let before = (body as unknown as Record<string, number>)[limit.key]!;
      for (const { waitTimeSeconds, value } of own.toSorted(
        (a, b) => a.waitTimeSeconds - b.waitTimeSeconds,
      )) {
        const ours = limit.of(value);
        if (!isLooser(body, limit.key, before, ours)) {
          this.#say(
            `expansions[${target}]`,
            'nearly the same',
            `a rule never tightens: the step to ${value} is left out`,
          );
          continue;
        }
        before = ours;
        steps.set(waitTimeSeconds, { ...steps.get(waitTimeSeconds), [limit.key]: ours });
      }
    }
    const relax = [...steps]
      .sort(([a], [b]) => a - b)
      .map(([waitSeconds, keys]) => ({ waitSeconds, ...keys }) as RelaxStep);
    return [{ name: ruleName(name), ...body, ...(relax.length > 0 && { relax }) } as Rule];
  }

  #checkTarget(target: string, rules: readonly FlexMatchRule[], inCompound: ReadonlySet<string>): void {
    const property = `expansions[${target}]`;
    const [, name, key] = /^rules\[([^\]]+)\]\.(\w+)$/.exec(target) ?? [];
    const rule = rules.find((one) => one.name === name);
    if (/^teams\[[^\]]+\]\.minPlayers$/.test(target)) {
      this.#say(property, 'nearly the same', 'teams are always full, which the original permits');
    } else if (!rule) this.#say(property, 'not possible', 'only limits of rules relax');
    else if (inCompound.has(rule.name)) {
      this.#say(property, 'nearly the same', 'the rules of anyOf do not relax, so the strict limit stays');
    } else {
      const converted = this.#convert(rule);
      if (typeof converted === 'string' || !converted.limits?.[key!])
        this.#say(property, 'not possible', `the rule has no counterpart of ${key} that may relax`);
      else this.#say(property, 'same');
    }
  }

  #compound(rule: FlexMatchRule, rules: readonly FlexMatchRule[]): Rule[] {
    const property = `rules[${rule.name}]`;
    const statement = (rule.statement ?? '').replaceAll(/\s+/g, '');
    const [, operator, list = ''] = /^(or|and)\(([^()]*)\)$/.exec(statement) ?? [];
    const names = list.split(',');
    const parts = names.map((name) => rules.find((one) => one.name === name));
    if (!operator || parts.some((part) => part === undefined)) {
      this.#say(property, 'not possible', 'only or(…) and and(…) of rules are imported');
      return [];
    }
    const converted = parts.map((part) => this.#convert(part!));
    const failed = converted.findIndex(
      (one) => typeof one === 'string' || (operator === 'or' && one.body.type === 'latency'),
    );
    if (failed !== -1) {
      const why = converted[failed];
      const reason = typeof why === 'string' ? why : 'latency cannot be one of several';
      this.#say(property, 'not possible', `${names[failed]}: ${reason}`);
      return [];
    }
    const all = converted as Converted[];
    const notes = all.flatMap(({ note }) => note ?? []);
    this.#say(property, notes.length === 0 ? 'same' : 'nearly the same', notes[0]);
    if (operator === 'and') return names.flatMap((name, i) => this.#named(name, all[i]!));
    const inner = all.map(({ body }) => body as InnerRule);
    if (inner.length === 1) return this.#named(rule.name, all[0]!);
    return [{ name: ruleName(rule.name), type: 'anyOf', rules: inner }];
  }

  /** The counterpart of a rule, or the reason why there is none. */
  #convert(rule: FlexMatchRule): Converted | string {
    switch (rule.type) {
      case 'distance':
        return this.#distance(rule);
      case 'comparison':
        return this.#comparison(rule);
      case 'collection':
        return this.#collection(rule);
      case 'batchDistance':
        return this.#batchDistance(rule);
      case 'latency':
        return latency(rule);
      case 'distanceSort':
      case 'absoluteSort':
        return 'Muster orders games by imbalance and waiting time, not by attributes';
      default:
        return `the rule type ${rule.type} is not in the reference`;
    }
  }

  #distance(rule: FlexMatchRule): Converted | string {
    const { maxDistance, minDistance, referenceValue } = rule;
    const measured = this.#measured(rule);
    if (typeof measured === 'string') return measured;
    if (minDistance !== undefined || maxDistance === undefined) return 'a least distance has no counterpart';
    const { attribute, form } = measured;
    const reference = typeof referenceValue === 'string' ? this.#expression(referenceValue) : undefined;
    if (form === 'avg of teams') {
      if (this.#set.teams.reduce((sum, { quantity = 1 }) => sum + quantity, 0) !== 2)
        return 'only the means of two teams are compared';
      const limits = (factor: number) => ({
        maxDistance: { key: 'max' as const, of: (value: number) => factor * value },
      });
      // Two teams of one size lie on both sides of their common mean, at half their difference.
      if (reference?.form === 'avg of all' && reference.attribute === attribute)
        return { body: { type: 'balance', attribute, max: 2 * maxDistance }, limits: limits(2) };
      if (reference?.form === 'avg of teams' && reference.attribute === attribute)
        return { body: { type: 'balance', attribute, max: maxDistance }, limits: limits(1) };
    }
    if (form === 'all' && reference?.form === 'avg of all' && reference.attribute === attribute) {
      // One of N numbers is at most (N − 1)/N of their range away from their mean.
      const factor = this.#seats / (this.#seats - 1);
      return {
        body: { type: 'within', attribute, max: factor * maxDistance },
        note: `all players are within ${round(factor * maxDistance)} of each other, so each is within ${maxDistance} of the average`,
        limits: { maxDistance: { key: 'max', of: (value) => factor * value } },
      };
    }
    return 'this distance has no counterpart';
  }

  #comparison(rule: FlexMatchRule): Converted | string {
    const { operation = '', referenceValue } = rule;
    const measured = this.#measured(rule);
    if (typeof measured === 'string') return measured;
    const { attribute, form } = measured;
    if (referenceValue === undefined) {
      if (form !== 'all') return 'only the values of all players are compared with each other';
      if (operation === '=') return { body: { type: 'same', attribute } };
      if (operation === '!=') return { body: { type: 'different', attribute } };
      return `players are compared by = and !=, not by ${operation}`;
    }
    const value = this.#constant(referenceValue, attribute);
    if (value === undefined) return 'only a constant is compared with';
    if (form === 'all' && operation === '=')
      return { body: { type: 'count', attribute, value, atLeast: this.#seats } };
    if (form === 'all' && operation === '!=') return { body: { type: 'count', attribute, value, atMost: 0 } };
    if (typeof value !== 'number') return `text is compared by = and !=, not by ${operation}`;
    const op = operation.startsWith('<')
      ? '<='
      : operation.startsWith('>')
        ? '>='
        : operation === '='
          ? '='
          : undefined;
    if (op === undefined) return `the operation ${operation} has no counterpart`;
    const of = form === 'all' ? (op === '<=' ? 'greatest' : 'least') : MEASURES[form];
    if (of === undefined) return 'measures of single teams have no counterpart';
    // The next number above or below stands for a strict comparison.
    const next = (reference: number) => {
      const step = Math.max(Math.abs(reference), 1) * Number.EPSILON;
      if (operation === '<') return reference - step;
      return operation === '>' ? reference + step : reference;
    };
    const left: Measure = { of, attribute };
    return {
      body: { type: 'compare', left, op, right: next(value) },
      limits: op === '=' ? {} : { referenceValue: { key: 'right', of: next } },
    };
  }

  #collection(rule: FlexMatchRule): Converted | string {
    const { operation, minCount, maxCount, referenceValue, partyAggregation = 'union' } = rule;
    const [text = ''] = rule.measurements ?? [];
    const expression = parseExpression(text);
    if (!expression) return `the expression ${text} is not one of the forms that are imported`;
    const { calls, attribute, isEverybody } = takeApart(expression, this.#teamNames);
    if (!isEverybody || attribute === undefined) return 'only the attributes of all teams are measured';
    const isFlat = calls[0] === 'flatten' || calls[0] === 'set_intersection';
    if (operation === 'reference_intersection_count')
      return 'counts of common entries with other lists have no counterpart';
    if (operation === 'intersection') {
      if (maxCount !== undefined) return 'a greatest number of common values has no counterpart';
      const note =
        partyAggregation === 'intersection'
          ? undefined
          : 'each player of a party has to share the values; FlexMatch takes the union of a party';
      return {
        body: { type: 'common', attribute, atLeast: minCount ?? 1, ...(!isFlat && { scope: 'team' }) },
        note,
        limits: { minCount: { key: 'atLeast', of: plainly } },
      };
    }
    if (operation === 'contains') {
      if (typeof referenceValue !== 'string') return 'only one value is looked for';
      return {
        body: {
          type: 'count',
          attribute,
          value: referenceValue,
          ...(minCount !== undefined && { atLeast: minCount }),
          ...(maxCount !== undefined && { atMost: maxCount }),
          ...(minCount === undefined && maxCount === undefined && { atLeast: 1 }),
          ...(!isFlat && { scope: 'team' }),
        },
        limits: {
          minCount: { key: 'atLeast', of: plainly },
          maxCount: { key: 'atMost', of: plainly },
        },
      };
    }
    return `the operation ${operation} has no counterpart`;
  }

  #batchDistance({
    batchAttribute,
    maxDistance,
    partyAggregation = 'avg',
  }: FlexMatchRule): Converted | string {
    const type = this.#typeOf(batchAttribute ?? '');
    if (type === 'string') return { body: { type: 'same', attribute: batchAttribute! } };
    if (type !== 'number' || maxDistance === undefined)
      return 'only numbers with a maxDistance and texts are batched';
    const party = PARTY[partyAggregation];
    if (!party) return `parties by ${partyAggregation} have no counterpart`;
    return {
      body: { type: 'within', attribute: batchAttribute!, max: maxDistance, party },
      limits: { maxDistance: { key: 'max', of: plainly } },
    };
  }

  /** The measurement of a rule, or the reason why it cannot be imported. */
  #measured({ measurements = [] }: FlexMatchRule): Measured | string {
    if (measurements.length !== 1) return 'only one measurement is imported';
    const measured = this.#expression(measurements[0]!);
    return measured ?? `the expression ${measurements[0]} is not one of the forms that are imported`;
  }

  #expression(text: string): Measured | undefined {
    const expression = parseExpression(text);
    if (!expression) return undefined;
    const { calls, attribute, isEverybody } = takeApart(expression, this.#teamNames);
    if (!isEverybody || attribute === undefined) return undefined;
    const form = FORMS[calls.join(' ')];
    return form && { attribute, form };
  }

  #constant(value: string | number | readonly string[], attribute: string): string | number | undefined {
    if (typeof value === 'number') return value;
    if (typeof value !== 'string' || parseExpression(value)) return undefined;
    if (this.#typeOf(attribute) !== 'number') return value;
    return Number.isFinite(Number(value)) ? Number(value) : undefined;
  }

  #typeOf(attribute: string): string | undefined {
    return (this.#set.playerAttributes ?? []).find(({ name }) => name === attribute)?.type;
  }
}

interface Measured {
  readonly attribute: string;
  readonly form: Form;
}

type Form =
  | 'all'
  | 'avg of teams'
  | 'avg of all'
  | 'min of all'
  | 'max of all'
  | 'sum of all'
  | 'count of all';

/** The forms of expressions by their functions from the outside in. */
const FORMS: Readonly<Record<string, Form>> = {
  flatten: 'all',
  avg: 'avg of teams',
  'avg flatten': 'avg of all',
  'min flatten': 'min of all',
  'max flatten': 'max of all',
  'sum flatten': 'sum of all',
  'count flatten': 'count of all',
};

const MEASURES: Readonly<Partial<Record<Form, Measure['of']>>> = {
  'avg of all': 'mean',
  'min of all': 'least',
  'max of all': 'greatest',
  'sum of all': 'sum',
  'count of all': 'count',
};

const PARTY: Readonly<Record<string, 'mean' | 'least' | 'greatest'>> = {
  avg: 'mean',
  min: 'least',
  max: 'greatest',
};

function latency({ maxLatency, partyAggregation = 'avg', ...rest }: FlexMatchRule): Converted | string {
  if (maxLatency === undefined)
    return 'only the greatest latency is a limit, not distances between latencies';
  const others = ['maxDistance', 'distanceReference'].filter((key) => rest[key] !== undefined);
  if (others.length > 0) return `${others.join(' and ')} of latencies have no counterpart`;
  const note =
    partyAggregation === 'max'
      ? undefined
      : `each player of a party has to be within it; FlexMatch takes the ${partyAggregation} of a party`;
  return {
    body: { type: 'latency', max: maxLatency },
    note,
    limits: { maxLatency: { key: 'max', of: plainly } },
  };
}

function isLooser(body: Converted['body'], key: keyof RelaxStep, before: number, after: number): boolean {
  const isUp = key === 'max' || key === 'atMost' || (body.type === 'compare' && body.op === '<=');
  return isUp ? after > before : after < before;
}

function namesIn(statement: string): string[] {
  return (
    statement.match(/[A-Za-z0-9_-]+/g)?.filter((word) => !['or', 'and', 'not', 'xor'].includes(word)) ?? []
  );
}

/** Names of queues have fewer characters than those of rule sets. */
function queueName(name = 'imported'): string {
  const made = name.replaceAll(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return made.slice(0, 64) || 'imported';
}

function ruleName(name: string): string {
  const made = name.replaceAll(/[^A-Za-z0-9_. -]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return made.slice(0, 64) || 'rule';
}

function round(value: number): number {
  return Math.round(100 * value) / 100;
}
