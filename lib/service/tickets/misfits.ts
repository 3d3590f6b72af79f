import type { FieldProblem } from '../../contract/problem.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { playerFaults, type SomePlayer } from '../../rules/player-faults.ts';
import type { RuledPlayer } from '../../rules/types.ts';

/** Why a party can never play in this queue; empty when it can. */
export function misfits(players: readonly RuledPlayer[], definition: QueueDefinition): FieldProblem[] {
  const problems = clashes(players, definition);
  if (players.length > definition.teamSize) {
    problems.unshift({
      pointer: '#/players',
      detail: `Expected at most ${definition.teamSize} players (teamSize), got ${players.length}`,
    });
  }
  if (problems.length === 0 && definition.roles && !seatable(players, definition.roles)) {
    problems.push({
      pointer: '#/players',
      detail:
        'Expected a party whose players can all have a seat in one team, got roles that leave too few seats for them',
    });
  }
  return problems;
}

/** Duplicate players, roles that the queue does not have, and what its attributes and rules miss in a player. */
export function clashes(players: readonly ReadablePlayer[], definition: QueueDefinition): FieldProblem[] {
  const { name, roles: known } = definition;
  const problems: FieldProblem[] = [];
  const seen = new Set<string>();
  for (const [i, { playerId, roles }] of players.entries()) {
    if (playerId !== undefined && seen.has(playerId)) {
      problems.push({
        pointer: `#/players/${i}/playerId`,
        detail: `Expected each player once in a ticket, got ${playerId} again`,
      });
    }
    if (playerId !== undefined) seen.add(playerId);
    for (const [j, role] of (roles ?? []).entries()) {
      if (known !== undefined && Object.hasOwn(known, role)) continue;
      const theirs = known ? Object.keys(known).join(', ') : 'none: this queue has no roles';
      problems.push({
        pointer: `#/players/${i}/roles/${j}`,
        detail: `Expected a role of queue ${name} (${theirs}), got ${role}`,
      });
    }
  }
  problems.push(
    ...playerFaults(players, definition).map(({ path, message }) => ({
      pointer: `#/players/${path.join('/')}`,
      detail: message,
    })),
  );
  return problems;
}

/** The readable part of a player. */
interface ReadablePlayer extends SomePlayer {
  readonly roles?: readonly string[] | undefined;
}

/** Whether every player can have a seat in one team: bipartite matching by augmenting paths. */
function seatable(players: readonly RuledPlayer[], roles: Readonly<Record<string, number>>): boolean {
  const seats = Object.entries(roles).flatMap(([role, count]) => Array<string>(count).fill(role));
  const holders: (number | undefined)[] = seats.map(() => undefined);
  const findSeat = (player: number, tried: Set<number>): boolean =>
    seats.some((role, seat) => {
      const accepted = players[player]!.roles;
      if (tried.has(seat) || (accepted && !accepted.includes(role))) return false;
      tried.add(seat);
      const holder = holders[seat];
      if (holder !== undefined && !findSeat(holder, tried)) return false;
      holders[seat] = player;
      return true;
    });
  return players.every((_, player) => findSeat(player, new Set()));
}
