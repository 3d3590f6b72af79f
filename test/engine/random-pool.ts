import type { Forbids, GameRules, Ticket } from '../../lib/engine/types.ts';

/** mulberry32: a small seeded generator of uniform numbers in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A standard normal number (Box and Muller). */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export interface PoolCase {
  rules: GameRules;
  tickets: Ticket[];
  forbids?: Forbids;
  nowMs: number;
}

const infinity = Number.POSITIVE_INFINITY;
const pick = <T>(random: () => number, from: readonly T[]): T => from[Math.floor(random() * from.length)];

/**
 * A random small pool: every combination of α, p, q and β, with or without roles, parties and refused
 * pairs, and skills that are smooth, integer with many ties, all equal, zero, huge, or with outliers.
 */
export function randomCase(
  random: () => number,
  shape: { maxPlayers: number; teamSizes: readonly number[]; plain?: boolean },
): PoolCase {
  const teamSize = pick(random, shape.teamSizes);
  const rules: GameRules = {
    teamSize,
    alpha: pick(random, [0.1, 1, 1, 3, 100]),
    p: pick(random, [1, 1, 1.5, 2, 7, infinity]),
    q: pick(random, [1, 1.5, 2, 2, 3, infinity]),
    beta: shape.plain ? 0 : pick(random, [0, 0, 0.01, 1, 50]),
    ...(shape.plain || random() < 0.5 ? {} : { roles: randomRoles(random, teamSize) }),
  };
  const kind = pick(random, ['smooth', 'integers', 'equal', 'zero', 'huge', 'outliers', 'tiny gaps']);
  const skill = (): number => {
    if (kind === 'integers') return Math.floor(random() * 12);
    if (kind === 'equal') return 1500;
    if (kind === 'zero') return random() < 0.6 ? 0 : random();
    if (kind === 'huge') return 1e12 + Math.floor(random() * 1e6);
    if (kind === 'outliers') return random() < 0.15 ? 3000 + random() * 1000 : 1500 + random() * 30;
    if (kind === 'tiny gaps') return 1 + random() * 1e-6;
    return Math.max(0, 1500 + 300 * normal(random));
  };
  const parties = !shape.plain && teamSize > 1 && random() < 0.6;
  const roleNames = Object.keys(rules.roles ?? {});
  const tickets: Ticket[] = [];
  const limit = 2 * teamSize + Math.floor(random() * (shape.maxPlayers - 2 * teamSize + 1));
  for (let players = 0; players < limit; ) {
    const size = Math.min(
      limit - players,
      parties && random() < 0.5 ? 1 + Math.floor(random() * teamSize) : 1,
    );
    const ticketId = `t${String(tickets.length).padStart(3, '0')}`;
    tickets.push({
      ticketId,
      enqueuedAtMs: Math.floor(random() * 20) * 1000,
      players: Array.from({ length: size }, (_, i) => ({
        playerId: `${ticketId}.${i}`,
        skill: skill(),
        ...(rules.roles && random() < 0.8 ? { roles: roleNames.filter(() => random() < 0.6) } : {}),
      })),
    });
    players += size;
  }
  const refuses = !shape.plain && random() < 0.3;
  const enemies = new Set<string>();
  if (refuses) {
    for (const a of tickets) {
      for (const b of tickets) {
        if (a.ticketId < b.ticketId && random() < 0.15) enemies.add(`${a.ticketId} ${b.ticketId}`);
      }
    }
  }
  return {
    rules,
    tickets,
    nowMs: 20_000,
    ...(refuses
      ? {
          forbids: (a, b) =>
            enemies.has(`${a.ticketId} ${b.ticketId}`) || enemies.has(`${b.ticketId} ${a.ticketId}`)
              ? 'they just played together'
              : undefined,
        }
      : {}),
  };
}

/**
 * A random small pool with extreme numbers: skills of four decimals, all equal, or different only in their last bits;
 * large finite p; waits of weeks with a large β; parties of all sizes up to teams of eight. Half of these pools have a node
 * budget that ends most searches.
 */
export function roundingCase(random: () => number): PoolCase & { nodeBudget?: number } {
  const small = random() < 0.5;
  const made = randomCase(random, {
    maxPlayers: small ? 8 : 16,
    teamSizes: small ? [1, 2, 3] : [4, 5, 6, 8],
  });
  const kind = pick(random, ['four decimals', 'equal', 'last bits', 'as made']);
  const level = Math.round(3e7 * random()) / 1e4;
  const skill = (asMade: number): number => {
    if (kind === 'four decimals') return Math.round(1e4 * Math.min(asMade, 1e4)) / 1e4;
    if (kind === 'equal') return level;
    if (kind === 'last bits') return level * (1 + Math.floor(4 * random()) * 2 ** -52);
    return asMade;
  };
  const isOld = random() < 0.3;
  const withSkills = made.tickets.map(({ players, ...ticket }) => ({
    ...ticket,
    enqueuedAtMs: isOld
      ? Math.floor(random() * 20_000) - Math.floor(random() * 30) * 86_400_000
      : ticket.enqueuedAtMs,
    players: players.map((player) => ({ ...player, skill: skill(player.skill) })),
  }));
  return {
    ...made,
    rules: {
      ...made.rules,
      p: pick(random, [made.rules.p, made.rules.p, 1.01, 2, 50, 200, 1000]),
      beta: isOld ? pick(random, [0, 1, 1000, 1e5]) : made.rules.beta,
    },
    tickets: small ? withSkills : inParties(random, withSkills, made.rules.teamSize),
    ...(random() < 0.5 ? { nodeBudget: 1 + Math.floor(random() ** 3 * 200) } : {}),
  };
}

/** Merges the players of these tickets into at most seven parties, with as few merges as possible. */
function inParties(random: () => number, tickets: readonly Ticket[], teamSize: number): Ticket[] {
  const players = tickets.flatMap((ticket) => ticket.players);
  const sizes: number[] = [];
  for (let left = players.length; left > 0; left -= sizes.at(-1)!) {
    const teamsLeft = left % teamSize || teamSize;
    sizes.push(sizes.length < 5 ? 1 + Math.floor(random() * teamsLeft) : teamsLeft);
  }
  let from = 0;
  return sizes.map((size, t) => {
    const { enqueuedAtMs } = tickets[t % tickets.length];
    from += size;
    return {
      ticketId: `t${String(t).padStart(3, '0')}`,
      enqueuedAtMs,
      players: players.slice(from - size, from),
    };
  });
}

function randomRoles(random: () => number, teamSize: number): Record<string, number> {
  const names = ['tank', 'healer', 'damage', 'support'];
  const roles: Record<string, number> = {};
  for (let seat = 0; seat < teamSize; seat++) {
    const name = pick(random, names.slice(0, 1 + Math.floor(random() * 4)));
    roles[name] = (roles[name] ?? 0) + 1;
  }
  return roles;
}
