import { SKILL } from '../../rules/values.ts';
import type { Body, ConvertedRule, ExpansionStep, Limit } from '../relaxation.ts';
import type { PlayFabRule } from './queue.ts';

/** What a rule of PlayFab becomes. */
export interface ConvertedPlayFabRule {
  readonly rules: readonly ConvertedRule[];
  /** The steps of the limits, by the name of the limit. */
  readonly steps: Readonly<Record<string, readonly ExpansionStep[]>>;
  readonly note?: string | undefined;
  /** Every reason why it is only nearly the same. */
  readonly differs: readonly string[];
}

export interface PlayFabNames {
  /** The name of an attribute in the queue. */
  nameOf(path: string): string;
  readonly teams: readonly string[];
}

type Convert = (rule: PlayFabRule, names: PlayFabNames) => ConvertedPlayFabRule | string;

/** A type of rule of PlayFab: the type of its attribute, and its counterpart, or why there is none. */
interface PlayFabRuleType {
  readonly attribute?: 'string' | 'number' | 'strings';
  readonly convert: Convert;
}

export const PLAYFAB_RULE_TYPES: Readonly<Record<string, PlayFabRuleType>> = {
  StringEqualityRule: {
    attribute: 'string',
    convert(rule, { nameOf }) {
      if (!rule.Attribute) return NO_ATTRIBUTE;
      const body = { type: 'same', attribute: nameOf(rule.Attribute.Path) } as const;
      const isOn = rule.Expansion?.EnabledOverrides ?? [];
      const every = rule.Expansion?.SecondsBetweenExpansions ?? 0;
      const steps = isOn.map((on, i) => ({ waitTimeSeconds: i * every, value: on ? 0 : Infinity }));
      return converted(rule, [{ body, limits: { on: switchOf } }], { on: steps });
    },
  },
  DifferenceRule: {
    attribute: 'number',
    convert(rule, { nameOf }) {
      if (!rule.Attribute) return NO_ATTRIBUTE;
      const party = PARTY[rule.MergeFunction ?? 'Average'];
      if (party === undefined) return `parties by ${rule.MergeFunction} have no counterpart`;
      const { start, steps } = numbersOf(rule, rule.Difference, 'DifferenceOverrides', 1);
      if (start === undefined) return 'it has no Difference';
      const body = { type: 'within', attribute: nameOf(rule.Attribute.Path), max: start, party } as const;
      return converted(rule, [{ body, limits: { max: upper('max') } }], { max: steps });
    },
  },
  SetIntersectionRule: {
    attribute: 'strings',
    convert(rule, { nameOf }) {
      if (!rule.Attribute) return NO_ATTRIBUTE;
      const { start, steps } = numbersOf(
        rule,
        rule.MinIntersectionSize ?? 1,
        'MinIntersectionSizeOverrides',
        -1,
      );
      const body = { type: 'common', attribute: nameOf(rule.Attribute.Path), atLeast: start ?? 1 } as const;
      const limit: Limit = { ...lower('atLeast'), isOff: (value) => value <= 0 };
      const parties = 'how PlayFab merges the lists of a party is not documented; here each player counts';
      return converted(rule, [{ body, limits: { atLeast: limit } }], { atLeast: steps }, [parties]);
    },
  },
  MatchTotalRule: {
    attribute: 'number',
    convert(rule, { nameOf }) {
      if (!rule.Attribute) return NO_ATTRIBUTE;
      const left = { of: 'sum', attribute: nameOf(rule.Attribute.Path) } as const;
      const every = rule.Expansion?.SecondsBetweenExpansions ?? 0;
      const least = overridesOf(rule.Expansion?.MinOverrides, every, -Infinity);
      const most = overridesOf(rule.Expansion?.MaxOverrides, every, Infinity);
      const [min, max] = [rule.Min ?? least[0]?.value, rule.Max ?? most[0]?.value];
      const rules: ConvertedRule[] = [];
      if (min !== undefined)
        rules.push({
          body: { type: 'compare', left, op: '>=', right: min },
          limits: { min: lower('right') },
        });
      if (max !== undefined)
        rules.push({
          body: { type: 'compare', left, op: '<=', right: max },
          limits: { max: upper('right') },
        });
      return converted(rule, rules, { min: least, max: most });
    },
  },
  RegionSelectionRule: {
    convert(rule) {
      const { start, steps } = numbersOf(rule, rule.MaxLatency, 'MaxLatencyOverrides', 1);
      if (start === undefined) return 'it has no MaxLatency';
      const limits = { max: upper('max') };
      const result = converted(rule, [{ body: { type: 'latency', max: start }, limits }], { max: steps });
      return { ...result, note: 'tickets have latencyMs by region, not an attribute' };
    },
  },
  TeamDifferenceRule: {
    attribute: 'number',
    convert(rule, { nameOf }) {
      if (!rule.Attribute) return NO_ATTRIBUTE;
      const { start, steps } = numbersOf(rule, rule.Difference, 'DifferenceOverrides', 1);
      if (start === undefined) return 'it has no Difference';
      const body = { type: 'balance', attribute: nameOf(rule.Attribute.Path), max: start } as const;
      return converted(rule, [{ body, limits: { max: upper('max') } }], { max: steps });
    },
  },
  TeamSizeBalanceRule: {
    convert(rule, { teams }) {
      const { start, steps } = numbersOf(rule, rule.Difference, 'DifferenceOverrides', 1);
      if (start === undefined) return 'it has no Difference';
      const sizeOf = (team: string) => ({ of: 'count', attribute: SKILL, team }) as const;
      const rules = teams.flatMap((team, i) =>
        teams.slice(0, i).map((other): ConvertedRule => {
          const body: Body = { type: 'compare', left: sizeOf(other), right: sizeOf(team), max: start };
          return { body, limits: { max: upper('max') } };
        }),
      );
      return converted(rule, rules, { max: steps });
    },
  },
  TeamTicketSizeSimilarityRule: {
    convert: () => 'no rule of Muster looks at how large the parties of a team are',
  },
};

