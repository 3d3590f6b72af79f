import type { FieldProblem } from '../../contract/problem.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { teamKindsOf } from '../../contract/team-kinds.ts';

/** A transaction stores the newcomers and their match, and has at most 100 writes. */
const OPEN_SEATS_MAX = 90;

/** The faults of a roster: an unknown team, more players than a team has seats, no empty seat, or too many empty seats. */
export function seatProblems(
  players: readonly { team: number }[],
  definition: QueueDefinition,
): FieldProblem[] {
  const sizes = teamKindsOf(definition).flatMap(({ size, count }) => new Array<number>(count).fill(size));
  const problems = players.flatMap(({ team }, i): FieldProblem[] =>
    team < sizes.length
      ? []
      : [
          {
            pointer: `#/players/${i}/team`,
            detail: `Expected the index of a team, 0 to ${sizes.length - 1}, got ${team}`,
          },
        ],
  );
  if (problems.length > 0) return problems;
  for (const [team, size] of sizes.entries()) {
    const there = players.filter((player) => player.team === team).length;
    if (there > size)
      problems.push({
        pointer: '#/players',
        detail: `Expected at most ${size} players in team ${team}, got ${there}`,
      });
  }
  if (problems.length > 0) return problems;
  const open = sizes.reduce((sum, size) => sum + size, 0) - players.length;
  if (open >= 1 && open <= OPEN_SEATS_MAX) return [];
  const detail = `Expected 1 to ${OPEN_SEATS_MAX} empty seats beside these players, got ${open}`;
  return [{ pointer: '#/players', detail }];
}
