import type { AcceptedRule } from '../by-type/accepted.ts';
import type { AnyOfRule } from '../by-type/any-of.ts';
import type { CompareRule } from '../by-type/compare.ts';
import type { CountRule } from '../by-type/count.ts';
import type { CustomRuleBody } from '../by-type/custom.ts';
import type { CustomCalls } from '../custom/calls.ts';
import { levelAt, stepsOf } from '../levels.ts';
import type { RuleContext, StateKind, TeamsOfQueue } from '../rule-type.ts';
import { type Alternative, isCostOnly, type Rule, typeOf } from '../rule-types.ts';
import { AcceptedState } from './accepted-state.ts';
import { AnyOfState } from './any-of-state.ts';
import { CompareState } from './compare-state.ts';
import { CustomState } from './custom-state.ts';
import { AVOIDANCE, PairState, type RecentOne } from './pair-state.ts';
import { type RangeRule, RangeState } from './range-state.ts';
import { type SetRule, SetState } from './set-state.ts';
import type { EnteredTicket, IndexedRule, StatedRule, StateGroup } from './state-group.ts';
import { type ValueRule, ValueState } from './value-state.ts';

/** What the states of rules need to know of a queue and of the moment. */
export interface StateSettings extends RuleContext, TeamsOfQueue {
  /** The maximum and the minimum of players in a game. */
  readonly seats: number;
  readonly seatsMin: number;
  /** The players of the largest team; undefined where rules of teams are only judged. */
  readonly teamSize?: number | undefined;
  /** Asked before each state is prepared: when it returns true, the others admit no ticket, so that searches end. @default never */
  readonly outOfTime?: (() => boolean) | undefined;
  readonly calls?: CustomCalls;
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
): StatedRule[] {
  const { attributes, meetings, nowMs, seats, seatsMin, teams, teamSize, outOfTime, calls } = settings;
  const all = rules.flatMap(({ rule, index }) =>
    typeOf(rule)
      .states(rule, settings)
      .map((one) => ({ by: one.by, rule: one.rule as Rule, index })),
  );
  const perTeam =
    teams === undefined || teamSize === undefined ? undefined : { count: teams, size: teamSize };
  const pool = { tickets, attributes, depthMax: seats };
  const stated: StatedRule[] = [];
  const add = <R extends Rule>(kind: StateKind, make: (one: IndexedRule<R>) => StateGroup | undefined) => {
    for (const one of all) {
      if (one.by !== kind) continue;
      const state = outOfTime?.() ? closed : make(one as unknown as IndexedRule<R>);
      if (state) stated.push({ state, price: one.rule.cost ?? 0, forbids: !isCostOnly(one.rule) });
    }
  };
  add<RangeRule>('ranges', (one) => new RangeState(one, pool));
  add<SetRule>('sets', (one) => new SetState(one, pool));
  const others = stated.flatMap(({ state, forbids }) => (forbids ? state : []));
  const pairs = { tickets, others, meetings, nowMs, depthMax: seats };
  if (avoids) {
    const state = outOfTime?.() ? closed : new PairState(AVOIDANCE, pairs);
    stated.push({ state, price: 0, forbids: true });
  }
  add<RecentOne>('pairs', (one) => new PairState(one, pairs));
  add<ValueRule>('values', (one) => new ValueState(one, pool));
  add<Rule & (CompareRule | CountRule)>('comparisons', (one) => new CompareState(one, pool, seatsMin));
  add<ValueRule>('team-values', (one) => perTeam && new ValueState(one, pool, perTeam));
  add<Rule & AcceptedRule>('acceptance', (one) => new AcceptedState(one, pool));
  add<Rule & CustomRuleBody>('custom', (one) =>
    calls?.asksTickets(one.rule) ? new CustomState(one, pool, calls) : undefined,
  );
  add<Rule & AnyOfRule<Alternative>>('alternatives', (one) => anyOfState(one, tickets, settings));
  return stated;
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
  return groupsOf([{ rule, index: 0 }], tickets, false, settings)[0]?.state ?? open;
}

const open: StateGroup = { start() {}, admits: () => true, join() {}, leave() {} };
/** Stands for a state that there was no time to prepare. */
const closed: StateGroup = { ...open, admits: () => false, units: () => 0 };
