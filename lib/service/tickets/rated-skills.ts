import { conflict, type FieldProblem, invalid } from '../../contract/problem.ts';
import { LIMITS, type QueueDefinition } from '../../contract/queue-definition.ts';
import { id } from '../../contract/ticket.ts';
import { shown } from '../../vocabulary/expected.ts';
import type { LadderStore } from '../ports/ladder-store.ts';
import type { RatingStore } from '../ports/rating-store.ts';

export interface SkillDeps {
  readonly ladders: Pick<LadderStore, 'get'>;
  readonly ratings: Pick<RatingStore, 'of'>;
}

/**
 * The body of a posted ticket or backfill, in a queue with a ladder with the skill of each player: the mean of the player's
 * rating, or that of a new player. In other queues the body is returned unchanged, and nothing is read. The schema reports other
 * faults later.
 * @throws Problem 400 a player has a skill in the request, 409 the ladder was removed
 */
export async function withRatedSkills(
  { ladders, ratings }: SkillDeps,
  { name, ladder }: Pick<QueueDefinition, 'name' | 'ladder'>,
  body: unknown,
  what = 'The ticket',
): Promise<unknown> {
  const players = (body as { players?: unknown } | null)?.players;
  if (ladder === undefined || !Array.isArray(players)) return body;
  const problems = players.flatMap((player, i): FieldProblem[] =>
    typeof player === 'object' && player !== null && 'skill' in player
      ? [
          {
            pointer: `#/players/${i}/skill`,
            detail: `Expected no skill in queue ${name}, whose ladder ${ladder} has it, got ${shown(player.skill)}`,
          },
        ]
      : [],
  );
  if (problems.length > 0) throw invalid(what, problems);
  const idOf = (player: unknown) => id.safeParse((player as { playerId?: unknown } | null)?.playerId).data;
  const playerIds = players.slice(0, LIMITS.seatsMax).flatMap((player) => idOf(player) ?? []);
  const known = await ratings.of(ladder, playerIds);
  const isKnown = playerIds.every((playerId) => known.has(playerId));
  const initial = isKnown ? undefined : (await ladders.get(ladder))?.definition.initial;
  if (!isKnown && initial === undefined)
    throw conflict(
      'LADDER_REMOVED',
      `Queue ${name} takes no players: its ladder ${ladder} was removed. PUT /ladders/${ladder} brings it back.`,
    );
  const skillOf = (player: unknown) => {
    const { mean } = known.get(idOf(player) ?? '') ?? initial ?? { mean: 0 };
    return mean < LIMITS.skillMin ? 0 : Math.min(LIMITS.skillMax, mean);
  };
  return {
    ...(body as object),
    players: players.map((player) =>
      typeof player === 'object' && player !== null ? { ...player, skill: skillOf(player) } : player,
    ),
  };
}
