import type { Measure } from '../../rules/by-type/compare.ts';
import { PARTY, sizeOf } from '../draft.ts';
import { pathOf } from '../reading.ts';
import {
  type Conversion,
  type ConvertedRule,
  type ExpansionStep,
  LEAST_COMMON,
  lower,
  SWITCH,
  upper,
} from '../relaxation.ts';
import type { Report } from '../report.ts';
import type { PlayFabExpansion, PlayFabRule } from './queue.ts';

interface ConvertedPlayFabRule extends Conversion {
  /** The steps of the limits, by the name of the limit. */
  readonly steps?: Readonly<Record<string, readonly ExpansionStep[]>>;
}

/** What rules need of their queue. */
export interface PlayFabContext {
  /** The names of the teams in the queue. */
  readonly teams: readonly string[];
  readonly timeoutSeconds: number;
  readonly report: Report;
}

/** A type of rule of PlayFab: the type of its attribute, if it has one, and its counterpart, or why there is none. */
interface PlayFabRuleType {
  readonly attribute?: 'string' | 'number' | 'strings';
  /** @param attribute its name in the queue; empty for a type without one */
  convert(rule: PlayFabRule, context: PlayFabContext, attribute: string): ConvertedPlayFabRule | string;
}

const RULE_TYPES: Readonly<Record<string, PlayFabRuleType>> = {
  StringEqualityRule: {
    attribute: 'string',
    convert(rule, { report }, attribute) {
      const expansion = expansionOf(rule);
      const steps = (expansion?.EnabledOverrides ?? []).map((isEnabled, i) => ({
        waitTimeSeconds: i * expansion!.SecondsBetweenExpansions,
        value: isEnabled ? 0 : Infinity,
      }));
      if (expansion !== undefined) reportKind(expansion, 'Custom', report);
      return {
        rules: [{ body: { type: 'same', attribute }, limits: { on: SWITCH } }],
        steps: { on: steps },
      };
    },
  },
  DifferenceRule: {
    attribute: 'number',
    convert(rule, context, attribute) {
      const party = PARTY.get(rule.MergeFunction ?? 'Average');
      if (party === undefined) return `parties by ${rule.MergeFunction} have no counterpart`;
      return withMax(rule, context, 'Difference', (max) => [{ type: 'within', attribute, max, party }]);
    },
  },
  SetIntersectionRule: {
    attribute: 'strings',
    convert(rule, context, attribute) {
      const atLeast = rule.MinIntersectionSize ?? 1;
      const steps = stepsOf(rule, 'MinIntersectionSizeOverrides', [atLeast, -1], context);
      return {
        rules: [{ body: { type: 'common', attribute, atLeast }, limits: { atLeast: LEAST_COMMON } }],
        steps: { atLeast: steps },
        differs: 'how PlayFab merges the lists of a party is not documented; here each player counts',
      };
    },
  },
  MatchTotalRule: {
    attribute: 'number',
    convert(rule, { report }, attribute) {
      const left = { of: 'sum', attribute } as const;
      const expansion = expansionOf(rule);
      if (expansion !== undefined) reportKind(expansion, 'Custom', report);
      const every = expansion?.SecondsBetweenExpansions ?? 0;
      const min = overridesIn(expansion?.MinOverrides, every, -Infinity);
      const max = overridesIn(expansion?.MaxOverrides, every, Infinity);
      const limitOf = (
        op: '>=' | '<=',
        right: number | undefined,
        limits: NonNullable<ConvertedRule['limits']>,
      ) => (right === undefined ? [] : [{ body: { type: 'compare', left, op, right } as const, limits }]);
      const rules: ConvertedRule[] = [
        ...limitOf('>=', rule.Min ?? min.find(isOn)?.value, { min: lower('right') }),
        ...limitOf('<=', rule.Max ?? max.find(isOn)?.value, { max: upper('right') }),
      ];
      const isOneNull = [...min, ...max].some((step) => !isOn(step)) && rules.length > 1;
      return {
        rules,
        steps: { min, max },
        ...(isOneNull && {
          differs: 'null turns the limit off that it stands for; the other one holds on',
        }),
      };
    },
  },
  RegionSelectionRule: {
    convert(rule, context) {
      const note = `tickets have latencyMs by region, not an attribute${rule.Path === undefined ? '' : ` ${rule.Path}`}`;
      const converted = withMax(rule, context, 'MaxLatency', (max) => [{ type: 'latency', max }]);
      return typeof converted === 'string' ? converted : { ...converted, note };
    },
  },
  TeamDifferenceRule: {
    attribute: 'number',
    convert: (rule, context, attribute) => ofPairs(rule, context, (team) => ({ of: 'sum', attribute, team })),
  },
  TeamSizeBalanceRule: { convert: (rule, context) => ofPairs(rule, context, sizeOf) },
  TeamTicketSizeSimilarityRule: {
    convert: () => 'no rule of Muster looks at how large the parties of a team are',
  },
};

