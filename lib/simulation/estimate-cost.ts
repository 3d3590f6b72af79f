import type { QueueDefinition } from '../contract/queue-definition.ts';
import { type Dollars, dollarsOf, sumOf, usageParts, usageSum, type Work } from '../costs/usage-costs.ts';
import type { Measures } from './measures.ts';

/** US dollars per million players who arrive. */
export interface CostEstimate {
  readonly perMillionPlayers: number;
  readonly parts: Dollars;
  /** What is for features of the definition. */
  readonly features: Readonly<Record<string, number>>;
}

/**
 * Estimates the cost of the simulated queue on AWS from the measured resources of the service; see `usageParts`.
 *
 * @param ticks the searches; each bucket's search counts
 */
export function estimateCost(measures: Measures, ticks: number, definition: QueueDefinition): CostEstimate {
  const { tickets, matches, players, outcome, waitingPlayers, waitSeconds } = measures;
  const perPlayer = players === 0 ? 0 : tickets / players;
  const work: Work = {
    tickets,
    players,
    matched: outcome.matched * perPlayer,
    cancelled: outcome.cancelled * perPlayer,
    timedOut: outcome.timedOut * perPlayer,
    matches,
    playersMatched: outcome.matched,
    waitMinutes: players === 0 ? 0 : (waitSeconds.mean * players) / 60,
    ticks,
    waiting: waitingPlayers.mean * perPlayer,
  };
  const all = usageParts(work, definition);
  const dollars = dollarsOf(usageSum(all));
  const perMillion = (part: number) =>
    players === 0 ? 0 : Number(((part / players) * 1_000_000).toPrecision(4));
  const parts = Object.fromEntries(
    Object.entries(dollars).map(([name, part]) => [name, perMillion(part)]),
  ) as unknown as Dollars;
  const features = all.flatMap(({ feature, usage }) =>
    feature === undefined ? [] : [[feature, perMillion(sumOf(dollarsOf(usage)))]],
  );
  return { perMillionPlayers: perMillion(sumOf(dollars)), parts, features: Object.fromEntries(features) };
}