const NO_ATTRIBUTE = 'it has no Attribute';
const PARTY: Readonly<Record<string, 'mean' | 'least' | 'greatest'>> = {
  Average: 'mean',
  Min: 'least',
  Max: 'greatest',
};

const upper = (key: Limit['key']): Limit => ({ key, isUpper: true, of: (value) => value });
const lower = (key: Limit['key']): Limit => ({ key, isUpper: false, of: (value) => value });
/** A rule without a number: it can only be off. */
const switchOf: Limit = { key: undefined, isUpper: true, of: (value) => value };

/** The most steps of a relaxation in Muster, less the one that turns a rule off. */
const STEPS_MAX = 19;

function converted(
  rule: PlayFabRule,
  rules: readonly ConvertedRule[],
  steps: Readonly<Record<string, readonly ExpansionStep[]>>,
  differs: readonly string[] = [],
): ConvertedPlayFabRule {
  const optional = rule.SecondsUntilOptional;
  const own = Object.entries(steps).map(([key, list]) => {
    const isUpper = rules.some(({ limits = {} }) => limits[key]?.isUpper);
    const before = list.filter(({ waitTimeSeconds }) => !optional || waitTimeSeconds < optional);
    const off = optional ? [{ waitTimeSeconds: optional, value: isUpper ? Infinity : -Infinity }] : [];
    return [key, [...thinned(before), ...off]] as const;
  });
  const isThinned = Object.values(steps).some(({ length }) => length > STEPS_MAX);
  return {
    rules,
    steps: Object.fromEntries(own),
    differs: [
      ...differs,
      ...(rule.AttributeNotSpecifiedBehavior === 'MatchAny'
        ? ['every player has to have the attribute; in PlayFab one without it meets the rule']
        : []),
      ...(isThinned
        ? [`of more than ${STEPS_MAX} steps some are omitted, so it relaxes a little later`]
        : []),
    ],
  };
}

/** At most as many steps as a relaxation may have, evenly chosen, the last one among them. */
function thinned(steps: readonly ExpansionStep[]): readonly ExpansionStep[] {
  if (steps.length <= STEPS_MAX) return steps;
  const every = Math.ceil(steps.length / STEPS_MAX);
  return steps.filter((_, i) => (steps.length - 1 - i) % every === 0);
}

/**
 * The first limit of a rule and the steps of its expansion.
 * @param direction 1 where greater numbers permit more matches, else −1
 */
function numbersOf(
  rule: PlayFabRule,
  first: number | null | undefined,
  key: 'DifferenceOverrides' | 'MinIntersectionSizeOverrides' | 'MaxLatencyOverrides',
  direction: 1 | -1,
): { start: number | undefined; steps: ExpansionStep[] } {
  const { LinearExpansion: linear, CustomExpansion: custom } = rule;
  if (custom) {
    // The first value replaces the rule's own from the beginning.
    const steps = overridesOf(custom[key], custom.SecondsBetweenExpansions, direction * Infinity);
    const start = steps.find(({ value }) => Number.isFinite(value))?.value;
    return { start: start ?? first ?? undefined, steps };
  }
  const start = first ?? undefined;
  if (!linear || start === undefined || linear.Delta === 0) return { start, steps: [] };
  const delta = direction * Math.abs(linear.Delta);
  const limit = linear.Limit ?? (direction === 1 ? start + 100 * delta : 0);
  const steps: ExpansionStep[] = [];
  for (let value = start, n = 1; direction * (limit - value) > 0 && n <= 1000; n++) {
    value = direction * Math.min(direction * (start + n * delta), direction * limit);
    steps.push({ waitTimeSeconds: n * linear.SecondsBetweenExpansions, value });
  }
  return { start, steps };
}

/** One value for each interval, the first from the beginning; null turns the rule off for it. */
function overridesOf(
  list: readonly ({ Value?: number | null | undefined } | null)[] | undefined,
  every: number,
  off: number,
): ExpansionStep[] {
  return (list ?? []).map((one, i) => ({ waitTimeSeconds: i * every, value: one?.Value ?? off }));
}
