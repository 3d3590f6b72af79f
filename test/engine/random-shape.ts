import type { GameRules, Player, TeamKind, Ticket } from '../../lib/engine/types.ts';
import { normal, type PoolCase } from './random-pool.ts';

const pick = <T>(random: () => number, from: readonly T[]): T => from[Math.floor(random() * from.length)];
const infinity = Number.POSITIVE_INFINITY;

/**
 * A random small pool for games of any shape: three to six equal teams, one team, free for all, and lists of kinds with
 * sizes, counts, offsets, roles and teams that may start short; parties, some of which may be split; players who choose
 * sides. A third of these pools have a node budget that ends most searches.
 */
export function shapeCase(random: () => number): PoolCase & { nodeBudget?: number } {
  const teams = pick(random, [equal, equal, kinds, kinds, lone, solo, oneTeam])(random);
  const roleNames = ['tank', 'healer'];
  const isList = Array.isArray(teams.teams);
  const seats = isList
    ? (teams.teams as TeamKind[]).reduce((sum, { size, count = 1 }) => sum + size * count, 0)
    : teams.teamSize * ((teams.teams as number | undefined) ?? 2);
  const hasRoles = random() < 0.25;
  const rolesOf = (size: number) => {
    const tanks = Math.floor(random() * (size + 1));
    return Object.fromEntries(
      Object.entries({ tank: tanks, healer: size - tanks }).filter(([, count]) => count > 0),
    );
  };
  const canBeShort = isList && random() < 0.4;
  const rules: GameRules = {
    ...teams,
    ...(isList && {
      teams: (teams.teams as TeamKind[]).map((kind) => ({
        ...kind,
        ...(canBeShort && { minSize: 1 + Math.floor(random() * kind.size) }),
        ...(hasRoles && { roles: rolesOf(kind.size) }),
        ...(random() < 0.2 && { offset: Math.round(400 * random() - 200) }),
      })),
    }),
    ...(canBeShort && {
      short: { afterSeconds: pick(random, [0, 5, 15]), cost: pick(random, [0, 0, 30, 300]) },
    }),
    ...(!isList && hasRoles && { roles: rolesOf(teams.teamSize) }),
    alpha: pick(random, [0.1, 1, 1, 3, 100]),
    p: pick(random, [1, 1, 1, 1.5, 2, 50, infinity]),
    q: pick(random, [1, 1.5, 2, 2, 2, 3, infinity]),
    beta: pick(random, [0, 0, 0, 0.01, 1, 50]),
  };
  const kind = pick(random, ['smooth', 'integers', 'equal', 'decimals', 'outliers', 'last bits']);
  const level = 3e3 * random();
  const skill = (): number => {
    if (kind === 'integers') return Math.floor(random() * 12);
    if (kind === 'equal') return level;
    if (kind === 'last bits') return level * (1 + Math.floor(4 * random()) * 2 ** -52);
    if (kind === 'decimals') return Math.round(1e4 * Math.abs(1500 + 300 * normal(random))) / 1e4;
    if (kind === 'outliers') return random() < 0.15 ? 3000 + random() * 1000 : 1500 + random() * 30;
    return Math.max(0, 1500 + 300 * normal(random));
  };
  const sideNames = isList ? (teams.teams as TeamKind[]).map(({ name }) => name) : [];
  const choose = random() < 0.6;
  const player = (playerId: string): Player => ({
    playerId,
    skill: skill(),
    ...(hasRoles && random() < 0.7 ? { roles: roleNames.filter(() => random() < 0.6) } : {}),
    ...(choose && sideNames.length > 0 && random() < 0.6
      ? { teams: sideNames.filter(() => random() < 0.6) }
      : {}),
  });
  const partyMax = isList ? Math.max(...(teams.teams as TeamKind[]).map(({ size }) => size)) : teams.teamSize;
  const share = pick(random, [0, 0, 0.3, 0.6]);
  const limit = seats + Math.floor(random() * 3.5);
  const tickets: Ticket[] = [];
  for (let players = 0; players < limit; ) {
    const split = random() < 0.15;
    const size = random() < share ? 1 + Math.floor(random() * (split ? seats : partyMax)) : 1;
    const ticketId = `t${String(tickets.length).padStart(3, '0')}`;
    tickets.push({
      ticketId,
      enqueuedAtMs: Math.floor(random() * 20) * 1000,
      players: Array.from({ length: size }, (_, i) => player(`${ticketId}.${i}`)),
      ...(split && { split }),
    });
    players += size;
  }
  const enemies = new Set<string>();
  const refuses = random() < 0.2;
  if (refuses) {
    for (const a of tickets)
      for (const b of tickets)
        if (a.ticketId < b.ticketId && random() < 0.12) enemies.add(`${a.ticketId} ${b.ticketId}`);
  }
  return {
    rules,
    tickets,
    nowMs: 20_000,
    ...(refuses && {
      forbids: (a: Ticket, b: Ticket) =>
        enemies.has(`${a.ticketId} ${b.ticketId}`) || enemies.has(`${b.ticketId} ${a.ticketId}`)
          ? 'they just played together'
          : undefined,
    }),
    ...(random() < 0.33 && { nodeBudget: 1 + Math.floor(random() ** 3 * 200) }),
  };
}

type Teams = Pick<GameRules, 'teamSize' | 'teams'>;

function equal(random: () => number): Teams {
  const [teams, teamSize] = pick(random, [
    [3, 2],
    [3, 2],
    [4, 2],
    [3, 3],
    [5, 1],
    [2, 3],
  ]);
  return { teams, teamSize };
}

function solo(random: () => number): Teams {
  return { teams: 3 + Math.floor(4 * random()), teamSize: 1 };
}

function oneTeam(random: () => number): Teams {
  const size = 2 + Math.floor(4 * random());
  return { teams: [{ name: 'crew', size }], teamSize: size };
}

function lone(random: () => number): Teams {
  const hunted = { name: 'survivors', size: 2 + Math.floor(3 * random()) };
  const hunter = { name: 'killer', size: 1 };
  return { teams: random() < 0.5 ? [hunter, hunted] : [hunted, hunter], teamSize: hunted.size };
}

function kinds(random: () => number): Teams {
  const list: TeamKind[] = [];
  let seats = 0;
  const most = 1 + Math.floor(3 * random());
  for (let at = 0; at < most && seats < 7; at++) {
    const size = 1 + Math.floor(random() * Math.min(4, 8 - seats));
    const count = size <= 2 && random() < 0.4 && seats + 2 * size <= 8 ? 2 : 1;
    list.push({ name: `side${at}`, size, count });
    seats += size * count;
  }
  if (seats < 2) list.push({ name: 'other', size: 2 });
  return { teams: list, teamSize: Math.max(...list.map(({ size }) => size)) };
}
