import { GamePool, shapeOf } from '../../lib/engine/game-pool.ts';
import type { GameRules, TeamKind, Ticket } from '../../lib/engine/types.ts';
import { noMeetings } from '../../lib/rules/met.ts';
import { compileRules } from '../../lib/rules/rule-states.ts';
import type { RuledTicket } from '../../lib/rules/rule-type.ts';
import { type InnerRule, isCostOnly, type Rule, typeOf } from '../../lib/rules/rule-types.ts';
import type { Attributes } from '../../lib/rules/types.ts';
import { normal, seeded } from '../engine/random-pool.ts';

/** A small pool with rules that only whole games decide. */
export interface MissedCase {
  readonly shape: Pick<GameRules, 'teamSize' | 'teams'>;
  readonly rules: readonly Rule[];
  readonly tickets: readonly Ticket[];
}

/** Whether a game exists, and whether the pool finds one with its default budget. */
export interface MissedVerdict {
  readonly exists: boolean;
  readonly isFound: boolean;
}

export const attributes: Attributes = {
  level: { type: 'number', default: 10 },
  xp: { type: 'number', default: 5 },
  clan: { type: 'string', default: 'b' },
  maps: { type: 'strings', default: ['x'] },
};

const nowMs = 1000;
const shapes: readonly MissedCase['shape'][] = [
  { teamSize: 5 },
  { teamSize: 4 },
  { teamSize: 3, teams: 3 },
  { teamSize: 2, teams: 4 },
  { teamSize: 5, teams: [kind('a', 1), kind('b', 5)] },
  { teamSize: 4, teams: [kind('a', 4), kind('b', 4)] },
];

/** Compares a case with all of its games; undefined when there are too many to try. */
export function compareMissed(of: MissedCase): MissedVerdict | undefined {
  const exists = hasGame(of);
  return exists === undefined ? undefined : { exists, isFound: poolOf(of).best(nowMs) !== undefined };
}

export function poolOf({ shape, rules, tickets }: MissedCase): GamePool {
  const of: GameRules = { ...shape, alpha: 1, p: 1, q: 2, beta: 0 };
  const { seats, teamSizes } = shapeOf(of);
  const moment = {
    nowMs,
    seats,
    seatsMin: seats,
    teams: teamSizes.length,
    teamSize: Math.max(...teamSizes),
    kinds: kindsOf(shape),
  };
  const pool = new GamePool(of, { constraints: compileRules({ attributes, rules }, moment, true)!() });
  for (const ticket of tickets) pool.insert(ticket);
  return pool;
}

/** The case of a seed. */
export function missedCase(seed: number): MissedCase {
  const random = seeded(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)];
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const shape = pick(shapes);
  const { seats } = shapeOf(shape);
  const inner = (): InnerRule => randomRule(random, shape, seats);
  const rules = Array.from({ length: 1 + upTo(2) }, (_, i): Rule => {
    const name = `r${i}`;
    return random() < 0.3 ? { name, type: 'anyOf', rules: [inner(), inner()] } : { name, ...inner() };
  });
  const isOfParties = random() < 0.3;
  const most = seats + 2 + upTo(typeof shape.teams === 'number' ? 4 : 6);
  const tickets: Ticket[] = [];
  for (let players = 0; players < most; ) {
    const size = Math.min(most - players, isOfParties && random() < 0.3 ? 2 : 1);
    const ticketId = `t${String(tickets.length).padStart(2, '0')}`;
    const player = (i: number) => ({
      playerId: `${ticketId}.${i}`,
      skill: Math.max(1, Math.round(1500 + 200 * normal(random))),
      attributes: {
        level: Math.max(0, Math.round(20 + 10 * normal(random))),
        xp: upTo(16),
        clan: pick(['a', 'b', 'b', 'b', 'c', 'd']),
        maps: pick([['x'], ['y'], ['x', 'y']]),
      },
    });
    tickets.push({ ticketId, enqueuedAtMs: 0, players: Array.from({ length: size }, (_, i) => player(i)) });
    players += size;
  }
  return { shape, rules, tickets };
}

