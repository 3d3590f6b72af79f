import { adviseChoices, type ChoiceAdvice } from '../../policies/choices/advise-choices.ts';
import { choicesOf } from '../../policies/choices/choices.ts';
import { measuredRate, type TickMemory } from '../../policies/memory.ts';
import type { QueueRules } from '../../policies/plan.ts';

/** Whether the choices of recent players leave their wait bounded; empty for a queue without choices. */
export function choiceAdvice(definition: QueueRules, memory: TickMemory | undefined): ChoiceAdvice[] {
  const rate = memory === undefined ? 0 : measuredRate(memory);
  return adviseChoices(choicesOf(definition), memory?.choices ?? [], rate);
}

/**
 * The share of the players, in percent, who would have to accept any side, role or region so that every wait is bounded; 0 when
 * every wait is.
 * @returns undefined for a queue without choices, and while too few players are counted
 */
export function choiceFreeNeeded(definition: QueueRules, memory: TickMemory | undefined): number | undefined {
  const shares = choiceAdvice(definition, memory).flatMap(({ advice }) => advice?.choiceFreeShare ?? []);
  return shares.length > 0 ? 100 * Math.max(...shares) : undefined;
}
