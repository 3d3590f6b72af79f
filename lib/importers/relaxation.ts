import type { RelaxStep } from '../rules/rule-type.ts';
import type { InnerRule } from '../rules/rule-types.ts';

/** A step of an expansion. An infinite value turns the rule off. */
export interface ExpansionStep {
  readonly waitTimeSeconds: number;
  readonly value: number;
}

/** The body of a rule in the queue. */
export type Body = InnerRule | { readonly type: 'latency'; readonly max: number };

/** How a property of a FlexMatch rule becomes a key of ours that may relax. */
export interface Limit {
  /** Undefined for a rule without a number, which can only be off. */
  readonly key: Exclude<keyof RelaxStep, 'waitSeconds' | 'off'> | undefined;
  /** Whether a greater number permits more matches. */
  readonly isUpper: boolean;
  of(value: number): number;
  /** Whether the rule no longer forbids anything with this value. @default never */
  isOff?(value: number): boolean;
}

export const plainly = (value: number) => value;

/** A rule of the queue, with what its limits become as the expansions change them. */
export interface ConvertedRule {
  readonly body: Body;
  /** By property of the source. */
  readonly limits?: Readonly<Record<string, Limit>>;
}

export interface RelaxedRule {
  readonly body: Body;
  readonly relax: readonly RelaxStep[];
  /** The properties whose limit becomes stricter at some step. */
  readonly tightening: readonly string[];
}

/**
 * A rule with its relaxation. A rule of ours never tightens, so a limit that does holds from the beginning.
 *
 * @param stepsOf the steps of the expansion of a property
 */
export function relaxed(
  { body, limits = {} }: ConvertedRule,
  stepsOf: (property: string) => readonly ExpansionStep[],
): RelaxedRule {
  const own = { ...body } as unknown as Record<string, number>;
  const changes = new Map<number, Record<string, number | true>>();
  const tightening: string[] = [];
  for (const [property, limit] of Object.entries(limits)) {
    const { key } = limit;
    const steps = stepsOf(property);
    const levels = [
      { waitSeconds: 0, value: key === undefined ? 0 : own[key]! },
      ...steps.map(({ waitTimeSeconds, value }) => ({
        waitSeconds: waitTimeSeconds,
        value: limit.isOff?.(value) ? (limit.isUpper ? Infinity : -Infinity) : limit.of(value),
      })),
    ];
    const strictest = limit.isUpper ? Math.min : Math.max;
    let before: number | undefined;
    levels.forEach(({ waitSeconds, value }, i) => {
      const ours = strictest(...levels.slice(i).map((level) => level.value));
      if (ours !== value && !tightening.includes(property)) tightening.push(property);
      if (waitSeconds <= 0) {
        if (key !== undefined) own[key] = ours;
      } else if (ours !== before) {
        const change = Number.isFinite(ours) ? { ...(key && { [key]: ours }) } : { off: true as const };
        changes.set(waitSeconds, { ...changes.get(waitSeconds), ...change });
      }
      before = ours;
    });
  }
  const relax: RelaxStep[] = [];
  for (const [waitSeconds, keys] of [...changes].sort(([a], [b]) => a - b)) {
    if (keys.off) {
      relax.push({ waitSeconds, off: true });
      break;
    }
    relax.push({ waitSeconds, ...keys } as RelaxStep);
  }
  return { body: own as unknown as Body, relax, tightening };
}
