import type { Game, GameRules, Ticket } from '../../lib/engine/types.ts';
import type { Rule, RuledPlayer, RulesDefinition, Side } from '../../lib/rules/types.ts';
import { canSeat } from '../engine/brute-force.ts';

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

type Players = readonly RuledPlayer[];
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
      const { amount, fails } = ask(own, teams, members, of);
      if (fails && (own.cost === undefined || limitedByMax(own))) return undefined;
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
    .flatMap((ticket) => ticket.players as Players);
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

function limitedByMax(rule: Rule): boolean {
  return ['within', 'balance', 'latency'].includes(rule.type) && (rule as { max?: number }).max !== undefined;
}

/** The rule with the limits of a ticket of this age; undefined when it is off. */
function atAge(rule: Rule, ageMs: number): Rule | undefined {
  let now: Rule = rule;
  for (const { waitSeconds, off, ...keys } of rule.relax ?? []) {
    if (ageMs / 1000 < waitSeconds) continue;
    if (off) return undefined;
    now = { ...now, ...keys } as Rule;
  }
  return now;
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

/** The units that a cost multiplies, and whether the limit of the rule is broken. */
function ask(
  rule: Rule | Omit<Extract<Rule, { type: 'count' }>, 'name'>,
  teams: readonly Team[],
  members: readonly Ticket[],
  of: RuledCase,
): { amount: number; fails: boolean } {
  const everybody = members.flatMap(({ players }) => players as Players);
  const perTeam = teams.map((team) => team.flatMap(({ players }) => players as Players));
  const attributeOf = (player: RuledPlayer, name: string) =>
    name === 'skill'
      ? player.skill
      : (player.attributes?.[name] ?? of.definition.attributes?.[name]?.default);
  const ofKind = (kind: string) => perTeam.filter((_, t) => of.kinds?.[t] === kind);
  const scoped =
    'scope' in rule && rule.scope === 'team'
      ? perTeam
      : rule.type === 'count' && rule.team !== undefined
        ? ofKind(rule.team)
        : [everybody];
  const total = (amountOf: (players: Players) => number) =>
    scoped.reduce((sum, players) => sum + amountOf(players), 0);
  const zeroHolds = (amount: number) => ({ amount, fails: amount > 0 });
  switch (rule.type) {
    case 'same': {
      const values = (players: Players) => new Set(players.map((one) => attributeOf(one, rule.attribute)));
      return zeroHolds(total((players) => values(players).size - 1));
    }
    case 'different':
      return zeroHolds(
        total((players) => {
          const seen: unknown[] = [];
          let again = 0;
          for (const one of players) {
            const value = attributeOf(one, rule.attribute);
            if (seen.includes(value)) again++;
            else seen.push(value);
          }
          return again;
        }),
      );
    case 'within': {
      const groups = rule.scope === 'team' ? teams : [members];
      const widths = groups.map((tickets) => {
        const values = tickets.flatMap(({ players }) => {
          const own = players.map((player) => attributeOf(player as RuledPlayer, rule.attribute) as number);
          if (rule.party === 'mean') return [own.reduce((a, b) => a + b, 0) / own.length];
          if (rule.party === 'least') return [Math.min(...own)];
          if (rule.party === 'greatest') return [Math.max(...own)];
          return own;
        });
        return Math.max(...values) - Math.min(...values);
      });
      return {
        amount: widths.reduce((a, b) => a + b, 0),
        fails: rule.max !== undefined && widths.some((width) => width > rule.max!),
      };
    }
    case 'common':
      return zeroHolds(
        total((players) => {
          const lists = players.map((one) => attributeOf(one, rule.attribute) as readonly string[]);
          const shared = new Set(lists.flat().filter((value) => lists.every((list) => list.includes(value))));
          return Math.max(0, (rule.atLeast ?? 1) - shared.size);
        }),
      );
    case 'count':
      return zeroHolds(
        total((players) => {
          const have = players.filter((one) => {
            const value = attributeOf(one, rule.attribute);
            return Array.isArray(value) ? value.includes(rule.value) : value === rule.value;
          }).length;
          const short = rule.atLeast === undefined ? 0 : Math.max(0, rule.atLeast - have);
          return short + (rule.atMost === undefined ? 0 : Math.max(0, have - rule.atMost));
        }),
      );
    case 'balance': {
      const means = perTeam.map((players) =>
        meanOf(players.map((one) => attributeOf(one, rule.attribute) as number)),
      );
      const amount = Math.max(...means) - Math.min(...means);
      return { amount, fails: rule.max !== undefined && amount > rule.max };
    }
    case 'compare': {
      const sidesOf = (side: Side): number[] => {
        if (typeof side === 'number') return [side];
        return (side.team === undefined ? [everybody] : ofKind(side.team)).map((players) => {
          if (side.of === 'count')
            return players.filter((one) => attributeOf(one, side.attribute) !== undefined).length;
          const values = players.map((one) => attributeOf(one, side.attribute) as number);
          if (side.of === 'mean') return meanOf(values);
          if (side.of === 'sum') return values.reduce((a, b) => a + b, 0);
          return side.of === 'least' ? Math.min(...values) : Math.max(...values);
        });
      };
      const amounts = sidesOf(rule.left).flatMap((l) =>
        sidesOf(rule.right).map((r) => {
          if (rule.op === '<=') return l - r;
          if (rule.op === '>=') return r - l;
          return Math.abs(l - r) - (rule.max ?? 0);
        }),
      );
      return zeroHolds(Math.max(0, ...amounts));
    }
    case 'latency': {
      const names = Object.keys(everybody[0].latencyMs ?? {});
      const worst = names.map((name) =>
        Math.max(...everybody.map(({ latencyMs = {} }) => latencyMs[name] ?? Number.POSITIVE_INFINITY)),
      );
      const amount = Math.min(Number.POSITIVE_INFINITY, ...worst);
      const isNowhere = amount === Number.POSITIVE_INFINITY;
      return { amount: isNowhere ? 0 : amount, fails: isNowhere || amount > (rule.max ?? amount) };
    }
    case 'recent': {
      let amount = 0;
      teams.forEach((x, s) => {
        teams.forEach((y, t) => {
          if (rule.scope === 'opponents' && s === t) return;
          if (rule.scope === 'teammates' && s !== t) return;
          for (const a of x) {
            for (const b of y) {
              if (a.ticketId >= b.ticketId) continue;
              for (const p of a.players) {
                for (const q of b.players) {
                  const at = of.met(p.playerId, q.playerId);
                  if (at === undefined || rule.seconds === 0) continue;
                  amount += Math.max(0, 1 - (of.nowMs - at) / 1000 / rule.seconds);
                }
              }
            }
          }
        });
      });
      return { amount, fails: amount > 0 };
    }
    case 'anyOf': {
      const fails = rule.rules.every(
        (inner) => ask({ ...inner, name: '' } as Rule, teams, members, of).fails,
      );
      return { amount: fails ? 1 : 0, fails };
    }
  }
}

function meanOf(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
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
