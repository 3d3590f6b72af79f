import type { GameRules, TeamKind, Ticket } from '../../lib/engine/types.ts';
import type { Rule, RulesDefinition } from '../../lib/rules/rule-types.ts';
import type { Attributes, RuledPlayer } from '../../lib/rules/types.ts';
import { shapeCase } from '../engine/random-shape.ts';
import type { Tools } from './by-type/oracle-type.ts';
import { ORACLE_TYPES } from './by-type/oracle-types.ts';
import type { Met, RuledCase } from './oracle.ts';

const infinity = Number.POSITIVE_INFINITY;

/** The attributes of all random pools. */
const attributes: Attributes = {
  level: { type: 'number', default: 10 },
  patch: { type: 'string', default: 'b' },
  maps: { type: 'strings', default: ['x', 'y'] },
  brings: { type: 'strings', default: ['x', 'y'] },
};

/** A random small pool with random rules of every type, costs and relaxations. */
export function randomRuledCase(
  random: () => number,
  only: { beta?: number; more?: boolean; customs?: number } = {},
): RuledCase {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)];
  const chance = (probability: number) => random() < probability;
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const teamSize = pick([1, 1, 2, 2, 2, 3]);
  const hasRoles = teamSize > 1 && chance(0.25);
  const rules: GameRules = {
    teamSize,
    alpha: pick([0.1, 1, 1, 3]),
    p: pick([1, 1, 1, 2, infinity]),
    q: pick([1, 2, 2, 2, 3, infinity]),
    beta: only.beta ?? pick([0, 0, 0, 0.1, 3, 50]),
    ...(hasRoles && { roles: teamSize === 2 ? { tank: 1, damage: 1 } : { tank: 1, damage: 2 } }),
  };
  const definition = randomDefinition(random, 2 * teamSize, undefined, only.more, only.customs);
  const limit = 2 * teamSize + upTo(teamSize === 3 ? 2 : 5);
  const tickets: Ticket[] = [];
  const isTied = chance(0.3);
  for (let players = 0; players < limit; ) {
    const size = Math.min(limit - players, chance(0.25) ? 1 + upTo(teamSize - 1) : 1);
    const ticketId = `t${String(tickets.length).padStart(2, '0')}`;
    tickets.push({
      ticketId,
      enqueuedAtMs: upTo(19) * 1000,
      players: Array.from({ length: size }, (_, i): RuledPlayer => {
        return {
          playerId: `${ticketId}.${i}`,
          skill: isTied ? 1500 + 10 * upTo(3) : Math.round(1400 + 200 * random()),
          ...(hasRoles && chance(0.7) ? { roles: chance(0.5) ? ['tank'] : ['damage'] } : {}),
          ...randomValues(random, only.more),
        };
      }),
    });
    players += size;
  }
  const nowMs = 20_000;
  return { rules, definition, tickets, nowMs, met: randomMeetings(random, tickets, nowMs) };
}

/**
 * A random small pool for games of any shape with random rules: see `shapeCase`. Its pairs are refused by the rules alone.
 */
export function randomShapedRuledCase(
  random: () => number,
  more = false,
  customs = 0,
): RuledCase & { nodeBudget?: number } {
  const { rules, tickets: plain, nowMs, nodeBudget } = shapeCase(random);
  const kinds = Array.isArray(rules.teams)
    ? (rules.teams as readonly TeamKind[]).flatMap(({ name, count = 1 }) =>
        new Array<string>(count).fill(name),
      )
    : undefined;
  const seats = Array.isArray(rules.teams)
    ? (rules.teams as readonly TeamKind[]).reduce((sum, { size, count = 1 }) => sum + size * count, 0)
    : rules.teamSize * (rules.teams as number);
  const definition = randomDefinition(random, seats, kinds, more, customs);
  const tickets = plain.map((ticket) => ({
    ...ticket,
    players: ticket.players.map((player) => ({ ...player, ...randomValues(random, more) })),
  }));
  const met = randomMeetings(random, tickets, nowMs);
  return {
    rules,
    definition,
    tickets,
    nowMs,
    met,
    ...(kinds && { kinds }),
    ...(nodeBudget && { nodeBudget }),
  };
}

