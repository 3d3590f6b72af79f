import type { Game, GameRules, Ticket } from '../../lib/engine/types.ts';
import type { Alternative, Rule, RulesDefinition } from '../../lib/rules/rule-types.ts';
import { canSeat } from '../engine/brute-force.ts';
import { type AskedGame, meanOf, type Players } from './by-type/oracle-type.ts';
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

/** A game with the results of the rules. */
export interface OracleGame {
  readonly ticketIds: readonly string[];
  readonly imbalance: number;
  readonly priority: number;
}

type Team = readonly Ticket[];

/**
 * A brute-force implementation of rules that shares no code with the project: it evaluates every rule with the limits of
 * every ticket in the game, and tries every set of tickets in every division into two teams.
 */
export function allGames(of: RuledCase): OracleGame[] {
  const { rules, tickets, nowMs } = of;
  const k = rules.teamSize;
  const found: OracleGame[] = [];
  const sizeOf = (team: Team) => team.reduce((sum, { players }) => sum + players.length, 0);
  const visit = (i: number, x: Team, y: Team): void => {
    if (sizeOf(x) > k || sizeOf(y) > k) return;
    if (i < tickets.length) {
      visit(i + 1, x, y);
      visit(i + 1, [...x, tickets[i]], y);
      if (x.length > 0) visit(i + 1, x, [...y, tickets[i]]);
      return;
    }
    if (sizeOf(x) !== k || sizeOf(y) !== k) return;
    if (![x, y].every((team) => canSeat(playersOf(team), rules.roles))) return;
    const cost = rulesCost(of, [x, y]);
    if (cost === undefined) return;
    const imbalance = imbalanceOf(x, y, rules) + cost;
    const wait = Math.max(...[...x, ...y].map(({ enqueuedAtMs }) => (nowMs - enqueuedAtMs) / 1000));
    const ticketIds = [...x, ...y].map(({ ticketId }) => ticketId).sort();
    found.push({ ticketIds, imbalance, priority: imbalance - rules.beta * wait });
  };
  visit(0, [], []);
  return found;
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

/** Throws unless the game meets every rule, and its costs, region and values are correct. */
export function checkRuledGame(game: Game, of: RuledCase): void {
  const byId = new Map(of.tickets.map((ticket) => [ticket.ticketId, ticket]));
  const teams = game.teams.map((team) => [...new Set(team.map((seat) => byId.get(seat.ticketId)!))]);
  const cost = rulesCost(of, teams);
  const must = (holds: boolean, what: string) => {
    if (!holds) throw new Error(`${what}: ${JSON.stringify({ game, of })}`);
  };
  must(cost !== undefined, 'a rule is violated');
  const plain = imbalanceOf(teams[0], teams[1], of.rules);
  must(near(game.imbalance, plain + cost!), `the imbalance is not ${plain} + ${cost}`);
  checkRuling(game, of, cost!);
}

/** Throws unless the costs of the game's rules add up to this, and its region is the best of those in reach. */
export function checkRuling(game: Game, of: RuledCase, cost: number): void {
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
  for (const a of members) {
    for (const b of members) {
      if (a === b) continue;
      const theirs = new Set(b.players.map(({ playerId }) => playerId));
      if ((a.players as Players).some(({ avoid = [] }) => avoid.some((id) => theirs.has(id)))) return true;
    }
  }
  return false;
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

function imbalanceOf(x: Team, y: Team, { alpha, p, q }: GameRules): number {
  const skillsOf = (team: Team) => playersOf(team).map(({ skill }) => skill);
  const teamSkill = (team: Team) => {
    const skills = skillsOf(team);
    if (p === Number.POSITIVE_INFINITY) return Math.max(...skills);
    return skills.reduce((sum, s) => sum + s ** p, 0) ** (1 / p);
  };
  const all = skillsOf([...x, ...y]);
  const mean = meanOf(all);
  const far = all.map((s) => Math.abs(s - mean));
  const v = q === Number.POSITIVE_INFINITY ? Math.max(...far) : meanOf(far.map((one) => one ** q)) ** (1 / q);
  return alpha * Math.abs(teamSkill(x) - teamSkill(y)) + v;
}

function playersOf(team: Team): Ticket['players'][number][] {
  return team.flatMap(({ players }) => players);
}
