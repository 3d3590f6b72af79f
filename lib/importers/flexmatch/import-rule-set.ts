import type { Rule } from '../../rules/rule-types.ts';
import { queueName, ruleName, uniqueName } from '../names.ts';
import { type ConvertedRule, type RelaxedRule, relaxed } from '../relaxation.ts';
import { type ImportLine, Report } from '../report.ts';
import { ALWAYS_AVOIDED, blockListOf } from './by-type/collection.ts';
import { type Clause, compoundOf } from './by-type/compound.ts';
import type { Converted } from './flex-rule-type.ts';
import type { FlexMatchRule, FlexMatchRuleSet } from './rule-set.ts';
import { FLEX_RULE_TYPES } from './rule-types.ts';
import { reportTeams, sizeRulesOf, teamsOf } from './sizes.ts';
import { type ImportOptions, Source } from './source.ts';
import { parseStatement, rulesIn } from './statement.ts';

export interface Imported {
  /** A queue definition; not checked yet. */
  readonly definition: Record<string, unknown>;
  readonly lines: readonly ImportLine[];
  readonly source: Source;
}

/**
 * Converts a FlexMatch rule set into a queue definition, as far as Muster can express it, with a result for each property.
 * Every match that the definition permits meets each property with the result same or nearly the same: a rule without an
 * exact counterpart becomes a stricter one.
 *
 * @throws InvalidInput when the options do not fit the rule set
 */
export function importRuleSet(set: FlexMatchRuleSet, options: ImportOptions = {}): Imported {
  const source = new Source(set, options);
  const report = new Report();
  report.unknown('', set, KNOWN);
  const attributes = attributesOf(source, report);
  const priority = algorithmOf(source, report);
  reportTeams(source, report);
  const rules = new RulesOfQueue(source, report).all();
  const relaxBy = set.algorithm?.expansionAgeSelection === 'oldest' ? 'oldest' : undefined;
  const isRelaxing = JSON.stringify(rules).includes('"waitSeconds"');
  const definition = {
    name: options.name ?? queueName(set.name),
    ...teamsOf(source),
    ...(Object.keys(attributes).length > 0 && { attributes }),
    ...(rules.length > 0 && { rules }),
    ...(relaxBy && isRelaxing && { relaxBy }),
    backfill: { priority },
    imbalance: { alpha: 1, p: 1, q: 2 },
    release: { policy: 'greedy' },
    tickSeconds: 1,
    timeoutSeconds: timeoutOf(source, report),
  };
  return { definition, lines: report.lines, source };
}

const KNOWN = [
  'name',
  'ruleLanguageVersion',
  'playerAttributes',
  'algorithm',
  'teams',
  'rules',
  'expansions',
];

function attributesOf(source: Source, report: Report): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  const { playerAttributes = [], rules = [] } = source.set;
  const blockLists = rules.map((rule) => blockListOf(rule, source));
  for (const attribute of playerAttributes) {
    const { name, type, default: fallback } = attribute;
    const property = `playerAttributes[${name}]`;
    report.unknown(property, attribute, ['name', 'type', 'default']);
    if (type === 'string_number_map') {
      if (isOnlySorted(name, source)) report.same(property, 'only sorts use it, so tickets omit it');
      else report.impossible(property, 'attributes are numbers, texts and lists of texts');
    } else if (name === source.skill) {
      report.same(property, skillNote(source, fallback));
    } else if (blockLists.includes(name)) {
      report.same(property, 'tickets name blocked players in avoid, not in an attribute');
    } else {
      const ours = source.nameOf(name);
      const given = fallback === undefined ? undefined : defaultOf(type, fallback);
      attributes[ours] = {
        type: type === 'string_list' ? 'strings' : type,
        ...(given?.value !== undefined && { default: given.value }),
      };
      const notes = [...(ours === name ? [] : [`its name is ${ours}`]), ...(given?.notes ?? [])];
      report.same(property, notes.length === 0 ? undefined : notes.join('; '));
    }
  }
  if (source.skill === undefined)
    report.same(
      'skill',
      'no attribute is the skill: send skill 0 with each player, or name one with --skill',
    );
  return attributes;
}

