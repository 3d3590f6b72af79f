import { BackfillPool, GamePool, type RunningGame } from '../../lib/engine/game-pool.ts';
import type { Constraints, GameRules, Player, Ticket } from '../../lib/engine/types.ts';
import { compileRules } from '../../lib/rules/rule-states.ts';
import type { RulesDefinition } from '../../lib/rules/rule-types.ts';
import { normal, seeded } from '../engine/random-pool.ts';

/** What filling the seats of running games took. */
export interface FilledGames {
  readonly milliseconds: number;
  readonly filled: number;
  readonly proved: number;
  readonly meanIncrement: number;
  readonly sink: number;
}

const plain: GameRules = { teamSize: 5, alpha: 1, p: 1, q: 2, beta: 0 };
const nowMs = 1_000_000;

/** The rules of the ruled row: 8 regions, each player in reach of 2 to 4; 4 maps, 1 to 3 accepted; level within 10. */
const definition: RulesDefinition = {
  attributes: { level: { type: 'number' }, maps: { type: 'strings' } },
  rules: [
    { name: 'Region', type: 'latency', max: 100 },
    { name: 'Map', type: 'common', attribute: 'maps' },
    { name: 'Level', type: 'within', attribute: 'level', max: 10 },
  ],
};

/**
 * Fills one to three seats of each of `games` running 5v5 games from `waiting` solo players, the game that is best filled
 * first, as a tick does. The running games are the best games of other players, from which one to three have left.
 */
export function fillGames(waiting: number, games: number, isRuled: boolean, seed: number): FilledGames {
  const random = seeded(seed);
  const player = (playerId: string): Player => {
    const regions = Array.from({ length: 8 }, (_, r) => `r${r}`).filter(() => random() < 0.375);
    const maps = ['a', 'b', 'c', 'd'].filter(() => random() < 0.5);
    return {
      playerId,
      skill: Math.max(0, 1500 + 300 * normal(random)),
      ...(isRuled && {
        attributes: { level: Math.floor(60 * random()), maps: maps.length === 0 ? ['a'] : maps },
        latencyMs: Object.fromEntries(
          (regions.length < 2 ? ['r0', 'r1'] : regions).map((name) => [name, 50]),
        ),
      }),
    };
  };
  const solos = (count: number, mark: string): Ticket[] =>
    Array.from({ length: count }, (_, i) => ({
      ticketId: `${mark}${i}`,
      enqueuedAtMs: 0,
      players: [player(`${mark}${i}`)],
    }));
  const constraints = isRuled
    ? () => compileRules(definition, { nowMs, seats: 10, seatsMin: 10 }, false)!()
    : () => undefined;
  const tickets = solos(waiting, 't');
  const running = gamesOf(solos(14 * games, 'g'), games, constraints(), random);
  const before = process.threadCpuUsage();
  const pool = new BackfillPool(plain, tickets, running, nowMs, {
    constraints: constraints(),
    nodeBudget: 5000,
  });
  const fillings = running.map(({ backfillId }) => pool.fill(backfillId)!).filter((one) => one !== undefined);
  fillings.sort((a, b) => a.increment - b.increment);
  let filled = 0;
  let proved = 0;
  let sum = 0;
  let sink = 0;
  const taken = new Set<string>();
  for (const first of fillings) {
    const isGone = first.ticketIds.some((ticketId) => taken.has(ticketId));
    const filling = isGone ? pool.fill(first.backfillId) : first;
    if (!filling) continue;
    filled++;
    if (filling.optimal) proved++;
    sum += filling.increment;
    sink += filling.imbalance;
    for (const ticketId of filling.ticketIds) {
      pool.remove(ticketId);
      taken.add(ticketId);
    }
  }
  const { user, system } = process.threadCpuUsage(before);
  return { milliseconds: (user + system) / 1000, filled, proved, meanIncrement: sum / filled, sink };
}

function gamesOf(
  tickets: readonly Ticket[],
  count: number,
  constraints: Constraints | undefined,
  random: () => number,
): RunningGame[] {
  const pool = new GamePool(plain, constraints ? { constraints } : {});
  const byId = new Map(tickets.map((ticket) => [ticket.ticketId, ticket]));
  for (const ticket of tickets) pool.insert(ticket);
  const running: RunningGame[] = [];
  for (const game of pool.drain(nowMs)) {
    if (running.length === count) break;
    const there = game.teams.flatMap((team, t) =>
      team.map(({ ticketId }) => ({ ...byId.get(ticketId)!.players[0], team: t })),
    );
    const missing = 1 + Math.floor(3 * random());
    for (let i = 0; i < missing; i++) there.splice(Math.floor(there.length * random()), 1);
    running.push({ backfillId: `b${running.length}`, requestedAtMs: nowMs, players: there });
  }
  return running;
}
