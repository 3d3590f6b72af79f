import { RULE_LIMITS } from '../rules/fields.ts';
import type { RelaxStep } from '../rules/rule-type.ts';
import type { InnerRule } from '../rules/rule-types.ts';

/** A step of an expansion. An infinite value turns the rule off. */
export interface ExpansionStep {
  readonly waitTimeSeconds: number;
  readonly value: number;
}

/** The steps that a ticket may wait for. */
export const inTime = (steps: readonly ExpansionStep[], timeoutSeconds = Infinity): ExpansionStep[] =>
  steps.filter(({ waitTimeSeconds }) => waitTimeSeconds <= timeoutSeconds);

/** The body of a rule in the queue. */
export type Body = InnerRule | { readonly type: 'latency'; readonly max: number };

/** How a limit of a rule in the source becomes a key of ours that may relax. */
export interface Limit {
  /** Undefined for a rule without a number, which can only be off. */
  readonly key: Exclude<keyof RelaxStep, 'waitSeconds' | 'off'> | undefined;
  readonly isUpper: boolean;
  /** @default the value itself */
  of?(value: number): number;
  /** Whether the rule no longer forbids anything with this value. @default never */
  isOff?(value: number): boolean;
}

/** A limit that permits more as it grows, and one that permits more as it falls. */
export const upper = (key: Limit['key']): Limit => ({ key, isUpper: true });
export const lower = (key: Limit['key']): Limit => ({ key, isUpper: false });
/** A least number of what players have in common, which forbids nothing from 0 down. */
export const LEAST_COMMON: Limit = { key: 'atLeast', isUpper: false, isOff: (value) => value <= 0 };
/** A rule that can only be off, at an infinite value. */
export const SWITCH: Limit = { key: undefined, isUpper: true, of: () => 0 };

/** A rule of the queue, with what its limits become as the expansions change them. */
export interface ConvertedRule {
  readonly body: Body;
  /** By property of the source. */
  readonly limits?: Readonly<Record<string, Limit>>;
}

/** What a rule of the source becomes. */
export interface Conversion {
  /** All have to hold; none where the source forbids nothing. */
  readonly rules: readonly ConvertedRule[];
  /** What the reader should know, although the meaning is the same. */
  readonly note?: string | undefined;
  /** The difference, when they are only nearly the same. */
  readonly differs?: string | undefined;
}

/** The next number above (1) or below (-1), which stands for a strict comparison. */
export function nextNumber(value: number, direction: 1 | -1): number {
  return value + direction * Math.max(Math.abs(value), 1) * Number.EPSILON;
}

export interface RelaxedRule {
  /** The body with its relaxation. Undefined when the rule is off from the beginning. */
  readonly rule: (Body & { readonly relax?: readonly RelaxStep[] }) | undefined;
  /** Why it is only nearly the same, by property of the source. */
  readonly differs: ReadonlyMap<string, string>;
}

const TIGHTENS = 'a rule never tightens, so the stricter limit holds before its step too';
const THINNED = `of more than ${RULE_LIMITS.stepsMax} steps some are omitted, so it relaxes a little later`;

/** The keys of a body with their values. An infinite value turns the rule off. */
type Values = Record<string, number>;

/**
 * A rule with its relaxation. A rule of ours never tightens, so a limit that does holds from the beginning. Of more steps than a
 * rule may have, the greatest permitted number is kept, with the last one.
 *
 * @param stepsOf the steps of the expansion of a property, in the order of time
 */
export function relaxed(
  { body, limits = {} }: ConvertedRule,
  stepsOf: (property: string) => readonly ExpansionStep[],
): RelaxedRule {
  const own = { ...body } as unknown as Values;
  const changes = new Map<number, Values>();
  const differs = new Map<string, string>();
  for (const [property, limit] of Object.entries(limits)) {
    const levels = levelsOf(limit, own, stepsOf(property));
    let before: number | undefined;
    for (const [waitSeconds, value, ours] of levels) {
      if (ours !== value) differs.set(property, TIGHTENS);
      if (ours !== before)
        changes.set(waitSeconds, { ...changes.get(waitSeconds), [limit.key ?? 'off']: ours });
      before = ours;
    }
  }
  const { 0: start = {}, ...later } = Object.fromEntries(changes);
  if (isOff(start)) return { rule: undefined, differs };
  const { off: _, ...first } = start;
  const all = stepsIn(later);
  const relax = thinned(all);
  if (relax.length < all.length)
    for (const property of Object.keys(limits)) if (!differs.has(property)) differs.set(property, THINNED);
  return {
    rule: { ...own, ...first, ...(relax.length > 0 && { relax }) } as unknown as RelaxedRule['rule'],
    differs,
  };
}

/** The time of each level, its value, and the strictest one from then on. */
function levelsOf(limit: Limit, own: Values, steps: readonly ExpansionStep[]): [number, number, number][] {
  const { key, isUpper, of = (value) => value } = limit;
  const none = isUpper ? Infinity : -Infinity;
  const levels = steps.map(({ waitTimeSeconds, value }): [number, number] => [
    waitTimeSeconds,
    Math.abs(value) === Infinity || limit.isOff?.(value) ? none : of(value),
  ]);
  // A step at the beginning replaces the value of the rule itself.
  if (!steps.some(({ waitTimeSeconds }) => waitTimeSeconds <= 0))
    levels.unshift([0, key === undefined ? 0 : own[key]!]);
  const strictest = isUpper ? Math.min : Math.max;
  return levels.map(([waitSeconds, value], i) => [
    waitSeconds,
    value,
    strictest(...levels.slice(i).map(([, later]) => later)),
  ]);
}

function stepsIn(changes: Readonly<Record<string, Values>>): RelaxStep[] {
  const relax: RelaxStep[] = [];
  for (const waitSeconds of Object.keys(changes)
    .map(Number)
    .sort((a, b) => a - b)) {
    const values = changes[waitSeconds]!;
    if (isOff(values)) return [...relax, { waitSeconds, off: true }];
    relax.push({ waitSeconds, ...values });
  }
  return relax;
}

function isOff(values: Values): boolean {
  return Object.values(values).some((value) => Math.abs(value) === Infinity);
}

/** At most as many steps as a rule may have, evenly chosen. A step that is kept has the changes of those before it. */
function thinned(steps: readonly RelaxStep[]): RelaxStep[] {
  const every = Math.ceil(steps.length / RULE_LIMITS.stepsMax);
  const kept: RelaxStep[] = [];
  let waiting = {};
  steps.forEach((step, i) => {
    waiting = step.off ? step : { ...waiting, ...step };
    if ((steps.length - 1 - i) % every !== 0) return;
    kept.push(waiting as RelaxStep);
    waiting = {};
  });
  return kept;
}
