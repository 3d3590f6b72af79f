import type { AnyOfRule } from '../by-type/any-of.ts';
import type { CompareRule } from '../by-type/compare.ts';
import type { CountRule } from '../by-type/count.ts';
import type { RecentRule } from '../by-type/recent.ts';
import { levelAt, stepsOf } from '../levels.ts';
import type { RuleContext, StateKind, TeamsOfQueue } from '../rule-type.ts';
import { type Alternative, isCostOnly, type Rule, typeOf } from '../rule-types.ts';
import { AnyOfState } from './any-of-state.ts';
import { CompareState } from './compare-state.ts';
import { JudgedState } from './judged-state.ts';
import { pairStates } from './pair-state.ts';
import { type RangeRule, RangeState } from './range-state.ts';
import { type SetRule, SetState } from './set-state.ts';
import type { EnteredTicket, IndexedRule, StateGroup } from './state-group.ts';
import { type ValueRule, ValueState } from './value-state.ts';

/** What the states of rules need to know of a queue and of the moment. */
export interface StateSettings extends RuleContext, TeamsOfQueue {
  /** The maximum and the minimum of players in a game. */
  readonly seats: number;
  readonly seatsMin: number;
  /** The players of the largest team; undefined where rules of teams are only judged. */
  readonly teamSize?: number | undefined;
}

/**
 * The incremental states of those rules, and parts of rules, that a subset of a game can violate.
 * @param avoids whether any player avoids others
 */
export function groupsOf(
  rules: readonly IndexedRule[],
  tickets: readonly EnteredTicket[],
  avoids: boolean,
  settings: StateSettings,
): StateGroup[] {
  const { attributes, meetings, nowMs, seats, seatsMin, teams, teamSize } = settings;
  const stated = rules.flatMap(({ rule, index }) =>
    typeOf(rule)
      .states(rule, settings)
      .map((one) => ({ by: one.by, rule: one.rule as Rule, index })),
  );
  const of = <R extends Rule>(kind: StateKind) =>
    stated.filter(({ by }) => by === kind) as unknown as IndexedRule<R>[];
  const groups: StateGroup[] = [
    ...of<RangeRule>('ranges').map((rule) => new RangeState(rule, tickets, attributes, seats)),
    ...of<SetRule>('sets').map((rule) => new SetState(rule, tickets, attributes, seats)),
  ];
  const pairs = of<Rule & RecentRule>('pairs');
  if (pairs.length > 0 || avoids) {
    const among = { tickets, others: [...groups], meetings, nowMs, depthMax: seats };
    groups.push(...pairStates(pairs, avoids, among));
  }
  const isOfTeams = teams !== undefined && teamSize !== undefined;
  const perTeam = isOfTeams ? { count: teams, size: teamSize } : undefined;
  const between = { fewest: seatsMin, most: seats };
  return [
    ...groups,
    ...of<ValueRule>('values').map((rule) => new ValueState(rule, tickets, attributes, seats)),
    ...of<Rule & (CompareRule | CountRule)>('comparisons').map(
      (rule) => new CompareState(rule, tickets, attributes, between),
    ),
    ...(perTeam ? of<ValueRule>('team-values') : []).map(
      (rule) => new ValueState(rule, tickets, attributes, seats, perTeam),
    ),
    ...of<Rule>('evaluation').map((rule) => new JudgedState(rule, tickets, settings, seats)),
    ...of<Rule & AnyOfRule<Alternative>>('alternatives').map((rule) => anyOfState(rule, tickets, settings)),
  ];
}

/** A rule that applies to each team, as one over the players of a team. */
export function betweenMates({ rule, index }: IndexedRule): IndexedRule[] {
  const own = isCostOnly(rule) ? undefined : typeOf(rule).betweenMates(rule);
  return own === undefined ? [] : [{ rule: own as Rule, index }];
}

function anyOfState(
  { rule, index }: IndexedRule<Rule & AnyOfRule<Alternative>>,
  tickets: readonly EnteredTicket[],
  settings: StateSettings,
): AnyOfState {
  const steps = stepsOf(rule);
  const offFrom = steps.at(-1)?.off ? steps.length : Number.POSITIVE_INFINITY;
  const isOff = (ticket: number) => tickets[ticket].levels[index] >= offFrom;
  const enteredAt = (levels: readonly number[]): EnteredTicket[] => {
    const own = levels.map((level) => [level]);
    return tickets.map(({ ticketId, players, levels: outer }) => ({
      ticketId,
      players,
      levels: own[outer[index]],
    }));
  };
  // Alternatives that relax alike share their tickets.
  const enteredBy = new Map<string, readonly EnteredTicket[]>();
  const alternatives = rule.rules.map((inner) => {
    // By the level of the whole rule: that of the alternative.
    const levels = [0, ...steps.map(({ waitSeconds }) => levelAt(1000 * waitSeconds, inner.relax ?? []))];
    const key = levels.join();
    const entered = enteredBy.get(key) ?? enteredAt(levels);
    enteredBy.set(key, entered);
    return stateOf(inner, entered, settings);
  });
  return new AnyOfState(alternatives, isOff, settings.seats);
}

/**
 * The state of one of the rules of `anyOf`. It admits every ticket when only a whole game can violate the rule.
 * @param tickets with their level in this rule alone
 */
function stateOf(inner: Alternative, tickets: readonly EnteredTicket[], settings: StateSettings): StateGroup {
  const rule = { ...inner, name: '' } as Rule;
  return groupsOf([{ rule, index: 0 }], tickets, false, settings)[0] ?? open;
}

const open: StateGroup = { start() {}, admits: () => true, join() {}, leave() {} };
