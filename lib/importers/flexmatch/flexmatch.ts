import type { Rule } from '../../rules/rule-types.ts';
import { shown } from '../../vocabulary/expected.ts';
import { DraftRules, definitionOf, NOTES, renamed } from '../draft.ts';
import type { Definition, Importer } from '../importer.ts';
import { immaterial, pathOf, unmarked, whole } from '../reading.ts';
import { type ConvertedRule, relaxed } from '../relaxation.ts';
import type { Report } from '../report.ts';
import { blockListOf } from './by-type/collection.ts';
import { type Compound, type Counterparts, compoundOf } from './by-type/compound.ts';
import type { Converted } from './flex-rule-type.ts';
import { type FlexMatchRule, type FlexMatchRuleSet, readRuleSet } from './rule-set.ts';
import { FLEX_RULE_TYPES } from './rule-types.ts';
import { combinedRules, reportTeams, sizeRulesOf, teamsOf } from './sizes.ts';
import { Source } from './source.ts';
import { parseStatement, rulesIn } from './statement.ts';
import { ticketsOf } from './tickets.ts';

/**
 * FlexMatch rule sets. Every match that the definition permits meets each property with the result same or nearly the same: a
 * rule without an exact counterpart becomes a stricter one.
 */
export const flexmatch: Importer<FlexMatchRuleSet> = {
  title: 'a FlexMatch rule set',
  file: 'rule set, JSON; comments are allowed',
  options: ['skill', 'skillOffset', 'timeout'],
  read: readRuleSet,
  translate: (set, options, report) => translate(new Source(set, options), report),
  ticketsOf,
};

function translate(source: Source, report: Report): Definition {
  const { set, options } = source;
  immaterial(set.ruleLanguageVersion);
  const attributes = attributesOf(source, report);
  const priority = algorithmOf(source, report);
  reportTeams(source, report);
  const rules = new RulesOfQueue(source, report).all();
  const relaxBy = set.algorithm?.expansionAgeSelection === 'oldest' ? 'oldest' : undefined;
  const isRelaxing = JSON.stringify(rules).includes('"waitSeconds"');
  return definitionOf({
    name: options.name,
    fallbackName: set.name,
    teams: teamsOf(source),
    attributes,
    rules,
    timeoutSeconds: timeoutOf(source, report),
    more: { ...(relaxBy && isRelaxing && { relaxBy }), backfill: { priority } },
  });
}

function attributesOf(source: Source, report: Report): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  const { playerAttributes = [], rules = [] } = source.set;
  const blockLists = rules.map((rule) => blockListOf(rule, source));
  for (const attribute of playerAttributes) {
    const { name, type } = attribute;
    const property = pathOf(attribute);
    if (type === 'string_number_map') {
      if (isOnlySorted(name, source)) {
        immaterial(whole(attribute.default));
        report.same(property, 'only sorts use it, so tickets omit it');
      } else report.impossible(property, 'attributes are numbers, texts and lists of texts');
    } else if (name === source.skill) {
      report.same(property, ...skillNotes(source, attribute.default));
    } else if (blockLists.includes(name)) {
      const fallback = [whole(attribute.default) ?? []].flat();
      report.same(
        property,
        'tickets name blocked players in avoid, not in an attribute',
        fallback.length === 0 ? undefined : `send ${fallback.join(', ')} by default`,
      );
    } else {
      const ours = source.nameOf(name);
      const fallback = whole(attribute.default);
      attributes[ours] = {
        type: type === 'string_list' ? 'strings' : type,
        ...(fallback !== undefined && { default: fallback }),
      };
      report.same(property, renamed(name, ours));
    }
  }
  if (source.skill === undefined) report.same('skill', NOTES.noSkill);
  return attributes;
}

function skillNotes({ skillOffset }: Source, fallback: unknown): (string | false)[] {
  return [
    NOTES.isSkill,
    fallback !== undefined && `tickets always have it: send ${Number(fallback) + skillOffset} by default`,
    skillOffset === 0
      ? 'a skill is not negative: --skill-offset shifts it'
      : `add ${skillOffset} to every skill`,
  ];
}

/** Whether no rule but sorts reads an attribute. */
function isOnlySorted(name: string, { set }: Source): boolean {
  return (set.rules ?? [])
    .map(unmarked)
    .every(
      ({ batchAttribute, measurements = [], referenceValue }) =>
        batchAttribute !== name &&
        ![...measurements, String(referenceValue)].some((text) => text.includes(`attributes[${name}]`)),
    );
}

