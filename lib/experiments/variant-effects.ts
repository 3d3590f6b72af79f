import { type BlockTotals, compare, MEASURES, type Measure } from './block-totals.ts';
import type { Effect } from './effect.ts';
import type { Schedule } from './schedule.ts';
import { type Finding, findingOf, moreDays } from './words.ts';

/** What a variant changes of a measure, with what that means. */
export interface VariantEffect extends Effect, Finding {
  /** Until a difference of 5 % is seen four times in five; null without an interval. */
  readonly moreDaysToSee5Percent: number | null;
}

/**
 * Compares a variant with the first one by every measure. A measure that is 0 for both, such as cancelled players where none has
 * cancelled, is not counted.
 *
 * @param totals by the number of the block
 * @param variant its position, from 1 up
 * @param name the name of the variant, for the sentences
 * @param isWhole whether the experiment has run to the end that was set for it
 */
export function variantEffects(
  schedule: Schedule,
  totals: ReadonlyMap<number, BlockTotals>,
  variant: number,
  name: string,
  isWhole: boolean,
): Partial<Record<Measure, VariantEffect>> {
  const effects: Partial<Record<Measure, VariantEffect>> = {};
  const roundMs = schedule.blockMs * schedule.variants;
  for (const measure of Object.keys(MEASURES) as Measure[]) {
    const effect = compare(schedule, totals, variant, measure);
    if (effect === undefined || (effect.control === 0 && effect.variant === 0)) continue;
    effects[measure] = {
      ...effect,
      moreDaysToSee5Percent: moreDays(effect, roundMs) ?? null,
      ...findingOf(measure, name, effect, roundMs, isWhole),
    };
  }
  return effects;
}
