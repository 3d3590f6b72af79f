import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { RateProfile } from '../../lib/simulation/arrivals.ts';
import type { Population } from '../../lib/simulation/population.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { generatedTraffic, type Traffic } from '../../lib/simulation/traffic.ts';

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

/** A queue and the players who arrive at it. */
export interface Scenario {
  readonly title: string;
  /** Its release policy is the baseline for the others. */
  readonly definition: QueueDefinition;
  readonly population: Population;
  readonly rate: RateProfile;
}

/** Standard deviation of the skills of most scenarios; tolerances are tried in parts of it. */
export const SKILL_DEVIATION = STANDARD_SKILLS.standardDeviation;

export const SCENARIOS: readonly Scenario[] = [
  steady('1v1', 1, DUEL),
  steady('5v5', 1, ARENA),
  steady('5v5', 5, ARENA),
  steady('5v5', 50, ARENA),
  steady('5v5 with parties', 5, ARENA, PARTIES),
  steady('5v5 with roles', 5, RAID, ROLE_PLAYERS),
  {
    title: '5v5, a day from 0.2 at night to 5 players per second',
    definition: ARENA,
    population: SOLO_PLAYERS,
    rate: { kind: 'day', night: 0.2, peak: 5 },
  },
  steady('5v5, a top-heavy tail', 5, ARENA, { skills: { kind: 'sample', skills: topHeavy() } }),
];

/** The same seed gives the same players; a smaller number gives the first of them. */
export function trafficOf({ population, rate }: Scenario, players: number, seed: number): Traffic {
  return generatedTraffic({ population, rate, players }, seed);
}

function steady(
  who: string,
  perSecond: number,
  definition: QueueDefinition,
  population: Population = SOLO_PLAYERS,
): Scenario {
  const title = `${who}, ${perSecond} player${perSecond === 1 ? '' : 's'} per second`;
  return { title, definition, population, rate: { kind: 'constant', perSecond } };
}

/** Most skills are near the middle, with a slowly decreasing tail of strong players. */
function topHeavy(): number[] {
  const random = seededRandom(1);
  return Array.from({ length: 20_000 }, (_, at) =>
    at % 10 === 0 ? 1800 + random.exponential(1 / 500) : Math.max(0, random.normal(1400, 250)),
  );
}