function skillNote(source: Source, fallback: unknown): string {
  const { skillOffset } = source;
  return [
    'it is the skill of each player, not an attribute',
    ...(fallback === undefined
      ? []
      : [`tickets always have it: send ${Number(fallback) + skillOffset} by default`]),
    skillOffset === 0
      ? 'a skill is not negative: --skill-offset shifts it'
      : `add ${skillOffset} to every skill`,
  ].join('; ');
}

/** Whether no rule but sorts reads an attribute. */
function isOnlySorted(name: string, { set }: Source): boolean {
  return (set.rules ?? []).every(
    ({ type, batchAttribute, measurements = [], referenceValue }) =>
      type === 'absoluteSort' ||
      type === 'distanceSort' ||
      (batchAttribute !== name &&
        ![...measurements, String(referenceValue)].some((text) => text.includes(`attributes[${name}]`))),
  );
}

/** A default as the definition has it. */
function defaultOf(type: string, fallback: unknown): { value: unknown; notes: string[] } {
  if (type === 'number') return { value: Number(fallback), notes: [] };
  return { value: fallback, notes: [] };
}

/** The priority of backfills. */
function algorithmOf({ set }: Source, report: Report): string {
  const algorithm = set.algorithm ?? {};
  for (const [key, value] of Object.entries(algorithm)) {
    const property = `algorithm.${key}`;
    if (key === 'expansionAgeSelection') {
      if (value === 'oldest' || value === 'newest') report.same(property);
      else report.impossible(property, 'Expected newest or oldest');
    } else if (key === 'backfillPriority') {
      if (value === 'low' || value === 'high') report.same(property);
      else if (value === 'normal')
        report.same(
          property,
          'new matches and backfills compete by what newcomers add, and by age when they have waited long',
        );
      else report.impossible(property, 'Expected low, normal or high');
    } else if (Object.hasOwn(ORDER_ONLY, key)) {
      const fault = ORDER_ONLY[key]!(value, set);
      if (fault !== undefined) report.impossible(property, fault);
      else
        report.same(
          property,
          'it forbids no match: Muster searches all waiting tickets for the least imbalance',
        );
    } else report.impossible(property, 'it is not a property of the reference here');
  }
  const priority = algorithm.backfillPriority;
  return priority === 'low' || priority === 'high' ? priority : 'normal';
}

/** Settings that decide which of the permitted matches FlexMatch makes, with what is wrong with a value. */
const ORDER_ONLY: Readonly<Record<string, (value: unknown, set: FlexMatchRuleSet) => string | undefined>> = {
  strategy: oneOf('exhaustiveSearch', 'balanced'),
  batchingPreference: oneOf('random', 'sorted', 'largestPopulation', 'fastestRegion'),
  balancedAttribute: unknownAttribute,
  sortByAttributes: (value, set) =>
    [value].flat().reduce<string | undefined>((fault, one) => fault ?? unknownAttribute(one, set), undefined),
};

function oneOf(...values: readonly string[]): (value: unknown) => string | undefined {
  return (value) =>
    values.includes(value as string)
      ? undefined
      : `Expected ${values.slice(0, -1).join(', ')} or ${values.at(-1)}, got ${JSON.stringify(value)}`;
}

function unknownAttribute(value: unknown, { playerAttributes = [] }: FlexMatchRuleSet): string | undefined {
  const isKnown = playerAttributes.some(({ name }) => name === value);
  return isKnown ? undefined : `there is no attribute ${String(value)}`;
}

