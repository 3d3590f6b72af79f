import type { Player } from '../engine/types.ts';
import type { RuledPlayer } from '../rules/types.ts';
import { drawFacts, type FactsPopulation } from './player-facts.ts';
import { drawIndex, type RandomSource } from './random.ts';

/** The distribution of players' skills. Values below 0 are drawn again. */
export type SkillDistribution =
  | { readonly kind: 'normal'; readonly mean: number; readonly standardDeviation: number }
  | { readonly kind: 'uniform'; readonly min: number; readonly max: number }
  /** Each draw is one of these. */
  | { readonly kind: 'sample'; readonly skills: readonly number[] };

/** A kind of team that tickets choose. */
export interface Side {
  /** Undefined for tickets that accept any team. */
  readonly name: string | undefined;
  /** The size of such a team: larger parties do not choose it. */
  readonly partyMax: number;
  readonly weight: number;
}

/** Which players arrive. */
export interface Population extends FactsPopulation {
  readonly skills: SkillDistribution;
  /** Weights of party sizes 1, 2, …, by tickets, not by players. @default [1], solos only */
  readonly partyWeights?: readonly number[] | undefined;
  /** How much skills within a party differ: 0 all equal to the first, 1 as among strangers. @default 0.5 */
  readonly partySpread?: number | undefined;
  /** Weights of the role a player prefers, by role. @default players name no roles */
  readonly roleWeights?: Readonly<Record<string, number>> | undefined;
  /** The chance that a player accepts each other role too, in [0, 1]. @default 0.2 */
  readonly roleFlexibility?: number | undefined;
  /**
   * Seats of a team by role. The players of a party share them out before they queue: each prefers a role that still
   * has a seat, so that the party fits into a team. @default every player prefers by weight alone
   */
  readonly seats?: Readonly<Record<string, number>> | undefined;
  /** How many of the last hundred players before them a player avoids, on average; 0 to 50. @default 0 */
  readonly avoided?: number | undefined;
  /** The teams that tickets choose, by weight. @default all tickets accept any team */
  readonly sides?: readonly Side[] | undefined;
}

/** The mean number of players in a ticket of this population. */
export function meanPartySize({ partyWeights = [1] }: Population): number {
  let total = 0;
  let players = 0;
  partyWeights.forEach((weight, at) => {
    total += weight;
    players += weight * (at + 1);
  });
  return players / total;
}

export function drawSkill(skills: SkillDistribution, random: RandomSource): number {
  switch (skills.kind) {
    case 'normal': {
      let skill = -1;
      while (skill < 0) skill = random.normal(skills.mean, skills.standardDeviation);
      return skill;
    }
    case 'uniform':
      return skills.min + (skills.max - skills.min) * random.uniform();
    case 'sample':
      return skills.skills[random.integer(skills.skills.length)];
  }
}

/** The players of one party. */
export function drawParty(population: Population, party: string, random: RandomSource): Player[] {
  const {
    skills,
    partyWeights = [1],
    partySpread = 0.5,
    roleWeights,
    roleFlexibility = 0.2,
    seats,
    sides,
  } = population;
  const free = seats && { ...seats };
  const size = 1 + (partyWeights.length === 1 ? 0 : drawIndex(partyWeights, random));
  const first = drawSkill(skills, random);
  const side = sides && drawSide(sides, size, random);
  const teams = side === undefined ? {} : { teams: [side] };
  const allFacts = drawFacts(population, size, partySpread, random);
  return Array.from({ length: size }, (_, member) => {
    const skill = member === 0 ? first : (1 - partySpread) * first + partySpread * drawSkill(skills, random);
    const playerId = size === 1 ? `p${party}` : `p${party}.${member}`;
    const facts = allFacts[member];
    if (roleWeights === undefined) return { playerId, skill, ...teams, ...facts };
    const preferred = drawRole(roleWeights, free, random);
    if (free !== undefined) free[preferred]--;
    const names = Object.keys(free ?? roleWeights);
    return {
      playerId,
      skill,
      roles: names.filter((role) => role === preferred || random.uniform() < roleFlexibility),
      ...teams,
      ...facts,
    };
  });
}

/** A party as its players are in another queue: the same players with the same skills, latencies and avoided players. */
export function partyIn(
  population: Population,
  party: readonly RuledPlayer[],
  random: RandomSource,
): Player[] {
  const partyWeights = party.map((_, at) => (at === party.length - 1 ? 1 : 0));
  return drawParty({ ...population, partyWeights }, '', random).map((player, member) => {
    const { playerId, skill, avoid, latencyMs } = party[member]!;
    return { ...player, playerId, skill, ...(avoid && { avoid }), ...(latencyMs && { latencyMs }) };
  });
}

/** A side by weight among those with room for the party; any side when none has. */
function drawSide(sides: readonly Side[], size: number, random: RandomSource): string | undefined {
  const weights = sides.map(({ partyMax, weight }) => (size <= partyMax ? weight : 0));
  if (!weights.some((weight) => weight > 0)) return undefined;
  return sides[drawIndex(weights, random)].name;
}

/** A role by weight among those that have a seat left; if those have no weight, by their seats. */
function drawRole(
  weights: Readonly<Record<string, number>>,
  free: Readonly<Record<string, number>> | undefined,
  random: RandomSource,
): string {
  const names = Object.keys(free ?? weights);
  const liked = names.map((role) => (free === undefined || free[role] > 0 ? (weights[role] ?? 0) : 0));
  const chosen = liked.some((weight) => weight > 0) ? liked : names.map((role) => free?.[role] ?? 0);
  return names[drawIndex(chosen, random)];
}