/** The priority of backfills. */
function algorithmOf({ set }: Source, report: Report): string {
  const { algorithm, playerAttributes = [] } = set;
  if (algorithm === undefined) return 'normal';
  const names: readonly unknown[] = playerAttributes.map(({ name }) => name);
  const unknown = (value: unknown = []) => {
    const one = [value].flat().find((name) => !names.includes(name));
    return one === undefined ? undefined : `there is no attribute ${String(one)}`;
  };
  const judged = [
    ['strategy', oneOf('exhaustiveSearch', 'balanced'), NOTES.forbidsNothing],
    [
      'batchingPreference',
      oneOf('random', 'sorted', 'largestPopulation', 'fastestRegion'),
      NOTES.forbidsNothing,
    ],
    ['balancedAttribute', unknown, NOTES.forbidsNothing],
    ['sortByAttributes', unknown, NOTES.forbidsNothing],
    ['expansionAgeSelection', oneOf('newest', 'oldest'), undefined],
    [
      'backfillPriority',
      oneOf('low', 'normal', 'high'),
      algorithm.backfillPriority === 'normal'
        ? 'new matches and backfills compete by what newcomers add, and by age when they have waited long'
        : undefined,
    ],
  ] as const;
  for (const [key, faultOf, note] of judged) {
    const fault = faultOf(algorithm[key]);
    if (fault !== undefined) report.impossible(pathOf(algorithm, key), fault);
    else if (algorithm[key] !== undefined) report.same(pathOf(algorithm, key), note);
  }
  const { backfillPriority } = algorithm;
  return backfillPriority === 'low' || backfillPriority === 'high' ? backfillPriority : 'normal';
}

const OF_NUMBERS = oneOf('avg', 'min', 'max');
const OF_LISTS = oneOf('union', 'intersection');

/** What is wrong with a value that is set. */
function oneOf(...values: readonly string[]): (value: unknown) => string | undefined {
  return (value) =>
    value === undefined || values.includes(value as string)
      ? undefined
      : `Expected ${values.slice(0, -1).join(', ')} or ${values.at(-1)}, got ${shown(value)}`;
}

function timeoutOf({ set, options }: Source, report: Report): number {
  const steps = (set.expansions ?? []).flatMap((expansion) => unmarked(expansion).steps);
  const last = Math.max(0, ...steps.map(({ waitTimeSeconds }) => waitTimeSeconds));
  const { timeout } = options;
  if (timeout === undefined) {
    const seconds = Math.max(300, 2 * last);
    report.same(
      'timeoutSeconds',
      `a rule set has none: tickets wait up to ${seconds} s; --timeout sets requestTimeoutSeconds of the configuration`,
    );
    return seconds;
  }
  if (last >= timeout)
    report.same('timeoutSeconds', `steps at ${timeout} s and later have no effect, as in FlexMatch`);
  return timeout;
}

/** The rules of the queue, with the steps of the limits that have become part of them. */
class RulesOfQueue {
  readonly #source: Source;
  readonly #report: Report;
  readonly #draft = new DraftRules();
  readonly #converted: Counterparts;
  /** Rules of the source that have become rules of the queue by themselves. */
  readonly #done = new Set<string>();
  /** What expansions become, by target: the difference, and what the reader should know. */
  readonly #expanded = new Map<string, { readonly differs?: string | undefined; readonly note?: string }>();

  constructor(source: Source, report: Report) {
    this.#source = source;
    this.#report = report;
    this.#converted = new Map((source.set.rules ?? []).map((rule) => [rule.name, this.#convert(rule)]));
  }

