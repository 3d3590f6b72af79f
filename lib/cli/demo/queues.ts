import type { Match } from '../../client/index.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { ranksOf } from '../../ratings/result.ts';
import type { RandomSource } from '../../simulation/random.ts';

const RELEASED_BY_VALUE = {
  imbalance: { alpha: 1, p: 1, q: 2 },
  beta: 5,
  release: { policy: 'option-value', waitCost: 10 },
  tickSeconds: 1,
  timeoutSeconds: 180,
} as const;

/** A queue whose matches need a game server. The demo adds it to the service that it starts, and plays the servers as well. */
export const HOSTED_QUEUE: QueueDefinition = {
  name: 'hosted',
  teamSize: 3,
  ...RELEASED_BY_VALUE,
  provisioner: { type: 'external', timeoutSeconds: 60, onFailure: 'requeue' },
};

/** A queue whose players are rated by their results. The demo adds it to the service that it starts, with its ladder. */
export const RATED_QUEUE: QueueDefinition & { readonly ladder: string } = {
  name: 'ranked',
  teamSize: 2,
  ...RELEASED_BY_VALUE,
  ladder: 'ranked',
};

/** The request that puts its ladder. */
export const PUT_LADDER = {
  method: 'PUT',
  path: `/ladders/${RATED_QUEUE.ladder}`,
  body: { name: RATED_QUEUE.ladder },
} as const;

/** How much chance is in a team's result. */
const NOISE = 175;

/**
 * The ranks of the teams of a match, drawn from the true skills of its players, which the service does not know.
 * @param skills of the players of this backend; those of others count as average
 */
export function drawnRanks(
  { teams }: Pick<Match, 'teams'>,
  skills: ReadonlyMap<string, number>,
  random: RandomSource,
): number[] {
  const performances = teams.map(({ players }) =>
    players.reduce((sum, { playerId }) => sum + (skills.get(playerId) ?? 1_500), random.normal(0, NOISE)),
  );
  return ranksOf(performances);
}