/**
 * Random rules of every type, costs and relaxations, for games of so many players. With `more` also alternatives that relax,
 * and more rules of the teams of a kind: seeds of earlier finds are without. @param customs how many rules of the studio's code
 */
function randomDefinition(
  random: () => number,
  players: number,
  kinds?: readonly string[],
  more = false,
  customs = 0,
): RulesDefinition {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)];
  const chance = (probability: number) => random() < probability;
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const ticksOf = (scale: number) => pick([0, 1, 2, 3]) * scale;
  const relaxOf = (steps: () => object[]) =>
    chance(0.5) ? { relax: steps().map((step, i) => ({ waitSeconds: [4, 9, 14][i], ...step })) } : {};
  const soft = (): { cost?: number } => (chance(0.35) ? { cost: pick([0.5, 2, 10]) } : {});
  const scope = () =>
    more && kinds && chance(0.2) ? { team: pick(kinds) } : chance(0.2) ? { scope: 'team' as const } : {};
  const innerTypes = [
    ...(['same', 'different', 'within', 'common', 'count', 'balance', 'compare'] as const),
    ...(more ? (['accepted'] as const) : []),
  ];
  const inner = () => {
    const type = ORACLE_TYPES[pick(innerTypes)];
    if (!more || chance(0.6)) return type.random!(tools);
    const { name: _, ...rule } = type.randomNamed('', { ...tools, soft: () => ({}) });
    return rule;
  };
  const tools: Tools = { kinds, players, random, pick, chance, ticksOf, relaxOf, soft, scope, inner };
  const ruleOf = (name: string): Rule => {
    const kind = random();
    const type = kind < 0.15 ? 'latency' : kind < 0.3 ? 'recent' : kind < 0.4 ? 'anyOf' : pick(innerTypes);
    return ORACLE_TYPES[type].randomNamed(name, tools);
  };
  const ruleList = Array.from({ length: 1 + upTo(3) }, (_, i) => ruleOf(`r${i}`)).filter(
    (rule, i, all) => rule.type !== 'latency' || all.findIndex(({ type }) => type === 'latency') === i,
  );
  for (let i = 0; i < customs; i++) ruleList.push(ORACLE_TYPES.custom.randomNamed(`c${i}`, tools));
  return {
    attributes,
    rules: ruleList,
    ...(chance(0.2) ? { relaxBy: 'oldest' } : {}),
  };
}

/** Some random rules of every type for games of so many players. */
export function randomRules(
  random: () => number,
  players: number,
  kinds: readonly string[] | undefined,
): readonly Rule[] {
  return randomDefinition(random, players, kinds, true).rules!;
}

/** The values of a player that rules use. */
function randomValues(random: () => number, more = false): Partial<RuledPlayer> {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)];
  const chance = (probability: number) => random() < probability;
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  return {
    ...(chance(0.9) && {
      attributes: {
        level: 7 + upTo(6),
        patch: pick(['a', 'b', 'b']),
        maps: pick([['x'], ['y'], ['x', 'y'], ['x', 'y', 'z'], ['y', 'z']]),
        ...(more && { brings: pick([['x'], ['y'], ['x', 'y'], ['x', 'y', 'z'], []]) }),
      },
    }),
    latencyMs: { east: 10 * (1 + upTo(12)), ...(chance(0.7) && { west: 10 * (1 + upTo(12)) }) },
    ...(chance(0.15) && { avoid: [`t0${upTo(7)}.0`, `t00${upTo(7)}.0`] }),
  };
}

function randomMeetings(random: () => number, tickets: readonly Ticket[], nowMs: number): Met {
  const chance = (probability: number) => random() < probability;
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const meetings = new Map<string, number>();
  for (const a of tickets) {
    for (const b of tickets) {
      for (const p of a.players) {
        for (const q of b.players) {
          if (p.playerId < q.playerId && chance(0.15))
            meetings.set(`${p.playerId} ${q.playerId}`, nowMs - 1000 * upTo(70));
        }
      }
    }
  }
  return (a, b) => meetings.get(a < b ? `${a} ${b}` : `${b} ${a}`);
}
