import type { Game, GameRules, Ticket } from '../../lib/engine/types.ts';
import type { Alternative, Rule, RulesDefinition } from '../../lib/rules/rule-types.ts';
import { allGames, type CostOf, checkGame, type OracleGame, type Placed } from '../engine/oracle.ts';
import type { AskedGame, Players } from './by-type/oracle-type.ts';
import { ask } from './by-type/oracle-types.ts';

/** When two players met, in milliseconds since the epoch. */
export type Met = (a: string, b: string) => number | undefined;

/** A pool with rules, and the data that they depend on. */
export interface RuledCase {
  readonly rules: GameRules;
  readonly definition: RulesDefinition;
  readonly tickets: readonly Ticket[];
  readonly nowMs: number;
  readonly met: Met;
  /** The kind of each team, by name; undefined when the teams have no names. */
  readonly kinds?: readonly string[];
}

type Team = readonly Ticket[];

/**
 * The brute force for the games of a case. It evaluates every rule with the limits of every ticket in the game, and shares no
 * code with the project.
 */
export function oracleOf(of: RuledCase): Oracle {
  const { rules, nowMs } = of;
  const costOf: CostOf = (teams, members) => {
    const partsOf = (team: readonly Placed[]) =>
      [...new Set(team.map(({ ticket }) => ticket))].map((ticket) =>
        ticket.split
          ? { ...ticket, players: team.filter((one) => one.ticket === ticket).map(({ player }) => player) }
          : ticket,
      );
    return rulesCost(of, teams.map(partsOf), members);
  };
  return {
    allGames: (tickets, member) => allGames(tickets, rules, nowMs, undefined, costOf, member),
    check: (game, tickets) => {
      let cost: number | undefined;
      checkGame(game, tickets, rules, nowMs, undefined, (teams, members) => {
        cost = costOf(teams, members);
        return cost;
      });
      checkRuling(game, { ...of, tickets }, cost!);
    },
  };
}

export interface Oracle {
  allGames(tickets: readonly Ticket[], member?: string): OracleGame[];
  /** Throws unless these tickets can play the game, it meets every rule, and its numbers, costs and region are correct. */
  check(game: Game, tickets: readonly Ticket[]): void;
}

/**
 * The cost that the rules add to the imbalance of these teams; undefined when one of them forbids the game.
 *
 * @param members the tickets, each whole; a team has only those players of a divided party who play on it
 */
export function rulesCost(
  of: RuledCase,
  teams: readonly Team[],
  members: readonly Ticket[] = teams.flat(),
): number | undefined {
  if (avoided(members)) return undefined;
  const game = askedGame(teams, members, of);
  let sum = 0;
  for (const rule of of.definition.rules ?? []) {
    const askers =
      of.definition.relaxBy === 'oldest'
        ? [members.reduce((a, b) => (a.enqueuedAtMs <= b.enqueuedAtMs ? a : b))]
        : members;
    let cost = 0;
    for (const { enqueuedAtMs } of askers) {
      const own = atAge(rule, of.nowMs - enqueuedAtMs);
      if (own === undefined) continue;
      const { amount, fails } = ask(own, game);
      if (fails && (own.cost === undefined || forbidsToo(own))) return undefined;
      cost = Math.max(cost, (own.cost ?? 0) * amount);
    }
    sum += cost;
  }
  return sum;
}

/** Throws unless the costs of the game's rules add up to this, and its region is the best of those in reach. */
function checkRuling(game: Game, of: RuledCase, cost: number): void {
  const must = (holds: boolean, what: string) => {
    if (!holds) throw new Error(`${what}: ${JSON.stringify({ game, of })}`);
  };
  must(near(game.ruling?.cost ?? 0, cost), `the cost is not ${cost}`);
  const named = Object.values(game.ruling?.rules ?? {}).reduce((sum, one) => sum + (one.cost ?? 0), 0);
  must(near(named, cost), 'the costs of the rules do not add up');
  must(game.lowerBound <= game.priority, 'the bound is above the game');
  const players = of.tickets
    .filter(({ ticketId }) => game.ticketIds.includes(ticketId))
    .flatMap((ticket) => ticket.players as Players)
    .filter(({ bot }) => !bot);
  const { region } = game.ruling ?? {};
  const hasLatency = of.definition.rules?.some(({ type }) => type === 'latency') ?? false;
  if (hasLatency && region !== undefined) {
    const worst = (name: string) =>
      Math.max(...players.map(({ latencyMs = {} }) => latencyMs[name] ?? Number.POSITIVE_INFINITY));
    const names = new Set(players.flatMap(({ latencyMs = {} }) => Object.keys(latencyMs)));
    for (const other of names) {
      must(worst(other) > worst(region) || (worst(other) === worst(region) && other >= region), 'region');
    }
  }
}

export function near(a: number, b: number): boolean {
  return a === b || Math.abs(a - b) <= 1e-9 * (1 + Math.abs(a) + Math.abs(b));
}

/** Whether a rule forbids beside its cost. `latency` needs a region even without a limit. */
function forbidsToo(rule: Rule): boolean {
  if (rule.type === 'latency') return true;
  return ['within', 'balance'].includes(rule.type) && (rule as { max?: number }).max !== undefined;
}

/** The rule with the limits of a ticket of this age; undefined when it is off. */
function atAge(rule: Rule, ageMs: number): Rule | undefined {
  let now: Rule = rule;
  for (const { waitSeconds, off, ...keys } of rule.relax ?? []) {
    if (ageMs / 1000 < waitSeconds) continue;
    if (off) return undefined;
    now = { ...now, ...keys } as Rule;
  }
  if (now.type !== 'anyOf') return now;
  const rules = now.rules.map((one) => atAge({ ...one, name: '' }, ageMs) as Alternative | undefined);
  // An alternative that is off holds in every game.
  return rules.includes(undefined) ? undefined : { ...now, rules: rules as Alternative[] };
}

function avoided(members: Team): boolean {
  return members.some((ticket) => {
    const avoid = (ticket.players as Players).flatMap((player) => player.avoid ?? []);
    return (
      avoid.length > 0 &&
      playersOf(members.filter((other) => other !== ticket)).some(({ playerId }) => avoid.includes(playerId))
    );
  });
}

/** A whole game as the rules are asked about it. */
function askedGame(teams: readonly Team[], members: readonly Ticket[], of: RuledCase): AskedGame {
  const perTeam = teams.map((team) => team.flatMap(({ players }) => players as Players));
  const attributeOf = (player: Players[number], name: string) => {
    if (name === 'skill') return player.skill;
    return player.bot ? undefined : (player.attributes?.[name] ?? of.definition.attributes?.[name]?.default);
  };
  return {
    teams,
    members,
    everybody: members.flatMap(({ players }) => players as Players),
    perTeam,
    nowMs: of.nowMs,
    met: of.met,
    attributeOf,
    valuesOf: (players, name) =>
      players.flatMap((player) => {
        const value = attributeOf(player, name);
        return value === undefined ? [] : [value];
      }),
    ofKind: (kind) => perTeam.filter((_, t) => of.kinds?.[t] === kind),
    teamsOfKind: (kind) => teams.filter((_, t) => of.kinds?.[t] === kind),
  };
}

function playersOf(team: Team): Ticket['players'][number][] {
  return team.flatMap(({ players }) => players);
}
