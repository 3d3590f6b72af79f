import type { Meetings } from './met.ts';
import type {
  AnyOfRule,
  Attributes,
  BalanceRule,
  CommonRule,
  CompareRule,
  CountRule,
  LatencyRule,
  Measure,
  RecentRule,
  RuleBody,
  RuledPlayer,
  Scope,
  Side,
} from './types.ts';
import { attributeOf, numbersOf } from './values.ts';

/** The part of a ticket that rules use. */
export interface RuledTicket {
  readonly ticketId: string;
  readonly players: readonly RuledPlayer[];
}

/** A whole game. */
export interface RuledGame {
  /** The tickets of each team, in the order of the queue's teams; of a divided party those of its players who play there. */
  readonly teams: readonly (readonly RuledTicket[])[];
  /** The tickets of the game, each once and whole. @default those of the teams */
  readonly tickets?: readonly RuledTicket[] | undefined;
  /** The kind of each team, by name; absent when the queue names none. */
  readonly kinds?: readonly string[] | undefined;
}

/** The data that evaluation needs besides the game. */
export interface RuleContext {
  readonly attributes: Attributes;
  readonly nowMs: number;
  readonly meetings: Meetings;
}

/** The result of a rule for a game. */
export interface Verdict {
  readonly holds: boolean;
  /** The units by which the game breaks the rule, which a cost multiplies; 0 when it does not. With `scope: "team"` the sum over the teams. */
  readonly units: number;
  /** The values that all players share, for `common` over the game. */
  readonly values?: readonly string[];
  /** The region of the game, for `latency`. */
  readonly region?: string;
}

/** Evaluates a rule on a whole game by its definition. It is simple and slow; searches use `RuleStates`, and call this at the end. */
export function evaluate(rule: RuleBody, game: RuledGame, context: RuleContext): Verdict {
  switch (rule.type) {
    case 'same':
      return perScope(rule.scope, game, (tickets) => {
        const distinct = new Set(valuesOf(tickets, rule.attribute, context)).size;
        return { holds: distinct <= 1, units: Math.max(0, distinct - 1) };
      });
    case 'different':
      return perScope(rule.scope, game, (tickets) => {
        const values = valuesOf(tickets, rule.attribute, context);
        const again = values.length - new Set(values).size;
        return { holds: again === 0, units: again };
      });
    case 'within':
      return perScope(rule.scope, game, (tickets) => {
        const values = tickets.flatMap(({ players }) =>
          numbersOf(players, rule.attribute, context.attributes, rule.party),
        );
        const range = values.length === 0 ? 0 : Math.max(...values) - Math.min(...values);
        return { holds: rule.max === undefined || range <= rule.max, units: range };
      });
    case 'common':
      return evaluateCommon(rule, game, context);
    case 'count':
      return evaluateCount(rule, game, context);
    case 'balance':
      return evaluateBalance(rule, game, context);
    case 'compare':
      return evaluateCompare(rule, game, context);
    case 'latency':
      return evaluateLatency(rule, game);
    case 'recent':
      return evaluateRecent(rule, game, context);
    case 'anyOf':
      return evaluateAnyOf(rule, game, context);
  }
}

/** Evaluates the game as one team, or each team separately: all must hold, and their shortfalls are added. */
function perScope(
  scope: Scope | undefined,
  game: RuledGame,
  judge: (tickets: readonly RuledTicket[]) => Verdict,
): Verdict {
  if (scope !== 'team') return judge(ticketsOf(game));
  return added(game.teams.map(judge));
}

/** The tickets of a game, each once. */
export function ticketsOf({ teams, tickets = teams.flat() }: RuledGame): readonly RuledTicket[] {
  return tickets;
}

function added(verdicts: readonly Verdict[]): Verdict {
  return {
    holds: verdicts.every(({ holds }) => holds),
    units: verdicts.reduce((sum, { units }) => sum + units, 0),
  };
}

function valuesOf(tickets: readonly RuledTicket[], attribute: string, { attributes }: RuleContext) {
  return tickets.flatMap(({ players }) =>
    players.flatMap((player) => {
      const value = attributeOf(player, attribute, attributes);
      return value === undefined ? [] : [value];
    }),
  );
}

function evaluateCommon(
  { attribute, atLeast = 1, scope }: CommonRule,
  game: RuledGame,
  context: RuleContext,
): Verdict {
  return perScope(scope, game, (tickets) => {
    const lists = valuesOf(tickets, attribute, context) as (readonly string[])[];
    if (lists.length === 0) return { holds: true, units: 0 };
    const shared = [...lists[0]].filter((value) => lists.every((list) => list.includes(value))).sort();
    const short = Math.max(0, atLeast - shared.length);
    return { holds: short === 0, units: short, values: shared };
  });
}

function evaluateCount(
  { attribute, value, atLeast = 0, atMost = Number.POSITIVE_INFINITY, scope, team }: CountRule,
  game: RuledGame,
  context: RuleContext,
): Verdict {
  const judge = (tickets: readonly RuledTicket[]): Verdict => {
    const values = valuesOf(tickets, attribute, context);
    const count = values.filter((own) => (Array.isArray(own) ? own.includes(value) : own === value)).length;
    const units = Math.max(0, atLeast - count) + Math.max(0, count - atMost);
    return { holds: units === 0, units };
  };
  if (team !== undefined) return added(teamsOfKind(game, team).map(judge));
  return perScope(scope, game, judge);
}

