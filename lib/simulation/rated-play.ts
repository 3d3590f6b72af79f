import type { QueueDefinition } from '../contract/queue-definition.ts';
import { pSkill, skillSpread } from '../engine/game-pool.ts';
import type { Game, Ticket } from '../engine/types.ts';
import { gameRulesOf } from '../policies/queue-rules.ts';
import type { Ladder } from '../ratings/ladder.ts';
import { rawOdds } from '../ratings/odds.ts';
import { OddsMeasures } from '../ratings/odds-measures.ts';
import { Rater } from '../ratings/replay.ts';
import { ranksOf } from '../ratings/result.ts';
import { InvalidInput } from '../vocabulary/invalid-input.ts';
import type { Arrival } from './arrivals.ts';
import { Community, type Person } from './community.ts';
import type { Observer } from './observer.ts';
import { seededRandom } from './random.ts';
import { type Progress, simulate } from './simulate.ts';
import type { Traffic } from './traffic.ts';

/** How players with true skills are rated while they play. */
export interface RatedPlayOptions {
  readonly ladder: Ladder;
  /** What tickets bring: the mean of the rating, or the true skill, which no service knows. */
  readonly skills: 'rated' | 'true';
  /** How many players take turns. */
  readonly community: number;
  /** The chance that an arriving player is new, in [0, 1). */
  readonly newcomers: number;
  /** A player's first matches are among players who have played fewer than this too. 0 for none. */
  readonly placement: number;
  readonly seed: number;
}

/** The measures of matches, or of players in matches. */
export interface RatedMeasures {
  /** From this many matches of a player, to below `to`. */
  readonly from: number;
  readonly to: number;
  /** Matches, or a newcomer's places in matches. */
  readonly count: number;
  /** Of the matches, computed with the true skills; NaN without any. */
  readonly trueImbalance: number;
  /** The true chance of the strongest team to win. */
  readonly strongestWins: number;
  /** How far the means of the players' ratings were from their true skills: the root of the mean square. */
  readonly error: number;
  readonly waitSeconds: number;
}

/** What a play with ratings has measured. */
export interface RatedResult {
  readonly matches: number;
  readonly newcomers: number;
  /** By the matches that a player of the community had played on average. */
  readonly settling: readonly RatedMeasures[];
  /** Of those who joined later, by the matches that they had played. */
  readonly ofNewcomers: readonly RatedMeasures[];
  /** The log loss of the odds before the matches, and that of the true odds. */
  readonly logLoss: number;
  readonly trueLogLoss: number;
}

/** Where the periods of a player's matches begin: the first, up to the 5th, 20th, 50th, and later. */
const EDGES = [0, 1, 5, 20, 50];

/**
 * Plays a queue whose players come again and again, with true skills. Their results are drawn from these with the `beta` of the
 * ladder, which rates them. A result is known when its match is released. A generator that yields after each tick;
 * `result()` may be read at any time.
 *
 * @param traffic when tickets arrive, and how large they are; its skills are those that players are born with
 * @throws InvalidInput when the queue has a list of teams, and, while it plays, when the community is too small
 */
export function playRated(
  definition: QueueDefinition,
  traffic: Traffic,
  options: RatedPlayOptions,
): { steps: Generator<Progress, void>; result: () => RatedResult } {
  if (Array.isArray(definition.teams))
    throw new InvalidInput(
      `--ladder: Expected a queue with equal teams, ${definition.name} has a list of them`,
    );
  const play = new RatedPlay(definition, traffic, options);
  const queue = { rules: definition, observers: [play] };
  return {
    steps: simulate({
      ...queue,
      also: [queue],
      arrivals: play.arrivals(traffic.arrivals),
      atEnd: traffic.atEnd,
    }),
    result: () => play.read(),
  };
}

class RatedPlay implements Observer {
  readonly #definition: QueueDefinition;
  readonly #options: RatedPlayOptions;
  readonly #rater: Rater;
  readonly #community: Community;
  readonly #results: ReturnType<typeof seededRandom>;
  /** Those who wait. */
  readonly #people = new Map<string, Person>();
  readonly #settling = EDGES.map(() => new Sums());
  readonly #ofNewcomers = EDGES.map(() => new Sums());
  readonly #odds = new OddsMeasures();
  readonly #trueOdds = new OddsMeasures();
  #matches = 0;
  #seats = 0;
  #newcomers = 0;

  constructor(definition: QueueDefinition, { skillSample }: Traffic, options: RatedPlayOptions) {
    const random = seededRandom(options.seed).fork('community');
    const skills = random.fork('skills');
    const skill = () => skillSample[skills.integer(skillSample.length)]!;
    this.#definition = definition;
    this.#options = options;
    this.#rater = new Rater(options.ladder);
    this.#community = new Community(options.community, options.newcomers, skill, random.fork('people'));
    this.#results = random.fork('results');
  }