function timeoutOf({ set, options }: Source, report: Report): number {
  const steps = (set.expansions ?? []).flatMap((expansion) => expansion.steps);
  const last = Math.max(0, ...steps.map(({ waitTimeSeconds }) => waitTimeSeconds));
  const { timeoutSeconds } = options;
  if (timeoutSeconds === undefined) {
    const chosen = Math.max(300, 2 * last);
    report.same(
      'timeoutSeconds',
      `a rule set has none: tickets wait up to ${chosen} s; --timeout sets requestTimeoutSeconds of the configuration`,
    );
    return chosen;
  }
  if (last >= timeoutSeconds)
    report.same('timeoutSeconds', `steps at ${timeoutSeconds} s and later have no effect, as in FlexMatch`);
  return timeoutSeconds;
}

const ofNumbers = oneOf('avg', 'min', 'max');
const ofLists = oneOf('union', 'intersection');

/** A rule of the queue with the steps of the limits that have become part of it. */
class RulesOfQueue {
  readonly #source: Source;
  readonly #report: Report;
  readonly #rules: Rule[] = [];
  readonly #names = new Set<string>();
  /** Rules of the source that have become rules of the queue by themselves. */
  readonly #done = new Set<string>();
  /** Rules of the source that forbid nothing. */
  readonly #needless = new Set<string>();
  /** Expanded limits by target: whether a step tightens. */
  readonly #relaxed = new Map<string, boolean>();

  constructor(source: Source, report: Report) {
    this.#source = source;
    this.#report = report;
  }

  all(): Rule[] {
    const rules = this.#source.set.rules ?? [];
    const combined = new Map(
      rules.flatMap(({ name, type, statement = '' }) => {
        const parsed = type === 'compound' ? parseStatement(statement) : undefined;
        return parsed === undefined ? [] : rulesIn(parsed).map((rule) => [rule, name] as const);
      }),
    );
    for (const { name, target, rule } of sizeRulesOf(this.#source)) this.#add(name, target, rule);
    for (const rule of rules) {
      const part = combined.get(rule.name);
      this.#reportProperties(rule);
      if (rule.type === 'compound') this.#compound(rule);
      else if (part === undefined) this.#single(rule);
      else this.#report.same(`rules[${rule.name}]`, `it holds as a part of ${part}`);
    }
    for (const { target } of this.#source.set.expansions ?? []) this.#reportExpansion(target);
    this.#checkLatency();
    return this.#rules;
  }

  #single(rule: FlexMatchRule): void {
    const property = `rules[${rule.name}]`;
    const converted = this.#convert(rule);
    if (typeof converted === 'string') {
      this.#report.impossible(property, converted);
      return;
    }
    if (converted.rules.length === 0) this.#needless.add(rule.name);
    this.#tell(property, converted.differs, converted.note);
    this.#addAll(rule.name, converted.rules);
  }

  #compound(rule: FlexMatchRule): void {
    const property = `rules[${rule.name}]`;
    const compound = compoundOf(rule, this.#source, (member) => this.#convert(member));
    if (typeof compound === 'string') {
      this.#report.impossible(property, compound);
      return;
    }
    this.#tell(property, compound.differs);
    for (const clause of compound.clauses) this.#addClause(rule.name, clause);
    const statement = parseStatement(rule.statement!)!;
    for (const name of rulesIn(statement)) this.#noteLimits(name);
  }

  #addClause(name: string, clause: Clause): void {
    if ('rules' in clause) this.#addAll(clause.of, clause.rules);
    else if (clause.anyOf.length === 1) this.#push(name, clause.anyOf[0]!);
    else this.#push(name, { type: 'anyOf', rules: clause.anyOf });
  }

  /** A rule that two compound ones name becomes one. */
  #addAll(name: string, rules: readonly ConvertedRule[]): void {
    if (this.#done.has(name)) return;
    this.#done.add(name);
    for (const rule of rules) this.#add(name, `rules[${name}]`, rule);
  }

  #add(name: string, target: string, rule: ConvertedRule): void {
    const { body, relax } = this.#relax(target, rule);
    this.#push(name, { ...body, ...(relax.length > 0 && { relax }) });
  }

