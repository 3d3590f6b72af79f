import type { QueueDefinition } from '../contract/queue-definition.ts';
import type { Population } from '../simulation/population.ts';

/** The mean and the standard deviation of the skills of the players below. */
export const STANDARD_SKILLS = { kind: 'normal', mean: 1500, standardDeviation: 350 } as const;

/** 5v5 with the policy `option-value` and a `waitCost` of 1, the queue of most measurements in the docs. */
export const ARENA: QueueDefinition = {
  name: 'arena',
  teamSize: 5,
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'option-value', waitCost: 1 },
  tickSeconds: 1,
  timeoutSeconds: 1800,
};
export const DUEL: QueueDefinition = { ...ARENA, name: 'duel', teamSize: 1 };
export const RAID: QueueDefinition = { ...ARENA, name: 'raid', roles: { tank: 1, healer: 1, damage: 3 } };

export const SOLO_PLAYERS: Population = { skills: STANDARD_SKILLS };
/** Of 100 tickets 75 have one player, 15 two, 5 three, 2 four and 3 five. */
export const PARTIES: Population = { skills: STANDARD_SKILLS, partyWeights: [75, 15, 5, 2, 3] };
/** Players of {@link RAID}. Each other role is accepted by 30% of them. */
export const ROLE_PLAYERS: Population = {
  skills: STANDARD_SKILLS,
  roleWeights: { tank: 20, healer: 25, damage: 55 },
  roleFlexibility: 0.3,
};
