import type { RunningGame } from '../../lib/engine/game-pool.ts';
import type { GameRules, Player, TeamKind, Ticket } from '../../lib/engine/types.ts';
import type { RuledPlayer } from '../../lib/rules/types.ts';
import { rulesCost } from '../rules/oracle.ts';
import { constraintsOf } from '../rules/oracle-run.ts';
import { randomRuledCase, randomShapedRuledCase } from '../rules/random-rules.ts';
import type { BackfillCase } from './backfill-oracle.ts';
import { type PoolCase, randomCase, roundingCase } from './random-pool.ts';
import { shapeCase } from './random-shape.ts';

/**
 * Running games with one to three (now and then more) empty seats, filled from a random small pool of any shape, with
 * roles, parties, refused pairs, sides, teams that may be short, or rules of every type.
 */
export function backfillCase(random: () => number): BackfillCase {
  const kind = random();
  if (kind < 0.3) return ruledBackfill(random);
  const pool: PoolCase & { nodeBudget?: number } =
    kind < 0.65
      ? shapeCase(random)
      : kind < 0.8
        ? roundingCase(random)
        : randomCase(random, { maxPlayers: 8, teamSizes: [1, 2, 3] });
  const { rules, nowMs, forbids } = pool;
  const { games, tickets } = running(pool.tickets, rules, nowMs, random);
  return {
    rules,
    tickets,
    games,
    nowMs,
    forbids,
    ...(random() < 0.2 && { nodeBudget: 1 + Math.floor(20 * random()) }),
  };
}

function ruledBackfill(random: () => number): BackfillCase {
  const of = random() < 0.5 ? randomRuledCase(random) : randomShapedRuledCase(random);
  const { rules, nowMs } = of;
  const { games, tickets } = running(of.tickets, rules, nowMs, random);
  return {
    rules,
    tickets,
    games,
    nowMs,
    constraints: constraintsOf(of, 64),
    costOf: (teams, members) => rulesCost({ ...of, tickets: [] }, teams, members),
  };
}

/** The players of a game in progress are one party: they avoid no player who is there. */
function withoutGrudges(game: RunningGame): RunningGame {
  const ids = game.players.map(({ playerId }) => playerId);
  const calm = (player: RuledPlayer) => player.avoid?.filter((id) => !ids.includes(id));
  const players = game.players.map((player) => ({ ...player, avoid: calm(player) }));
  return { ...game, players };
}

/** Takes players out of the pool and puts them into one or two running games with empty seats. */
export function running(
  tickets: readonly Ticket[],
  rules: GameRules,
  nowMs: number,
  random: () => number,
): { games: RunningGame[]; tickets: Ticket[] } {
  const sizes = sizesOf(rules);
  const seats = sizes.reduce((a, b) => a + b, 0);
  const rest = [...tickets];
  const games: RunningGame[] = [];
  for (let g = 0; g < (random() < 0.3 ? 2 : 1); g++) {
    const empty = Math.min(
      seats - 1,
      random() < 0.85 ? 1 + Math.floor(3 * random()) : 1 + Math.floor(5 * random()),
    );
    const room = sizes.map((size) => size);
    for (let i = 0; i < empty; i++) {
      const open = room.flatMap((left, t) => (left > 0 ? [t] : []));
      room[open[Math.floor(open.length * random())]]--;
    }
    const wanted = room.flatMap((count, team) => new Array<number>(count).fill(team));
    const present: (Player & { team: number })[] = [];
    // Some are taken out of the pool; the others are copies of its players with new names.
    for (const team of wanted) {
      const solo = rest.findIndex(({ players }) => players.length === 1);
      if (solo >= 0 && rest.length > 4 && random() < 0.5) {
        const [{ players }] = rest.splice(solo, 1);
        const { teams: _, ...player } = players[0];
        present.push({ ...player, team });
        continue;
      }
      const from = tickets[Math.floor(tickets.length * random())];
      const own = from.players[Math.floor(from.players.length * random())];
      const { teams: _, ...player } = own;
      present.push({ ...player, playerId: `g${g}.${present.length}`, team });
    }
    if (random() < 0.1 && rest.length > 0)
      present[0] = { ...present[0], playerId: rest[0].players[0].playerId };
    games.push({
      backfillId: `b${g}`,
      requestedAtMs: nowMs - 1000 * Math.floor(20 * random()),
      players: present,
    });
  }
  return { games: games.map(withoutGrudges), tickets: rest.slice(0, 9) };
}

function sizesOf({ teamSize, teams = 2 }: GameRules): number[] {
  if (typeof teams === 'number') return new Array<number>(teams).fill(teamSize);
  return teams.flatMap(({ size, count = 1 }: TeamKind) => new Array<number>(count).fill(size));
}