  #push(name: string, body: object): void {
    this.#rules.push({ name: uniqueName(ruleName(name), this.#names, ' '), ...body } as Rule);
  }

  #relax(target: string, rule: ConvertedRule): RelaxedRule {
    const result = relaxed(rule, (property) => this.#source.stepsOf(`${target}.${property}`));
    for (const property of Object.keys(rule.limits ?? {})) {
      const key = `${target}.${property}`;
      this.#relaxed.set(key, (this.#relaxed.get(key) ?? false) || result.tightening.includes(property));
    }
    return result;
  }

  /** Notes which limits of a rule within a statement have relaxed. */
  #noteLimits(name: string): void {
    const rule = this.#source.set.rules!.find((one) => one.name === name)!;
    const converted = this.#convert(rule);
    if (typeof converted === 'string') return;
    for (const one of converted.rules) this.#relax(`rules[${name}]`, one);
  }

  #convert(rule: FlexMatchRule): Converted | string {
    const type = Object.hasOwn(FLEX_RULE_TYPES, rule.type) ? FLEX_RULE_TYPES[rule.type] : undefined;
    if (type !== undefined) return type.convert(rule, this.#source);
    if (rule.type === 'compound') return 'a compound rule is no part of another one';
    return `the rule type ${rule.type} is not in the reference`;
  }

  #tell(property: string, differs: string | undefined, note?: string): void {
    if (differs === undefined) this.#report.same(property, note);
    else this.#report.nearly(property, differs);
  }

  #reportProperties(rule: FlexMatchRule): void {
    const own = rule.type === 'compound' ? ['statement'] : FLEX_RULE_TYPES[rule.type]?.properties;
    if (own === undefined) return;
    this.#report.unknown(`rules[${rule.name}]`, rule, ['name', 'type', 'description', ...own]);
    const { partyAggregation, type } = rule;
    if (partyAggregation === undefined || !own.includes('partyAggregation')) return;
    const fault = (type === 'collection' ? ofLists : ofNumbers)(partyAggregation);
    if (fault !== undefined) this.#report.impossible(`rules[${rule.name}].partyAggregation`, fault);
  }

  #reportExpansion(target: string): void {
    const property = `expansions[${target}]`;
    const tightens = this.#relaxed.get(target);
    const [, name = ''] = /^rules\[(.+)\]\./.exec(target) ?? [];
    const rule = this.#source.set.rules?.find((one) => one.name === name);
    if (rule && blockListOf(rule, this.#source) !== undefined) this.#report.nearly(property, ALWAYS_AVOIDED);
    else if (tightens === false) this.#report.same(property);
    else if (tightens === true)
      this.#report.nearly(property, 'a rule never tightens, so the stricter limit holds before its step too');
    else if (this.#needless.has(name)) this.#report.same(property, 'the rule forbids nothing');
    else if (this.#isTarget(target))
      this.#report.impossible(property, 'it is no limit of the queue that relaxes');
    else
      this.#report.impossible(
        property,
        'Expected rules[NAME].PROPERTY or teams[NAME].PROPERTY of this rule set',
      );
  }

  #isTarget(target: string): boolean {
    const { rules = [], teams } = this.#source.set;
    return [
      ...rules.map(({ name }) => `rules[${name}].`),
      ...teams.map(({ name }) => `teams[${name}].`),
    ].some((start) => target.startsWith(start) && target.length > start.length);
  }

  /** A match has one region. */
  #checkLatency(): void {
    const own = this.#rules.filter(({ type }) => type === 'latency');
    if (own.length < 2) return;
    const names = own.map(({ name }) => name).join(', ');
    this.#report.impossible('rules', `a queue has one latency rule, and these are several: ${names}`);
  }
}
