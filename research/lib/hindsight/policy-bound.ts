import type { BoundsScenario } from './bounds.ts';
import { type ArrivalLaw, type ForesightPrice, withoutForesight } from './foresight.ts';
import { lowerBound } from './lower-bound.ts';
import { programOf } from './measure-bounds.ts';
import { playedSchedule } from './played-schedule.ts';

/** Costs per player on one drawing of the arrivals: imbalance + waitCost · wait in seconds. */
export interface PolicyBound {
  readonly players: number;
  /**
   * The least cost of a schedule that is charged for what it knows in advance, certified. On average over arrivals, no policy
   * that does not know the future costs less. A single drawing is an estimate of that average.
   */
  readonly bound: number;
  /** What `option-value` costs on the same arrivals. */
  readonly optionValue: number;
}

/**
 * A bound on what any policy can reach, which may know the law of arrivals.
 *
 * @throws RangeError as `measureBounds`
 */
export async function policyBound(
  { definition, traffic, players }: Omit<BoundsScenario, 'title'>,
  law: ArrivalLaw,
  price: ForesightPrice,
): Promise<PolicyBound> {
  const { instance, choosers } = programOf(definition, traffic, players);
  const { games, cost } = playedSchedule(instance, definition, traffic);
  const charged = withoutForesight(instance, law, price);
  const { certified } = await lowerBound(charged, { schedule: games, choosers });
  return { players: instance.players, bound: certified, optionValue: cost };
}