export const PLAYFAB_RULE_TYPES: ReadonlyMap<string, PlayFabRuleType> = new Map(Object.entries(RULE_TYPES));

/** The measures of any two teams differ by at most the Difference. */
function ofPairs(
  rule: PlayFabRule,
  context: PlayFabContext,
  measureOf: (team: string) => Measure,
): ConvertedPlayFabRule | string {
  const { teams } = context;
  if (teams.length < 2) return 'the queue has no teams';
  return withMax(rule, context, 'Difference', (max) =>
    teams.flatMap((team, i) =>
      teams
        .slice(0, i)
        .map((other) => ({ type: 'compare' as const, left: measureOf(other), right: measureOf(team), max })),
    ),
  );
}

/** Rules whose `max` is a limit of the source that expansions raise. */
function withMax(
  rule: PlayFabRule,
  context: PlayFabContext,
  key: 'Difference' | 'MaxLatency',
  bodiesOf: (max: number) => readonly ConvertedRule['body'][],
): ConvertedPlayFabRule | string {
  const own = rule[key] ?? undefined;
  const steps = stepsOf(rule, `${key}Overrides`, [own, 1], context);
  const max = own ?? steps.find(isOn)?.value;
  if (max === undefined) return `it has no ${key}`;
  return {
    rules: bodiesOf(max).map((body) => ({ body, limits: { max: upper('max') } })),
    steps: { max: steps },
  };
}

/** A rule has one expansion. Others stay unread, so the report names them. */
function expansionOf(rule: PlayFabRule): PlayFabExpansion | undefined {
  return rule.CustomExpansion ?? rule.LinearExpansion ?? rule.Expansion ?? undefined;
}

/** The steps of a rule's limit. @param direction of a linear expansion: 1 where greater numbers permit more matches, else −1 */
function stepsOf(
  rule: PlayFabRule,
  key: 'DifferenceOverrides' | 'MaxLatencyOverrides' | 'MinIntersectionSizeOverrides',
  [start, direction]: readonly [number | undefined, 1 | -1],
  { timeoutSeconds, report }: PlayFabContext,
): ExpansionStep[] {
  const expansion = expansionOf(rule);
  if (expansion === undefined) return [];
  const { SecondsBetweenExpansions: every, [key]: overrides } = expansion;
  if (overrides) {
    reportKind(expansion, 'Custom', report);
    return overridesIn(overrides, every, direction * Infinity);
  }
  reportKind(expansion, 'Linear', report);
  const delta = expansion.Delta ?? 0;
  if (delta === 0 || start === undefined) return [];
  const limit = expansion.Limit ?? (direction === 1 ? Infinity : 0);
  const until = Math.min(rule.SecondsUntilOptional ?? Infinity, timeoutSeconds);
  const count = Math.min(Math.ceil((direction * (limit - start)) / delta), Math.ceil(until / every) - 1);
  // A rule keeps a few of them.
  const stride = Math.max(1, Math.ceil(count / LINEAR_STEPS_MAX));
  const steps: ExpansionStep[] = [];
  for (let n = count; n > 0; n -= stride) {
    const value = direction * Math.min(direction * (start + direction * n * delta), direction * limit);
    steps.unshift({ waitTimeSeconds: n * every, value });
  }
  return steps;
}

const LINEAR_STEPS_MAX = 100;

/** An expansion may name its kind, which has to be the one that its other properties say. */
function reportKind(expansion: PlayFabExpansion, kind: 'Linear' | 'Custom', report: Report): void {
  const { Type } = expansion;
  if (Type === undefined || Type === kind) return;
  report.impossible(pathOf(expansion, 'Type'), `Expected ${kind}, got ${JSON.stringify(Type)}`);
}

type Overrides = PlayFabExpansion['DifferenceOverrides'];

/** One value for each interval, the first from the beginning; null turns the rule off for it. */
function overridesIn(list: Overrides, every: number, off: number): ExpansionStep[] {
  return (list ?? []).map((one, i) => ({
    waitTimeSeconds: i * every,
    value: (typeof one === 'object' ? one?.Value : one) ?? off,
  }));
}

const isOn = ({ value }: ExpansionStep) => Number.isFinite(value);