function evaluateBalance({ attribute, max }: BalanceRule, game: RuledGame, context: RuleContext): Verdict {
  const means = game.teams.map((team) => measure('mean', numbersIn(team, attribute, context)));
  const known = means.filter((mean) => mean !== undefined);
  const units = known.length === 0 ? 0 : Math.max(...known) - Math.min(...known);
  return { holds: max === undefined || units <= max, units };
}

function evaluateCompare(
  { left, right, op, max }: CompareRule,
  game: RuledGame,
  context: RuleContext,
): Verdict {
  let units = 0;
  for (const l of sideValues(left, game, context)) {
    for (const r of sideValues(right, game, context)) {
      const fails =
        op === '<='
          ? l - r
          : op === '>='
            ? r - l
            : op === '='
              ? Math.abs(l - r)
              : Math.abs(l - r) - (max ?? 0);
      units = Math.max(units, fails);
    }
  }
  return { holds: units === 0, units };
}

/** One value for a number or a measure of the game, or one for each team of a kind; no value for a measure without players. */
function sideValues(side: Side, game: RuledGame, context: RuleContext): number[] {
  if (typeof side === 'number') return [side];
  const groups = side.team === undefined ? [ticketsOf(game)] : teamsOfKind(game, side.team);
  return groups.flatMap((tickets) => {
    const value = measureOf(side, tickets, context);
    return value === undefined ? [] : [value];
  });
}

function measureOf({ of, attribute }: Measure, tickets: readonly RuledTicket[], context: RuleContext) {
  if (of === 'count') return valuesOf(tickets, attribute, context).length;
  return measure(of, numbersIn(tickets, attribute, context));
}

function numbersIn(tickets: readonly RuledTicket[], attribute: string, { attributes }: RuleContext) {
  return tickets.flatMap(({ players }) => numbersOf(players, attribute, attributes));
}

function measure(of: 'mean' | 'sum' | 'least' | 'greatest', values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  if (of === 'least') return Math.min(...values);
  if (of === 'greatest') return Math.max(...values);
  const sum = values.reduce((a, b) => a + b, 0);
  return of === 'sum' ? sum : sum / values.length;
}

/** Of the regions that every player reaches within `max`, the one with the least greatest latency; of equal ones the first by name. */
function evaluateLatency({ max = Number.POSITIVE_INFINITY }: LatencyRule, { teams }: RuledGame): Verdict {
  const players = teams.flat().flatMap((ticket) => ticket.players.filter(({ bot }) => !bot));
  if (players.length === 0) return { holds: true, units: 0 };
  let best: { region: string; worst: number } | undefined;
  for (const region of Object.keys(players[0].latencyMs ?? {}).sort()) {
    const worst = players.reduce(
      (most, { latencyMs }) => Math.max(most, latencyMs?.[region] ?? Number.POSITIVE_INFINITY),
      0,
    );
    if (worst < Number.POSITIVE_INFINITY && (best === undefined || worst < best.worst))
      best = { region, worst };
  }
  if (best === undefined) return { holds: false, units: Number.POSITIVE_INFINITY };
  return { holds: best.worst <= max, units: best.worst, region: best.region };
}

function evaluateRecent(
  { seconds, scope = 'game' }: RecentRule,
  { teams }: RuledGame,
  { nowMs, meetings }: RuleContext,
): Verdict {
  const players = teams.flatMap((team, t) =>
    team.flatMap((ticket) => ticket.players.map(({ playerId }) => ({ playerId, ticket, t }))),
  );
  let units = 0;
  for (let i = 0; i < players.length; i++) {
    const a = players[i];
    const met = meetings.of(a.playerId);
    if (met === undefined || met.size === 0) continue;
    for (let j = 0; j < i; j++) {
      const b = players[j];
      if (a.ticket.ticketId === b.ticket.ticketId) continue;
      if (scope === 'opponents' && a.t === b.t) continue;
      if (scope === 'teammates' && a.t !== b.t) continue;
      units += freshness(met.get(b.playerId), nowMs, seconds);
    }
  }
  return { holds: units === 0, units };
}

/** 1 for players who have just met, fading linearly to 0 after `seconds`. */
export function freshness(metAtMs: number | undefined, nowMs: number, seconds: number): number {
  if (metAtMs === undefined || seconds === 0) return 0;
  return Math.max(0, 1 - Math.max(0, nowMs - metAtMs) / (1000 * seconds));
}

function evaluateAnyOf({ rules }: AnyOfRule, game: RuledGame, context: RuleContext): Verdict {
  const holds = rules.some((inner) => evaluate(inner, game, context).holds);
  return { holds, units: holds ? 0 : 1 };
}

function teamsOfKind({ teams, kinds }: RuledGame, kind: string): (readonly RuledTicket[])[] {
  return teams.filter((_, t) => kinds?.[t] === kind);
}
