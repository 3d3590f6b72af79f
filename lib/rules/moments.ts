import { alternativesOf, levelsOf, stepsOf } from './levels.ts';
import type { Meetings } from './met.ts';
import type { Rule, RulesDefinition } from './rule-types.ts';

/** A ticket as far as rules change with its age. */
interface AgeingTicket {
  readonly enqueuedAtMs: number;
  readonly players: readonly { readonly playerId: string }[];
}

/**
 * When rules that these tickets have to fulfil become looser, in milliseconds since the epoch: at the steps of `relax`, and
 * when a meeting is over for `recent`. Past ones too, unsorted, and some more than once.
 */
export function looserMoments(
  rules: readonly Rule[],
  tickets: readonly AgeingTicket[],
  meetings: Meetings,
): number[] {
  const waits = rules.flatMap((rule) => stepsOf(rule).map(({ waitSeconds }) => waitSeconds));
  const recents = new Set(rules.flatMap(recentSecondsOf));
  return tickets.flatMap(({ enqueuedAtMs, players }) => [
    ...waits.map((seconds) => enqueuedAtMs + 1000 * seconds),
    ...players.flatMap(({ playerId }) =>
      [...(meetings.of(playerId)?.values() ?? [])].flatMap((metAtMs) =>
        Array.from(recents, (seconds) => metAtMs + 1000 * seconds),
      ),
    ),
  ]);
}

/** The longest `seconds` of the queue's `recent` rules; 0 without such a rule. */
export function recentSeconds({ rules = [] }: RulesDefinition): number {
  return rules.reduce((most, rule) => (rule.type === 'recent' ? Math.max(most, rule.seconds) : most), 0);
}

/** All values of `seconds` that a rule of type `recent` has, or one in it. */
function recentSecondsOf(rule: Rule): number[] {
  return levelsOf(rule)
    .flatMap((level) => (level === undefined ? [] : [level, ...alternativesOf(level)]))
    .flatMap((one) => (one.type === 'recent' ? one.seconds : []));
}