  /** The tickets, with players of the community in the seats of theirs; the second queue is for players in their placement. */
  *arrivals(arrivals: Iterable<Arrival>): Generator<Arrival, void> {
    for (const { ticket: seats, patienceMs } of arrivals) {
      const ticket = { ...seats, players: seats.players.map((seat) => ({ ...seat, ...this.#drawn() })) };
      yield { ticket, patienceMs, inQueues: this.#isPlaced(ticket) ? [ticket] : [undefined, ticket] };
    }
  }

  #drawn(): { playerId: string; skill: number } {
    const person = this.#community.draw();
    if (person === undefined)
      throw new InvalidInput(
        `--community: Expected more players than wait at once, got ${this.#options.community}`,
      );
    const { playerId, skill, joined, matches } = person;
    if (joined && matches === 0) this.#newcomers++;
    this.#people.set(playerId, person);
    const known = this.#options.skills === 'true' ? skill : this.#rater.ratingOf(playerId).mean;
    // No ticket has a skill below 0.
    return { playerId, skill: Math.max(0, known) };
  }

  /** Whether a player of a ticket has played the placement matches. */
  #isPlaced({ players }: Ticket): boolean {
    return players.some(({ playerId }) => this.#people.get(playerId)!.matches >= this.#options.placement);
  }

  matched(game: Game, tickets: readonly Ticket[], nowMs: number): void {
    const { beta } = this.#options.ladder;
    const teams = game.teams.map((team) => team.flatMap(({ playerId }) => this.#people.get(playerId) ?? []));
    const sums = teams.map((team) => team.reduce((sum, { skill }) => sum + skill, 0));
    const performances = sums.map((sum) => this.#results.normal(sum, beta));
    const waits = new Map(
      tickets.flatMap(({ players, enqueuedAtMs }) =>
        players.map(({ playerId }) => [playerId, (nowMs - enqueuedAtMs) / 1000] as const),
      ),
    );
    // Without any deviation the odds of ratings are those of the skills.
    const truth = rawOdds(
      this.#options.ladder,
      teams.map((team) => team.map(({ skill }) => ({ mean: skill, deviation: 0 }))),
    );
    const measured = { imbalance: trueImbalance(this.#definition, teams), strongest: Math.max(...truth) };
    const period = this.#settling[periodOf(this.#seats / this.#options.community)]!;
    period.addMatch(measured);
    for (const person of teams.flat()) {
      const error = this.#rater.ratingOf(person.playerId).mean - person.skill;
      const wait = waits.get(person.playerId)!;
      period.addPlayer(error, wait);
      if (!person.joined) continue;
      const own = this.#ofNewcomers[periodOf(person.matches)]!;
      own.addMatch(measured);
      own.addPlayer(error, wait);
    }
    const { calibrated, shares } = this.#rater.rate({
      atMs: nowMs,
      teams: teams.map((team) => team.map(({ playerId }) => ({ playerId, weight: 1 }))),
      ranks: ranksOf(performances),
    })!;
    this.#odds.add(calibrated, shares);
    this.#trueOdds.add(truth, shares);
    this.#matches++;
    this.#seats += teams.flat().length;
    for (const person of teams.flat()) {
      person.matches++;
      this.#leave(person.playerId);
    }
  }

  left({ players }: Ticket): void {
    for (const { playerId } of players) this.#leave(playerId);
  }

  #leave(playerId: string): void {
    this.#community.giveBack(this.#people.get(playerId)!);
    this.#people.delete(playerId);
  }

  read(): RatedResult {
    const periods = (sums: readonly Sums[]) =>
      sums.map((sum, at) => ({
        from: EDGES[at]!,
        to: EDGES[at + 1] ?? Number.POSITIVE_INFINITY,
        ...sum.read(),
      }));
    return {
      matches: this.#matches,
      newcomers: this.#newcomers,
      settling: periods(this.#settling),
      ofNewcomers: periods(this.#ofNewcomers),
      logLoss: this.#odds.worth.logLoss,
      trueLogLoss: this.#trueOdds.worth.logLoss,
    };
  }
}

/** Sums of what is measured in one period. */
class Sums {
  #matches = 0;
  #imbalance = 0;
  #strongest = 0;
  #players = 0;
  #squares = 0;
  #waitSeconds = 0;

  addMatch({ imbalance, strongest }: { readonly imbalance: number; readonly strongest: number }): void {
    this.#matches++;
    this.#imbalance += imbalance;
    this.#strongest += strongest;
  }

  addPlayer(error: number, waitSeconds: number): void {
    this.#players++;
    this.#squares += error ** 2;
    this.#waitSeconds += waitSeconds;
  }

  read() {
    return {
      count: this.#matches,
      trueImbalance: this.#imbalance / this.#matches,
      strongestWins: this.#strongest / this.#matches,
      error: Math.sqrt(this.#squares / this.#players),
      waitSeconds: this.#waitSeconds / this.#players,
    };
  }
}

/** The imbalance as the queue defines it, with the true skills. */
function trueImbalance(definition: QueueDefinition, teams: readonly (readonly Person[])[]): number {
  const { alpha, p, q } = gameRulesOf(definition);
  const skills = teams.map((team) => team.map(({ skill }) => skill));
  const sums = skills.map((team) => pSkill(team, p));
  return alpha * (Math.max(...sums) - Math.min(...sums)) + skillSpread(skills.flat(), q);
}

function periodOf(matches: number): number {
  return EDGES.findLastIndex((edge) => matches >= edge);
}