/** A rule that only a whole game decides, with a limit that some games meet. */
function randomRule(random: () => number, shape: MissedCase['shape'], seats: number): InnerRule {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)];
  const kinds = kindsOf(shape);
  const comparison = (): InnerRule => {
    const attribute = pick(['level', 'level', 'xp', 'skill']);
    const of = pick(['mean', 'sum', 'least', 'greatest'] as const);
    const left = { of, attribute, ...(kinds && random() < 0.5 && { team: pick(kinds) }) };
    if (random() < 0.35) {
      const right = kinds
        ? { of, attribute, team: pick(kinds) }
        : { of: pick(['least', 'mean'] as const), attribute };
      return { type: 'compare', left, right, max: pick([1, 2, 5, 10]) * (attribute === 'skill' ? 20 : 1) };
    }
    const [usual, apart] = { level: [20, 10], xp: [8, 5], skill: [1500, 200] }[attribute]!;
    const shift = of === 'least' ? -apart : of === 'greatest' ? apart : 0;
    const one = usual + shift + apart * (random() - 0.5);
    const right = Math.round(of === 'sum' ? seats * one : one);
    return { type: 'compare', left, right, op: pick(['<=', '>='] as const) };
  };
  return pick<() => InnerRule>([
    comparison,
    comparison,
    () => ({ type: 'balance', attribute: pick(['level', 'xp']), max: pick([0.5, 1, 2, 4]) }),
    () => ({ type: 'count', attribute: 'clan', value: pick(['a', 'c']), atLeast: pick([1, 2, 3]) }),
    () => ({ type: 'count', attribute: 'clan', value: pick(['a', 'c']), atLeast: 1, scope: 'team' }),
    () => ({ type: 'same', attribute: 'clan', scope: 'team' }),
    () => ({ type: 'common', attribute: 'maps' }),
  ])();
}

/** Whether any set of tickets in any division is a game; undefined after too many steps. */
function hasGame({ shape, rules, tickets }: MissedCase): boolean | undefined {
  const kinds = kindsOf(shape);
  const { teamSizes, seats } = shapeOf(shape);
  const context = { attributes, nowMs, meetings: noMeetings };
  const holds = (rule: Rule, teams: readonly (readonly RuledTicket[])[]) =>
    isCostOnly(rule) || typeOf(rule).evaluate(rule, { teams, kinds }, context).holds;
  const ofGame = rules.filter((rule) => !typeOf(rule).dependsOnTeams(rule));
  const teams: Ticket[][] = teamSizes.map(() => []);
  const free = [...teamSizes];
  const chosen: Ticket[] = [];
  let stepsLeft = 2_000_000;
  const place = (at: number): boolean => {
    if (--stepsLeft < 0) return false;
    if (at === chosen.length) return rules.every((rule) => holds(rule, teams));
    const ticket = chosen[at];
    const { length } = ticket.players;
    for (let t = 0; t < free.length; t++) {
      // Equal teams are filled in their order.
      if (!kinds && t > 0 && teams[t - 1].length === 0) break;
      if (free[t] < length) continue;
      free[t] -= length;
      teams[t].push(ticket);
      if (place(at + 1)) return true;
      teams[t].pop();
      free[t] += length;
    }
    return false;
  };
  const choose = (at: number, left: number): boolean => {
    if (left === 0) return ofGame.every((rule) => holds(rule, [chosen])) && place(0);
    if (at === tickets.length) return false;
    const { length } = tickets[at].players;
    if (length <= left) {
      chosen.push(tickets[at]);
      if (choose(at + 1, left - length)) return true;
      chosen.pop();
    }
    return choose(at + 1, left);
  };
  const found = choose(0, seats);
  return found || stepsLeft >= 0 ? found : undefined;
}

function kind(name: string, size: number): TeamKind {
  return { name, size };
}

function kindsOf({ teams }: MissedCase['shape']): string[] | undefined {
  return typeof teams === 'object' ? teams.map(({ name }) => name) : undefined;
}

/** `node test/rules/missed-games.ts [cases] [seed]`: how often the pool finds no game although one exists. */
if (import.meta.main) {
  const [cases = '300', first = '1'] = process.argv.slice(2);
  const counts = { found: 0, missed: 0, none: 0, tooLarge: 0 };
  for (let seed = Number(first); seed < Number(first) + Number(cases); seed++) {
    const of = missedCase(seed);
    const verdict = compareMissed(of);
    if (!verdict) counts.tooLarge++;
    else if (!verdict.exists) counts.none++;
    else if (verdict.isFound) counts.found++;
    else {
      counts.missed++;
      console.log(`seed ${seed}: ${JSON.stringify(of)}`);
    }
  }
  console.log(JSON.stringify(counts));
  process.exitCode = counts.missed > 0 ? 1 : 0;
}