  all(): readonly Rule[] {
    const { rules = [], expansions = [] } = this.#source.set;
    const combined = combinedRules(this.#source);
    const compounds = new Map(
      rules.flatMap((rule) =>
        rule.type === 'compound'
          ? [[rule.name, compoundOf(rule, this.#source, this.#converted)] as const]
          : [],
      ),
    );
    for (const { name, target, rule } of sizeRulesOf(this.#source)) this.#add(name, target, [rule]);
    for (const rule of rules) {
      const part = combined.get(rule.name);
      immaterial(rule.description);
      this.#reportParties(rule);
      if (rule.type === 'compound') this.#compound(rule, compounds.get(rule.name)!);
      else if (part === undefined) this.#single(rule);
      else if (typeof compounds.get(part) === 'string')
        this.#report.impossible(pathOf(rule), `it is a part of ${part}, which is not possible`);
      else this.#report.same(pathOf(rule), `it holds as a part of ${part}`);
    }
    for (const expansion of expansions) this.#reportExpansion(expansion);
    this.#checkLatency();
    return this.#draft.all;
  }

  #single(rule: FlexMatchRule): void {
    const converted = this.#converted.get(rule.name)!;
    if (typeof converted === 'string') {
      this.#report.impossible(pathOf(rule), converted);
      return;
    }
    const { rules, free, differs, note } = converted;
    if (free !== undefined)
      this.#expanded.set(`rules[${rule.name}].${free}`, { note: 'the rule forbids nothing' });
    this.#report.compared(pathOf(rule), differs, note);
    this.#addOnce(rule.name, rules);
  }

  #compound(rule: FlexMatchRule, compound: Compound | string): void {
    if (typeof compound === 'string') {
      this.#report.impossible(pathOf(rule), compound);
      return;
    }
    this.#report.compared(pathOf(rule), compound.differs);
    for (const clause of compound.clauses) {
      if ('rules' in clause) this.#addOnce(clause.of, clause.rules);
      else if (clause.anyOf.length === 1) this.#draft.push(rule.name, clause.anyOf[0]!);
      else this.#draft.push(rule.name, { type: 'anyOf', rules: clause.anyOf });
    }
    for (const name of rulesIn(parseStatement(rule.statement!)!)) {
      const converted = this.#converted.get(name)!;
      if (typeof converted !== 'string') this.#note(`rules[${name}]`, converted.rules);
    }
  }

  /** A rule that two compound ones name becomes one. */
  #addOnce(name: string, rules: readonly ConvertedRule[]): void {
    if (this.#done.has(name)) return;
    this.#done.add(name);
    this.#add(name, `rules[${name}]`, rules);
  }

  #add(name: string, target: string, rules: readonly ConvertedRule[]): void {
    this.#draft.add(name, rules, this.#stepsOf(target));
    this.#note(target, rules);
  }

  #stepsOf(target: string) {
    return (property: string) => this.#source.stepsOf(`${target}.${property}`);
  }

  /** Notes how the limits of rules relax. */
  #note(target: string, rules: readonly ConvertedRule[]): void {
    for (const rule of rules) {
      const { differs } = relaxed(rule, this.#stepsOf(target));
      for (const property of Object.keys(rule.limits ?? {})) {
        const key = `${target}.${property}`;
        this.#expanded.set(key, { differs: this.#expanded.get(key)?.differs ?? differs.get(property) });
      }
    }
  }

  #convert(rule: FlexMatchRule): Converted | string {
    if (rule.type === 'compound') return 'a compound rule is no part of another one';
    const converted = FLEX_RULE_TYPES.get(rule.type)?.(rule, this.#source);
    if (converted === undefined) return `the rule type ${rule.type} is not in the reference`;
    if (typeof converted === 'string' || rule.partyAggregation === undefined) return converted;
    // AWS says that partyAggregation does not change what is compared; see docs/from-flexmatch.md.
    const note = converted.note ?? 'each player of a party counts, whatever partyAggregation says';
    return { ...converted, note };
  }

  #reportParties(rule: FlexMatchRule): void {
    if (!FLEX_RULE_TYPES.has(rule.type)) return;
    const fault = (rule.type === 'collection' ? OF_LISTS : OF_NUMBERS)(rule.partyAggregation);
    if (fault !== undefined) this.#report.impossible(pathOf(rule, 'partyAggregation'), fault);
  }

  #reportExpansion({ target, steps }: NonNullable<FlexMatchRuleSet['expansions']>[number]): void {
    const property = `expansions[${target}]`;
    const { rules = [], teams } = this.#source.set;
    const isIn = (list: string) => (one: { readonly name: string }) => {
      const start = `${list}[${one.name}].`;
      return target.startsWith(start) && target !== start;
    };
    const rule = rules.find(isIn('rules'));
    const converted = this.#converted.get(rule?.name ?? '');
    const inPart = typeof converted === 'object' ? converted.differsInPart : undefined;
    const expanded = inPart === undefined ? this.#expanded.get(target) : { differs: inPart };
    if (expanded !== undefined) {
      for (const { waitTimeSeconds, value } of steps) immaterial(waitTimeSeconds, value);
      this.#report.compared(property, expanded.differs, expanded.note);
    } else
      this.#report.impossible(
        property,
        rule !== undefined || teams.some(isIn('teams'))
          ? 'it is no limit of the queue that relaxes'
          : 'Expected rules[NAME].PROPERTY or teams[NAME].PROPERTY of this rule set',
      );
  }

  /** A match has one region. */
  #checkLatency(): void {
    const own = this.#draft.all.filter(({ type }) => type === 'latency');
    if (own.length < 2) return;
    const names = own.map(({ name }) => name).join(', ');
    this.#report.impossible('rules', `a queue has one latency rule, and these are several: ${names}`);
  }
}
