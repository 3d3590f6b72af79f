import { GamePool } from 'muster/engine';
import type { RandomSource } from 'muster/simulation';
import { type Meetings, noMeetings } from '../../../../lib/rules/met.ts';
import { compileRules } from '../../../../lib/rules/rule-states.ts';
import type { RulesDefinition } from '../../../../lib/rules/rule-types.ts';
import type { RuledPlayer } from '../../../../lib/rules/types.ts';
import { imbalanceOf, leastOverGames, type Parameters } from './brute-force.ts';

/**
 * Section 8.3, several skills: the imbalance of the first, plus WITHIN times the range of the second in the game, plus
 * BETWEEN times the difference of the teams' means of the third.
 *
 * @returns the engine's best game under rules with these costs, and that of an exhaustive search
 */
export function bestWithSeveralSkills(
  parameters: Parameters,
  skills: readonly number[],
  random: RandomSource,
): [found: number | undefined, best: number] {
  const players = skills.map((skill) => [skill, random.normal(50, 10), random.normal(50, 10)] as const);
  const definition: RulesDefinition = {
    attributes: { aim: { type: 'number' }, tactics: { type: 'number' } },
    rules: [
      { name: 'Aim', type: 'within', attribute: 'aim', cost: WITHIN },
      { name: 'Tactics', type: 'balance', attribute: 'tactics', cost: BETWEEN },
    ],
  };
  const found = bestUnderRules(
    parameters,
    definition,
    players.map(([skill, aim, tactics], at) => ({
      playerId: `${at}`,
      skill,
      attributes: { aim, tactics },
    })),
  );
  const best = leastOverGames(players, parameters.k, (x, y) => {
    const column = (team: typeof x, of: 0 | 1 | 2) => team.map((player) => player[of]);
    const aims = [...column(x, 1), ...column(y, 1)];
    const mean = (team: typeof x) => column(team, 2).reduce((sum, value) => sum + value, 0) / team.length;
    return (
      imbalanceOf(column(x, 0), column(y, 0), parameters) +
      WITHIN * (Math.max(...aims) - Math.min(...aims)) +
      BETWEEN * Math.abs(mean(x) - mean(y))
    );
  });
  return [found, best];
}

/** Points of the first skill for a point of the second and of the third. */
const WITHIN = 4;
const BETWEEN = 7;

/**
 * Section 8.3, players who may not be matched together on a team again: a third of all pairs were team-mates. They may
 * play against each other.
 */
export function bestWithoutRematches(
  parameters: Parameters,
  skills: readonly number[],
  random: RandomSource,
): [found: number | undefined, best: number] {
  const players = skills.map((skill, at) => ({ playerId: `${at}`, skill }));
  const mates = new Map(players.map(({ playerId }) => [playerId, new Map<string, number>()]));
  for (const a of players) {
    for (const b of players) {
      if (a.playerId >= b.playerId || random.uniform() >= 1 / 3) continue;
      mates.get(a.playerId)!.set(b.playerId, 0);
      mates.get(b.playerId)!.set(a.playerId, 0);
    }
  }
  const definition: RulesDefinition = {
    rules: [{ name: 'New team-mates', type: 'recent', seconds: 3600, scope: 'teammates' }],
  };
  const found = bestUnderRules(parameters, definition, players, { of: (playerId) => mates.get(playerId) });
  const isFresh = (team: typeof players) =>
    team.every((a) => team.every((b) => !mates.get(a.playerId)!.has(b.playerId)));
  const best = leastOverGames(players, parameters.k, (x, y) =>
    isFresh([...x]) && isFresh([...y])
      ? imbalanceOf(
          x.map(({ skill }) => skill),
          y.map(({ skill }) => skill),
          parameters,
        )
      : Number.POSITIVE_INFINITY,
  );
  return [found, best];
}

function bestUnderRules(
  { k, alpha, p, q }: Parameters,
  definition: RulesDefinition,
  players: readonly RuledPlayer[],
  meetings: Meetings = noMeetings,
): number | undefined {
  const constraints = compileRules(definition, { nowMs: 0, seats: 2 * k, seatsMin: 2 * k, meetings }, false);
  const pool = new GamePool(
    { teamSize: k, alpha, p, q, beta: 0 },
    constraints && { constraints: constraints() },
  );
  for (const player of players)
    pool.insert({ ticketId: player.playerId, enqueuedAtMs: 0, players: [player] });
  return pool.best(0)?.imbalance;
}
