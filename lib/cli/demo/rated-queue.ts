import type { MatchView } from '../../contract/match.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { RandomSource } from '../../simulation/random.ts';

/** A queue whose players are rated by their results. The demo adds it to the service that it starts, with its ladder. */
export const RATED_QUEUE: QueueDefinition & { readonly ladder: string } = {
  name: 'ranked',
  teamSize: 2,
  imbalance: { alpha: 1, p: 1, q: 2 },
  beta: 5,
  release: { policy: 'option-value', waitCost: 10 },
  tickSeconds: 1,
  timeoutSeconds: 180,
  ladder: 'ranked',
};

/** How much chance is in a team's result. */
const NOISE = 175;

/**
 * The ranks of the teams of a match, drawn from the true skills of its players, which the service does not know.
 * @param skillOf undefined for a player of another backend, who counts as an average one
 */
export function ranksOf(
  { teams }: MatchView,
  skillOf: (playerId: string) => number | undefined,
  random: RandomSource,
): number[] {
  const performances = teams.map(({ players }) =>
    players.reduce((sum, { playerId }) => sum + (skillOf(playerId) ?? 1_500), random.normal(0, NOISE)),
  );
  return performances.map((one) => 1 + performances.filter((other) => other > one).length);
}
