import { Problem } from '../../../lib/contract/problem.ts';
import { checkQueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { flexmatch } from '../../../lib/importers/flexmatch/flexmatch.ts';
import { ticketsOf as ticketsOfRequests } from '../../../lib/importers/flexmatch/tickets.ts';
import { type ImportOptions, imported } from '../../../lib/importers/importer.ts';
import { parseTicketsFile } from '../../../lib/service/tickets/parse-tickets.ts';
import { matchOffline } from '../../../lib/service/ticks/offline.ts';
import {
  type FlexMatch,
  type FlexRuleSet,
  type FlexTicket,
  fault,
  shareLocation,
  someMatch,
  teamNames,
} from './judge.ts';
import { NOW_SECONDS, type Random, randomTickets, requestOf } from './random-tickets.ts';

export interface Played {
  readonly matches: number;
  /** Rounds after which no match is possible among those who are left, and those that were too large to try all. */
  readonly exhausted: number;
  readonly untried: number;
}

/**
 * Plays the import of a rule set with random tickets, as `--try` does. Throws if a match breaks the original, or if those who
 * are left could still form one although the import is the same: all of their divisions into teams are tried where they are few.
 */
export function play(
  ruleSet: FlexRuleSet,
  random: Random,
  rounds: number,
  options: ImportOptions = {},
): Played {
  const { definition, source, lines } = imported(flexmatch, ruleSet, 'The rule set', options);
  const isSame = lines.every(({ outcome }) => outcome === 'same');
  const queue = checkQueueDefinition({ ...definition, timeoutSeconds: 3600 }, 'The import');
  const ticketOf = (ticket: FlexTicket) => {
    const requests = ticketsOfRequests(
      [requestOf(ticket)],
      'The tickets',
      source,
      options,
      1000 * NOW_SECONDS,
    );
    try {
      return parseTicketsFile(requests, queue, 'The tickets');
    } catch (error) {
      // A ticket that its own players exclude is refused. It stays among those of whom none may be able to match.
      if (error instanceof Problem && error.message.includes('Expected players who can play')) return [];
      throw error;
    }
  };
  let matches = 0;
  let exhausted = 0;
  let untried = 0;
  for (let round = 0; round < rounds; round++) {
    const pool = randomTickets(ruleSet, random);
    const result = matchOffline(queue, pool.flatMap(ticketOf), 1000 * NOW_SECONDS);
    const left = new Map(pool.map((ticket) => [ticket.id, ticket]));
    for (const match of result.matches) {
      matches++;
      const teams = match.teams.map(({ players }) => [
        ...new Set(players.map(({ ticketId }) => left.get(ticketId!)!)),
      ]);
      const made = new Map(teamNames(ruleSet).map((name, i) => [name, teams[i]!]));
      const why = faultOf(ruleSet, made);
      if (why !== undefined) throw new Disagreement(`${why} forbids a match`, { ruleSet, made: [...made] });
      for (const ticket of teams.flat()) left.delete(ticket.id);
    }
    const waiting = [...left.values()];
    if (!isSame || !areFew(ruleSet, waiting)) untried++;
    else {
      const missed = possibleMatch(ruleSet, waiting);
      if (missed)
        throw new Disagreement('A match is possible among those who wait', {
          ruleSet,
          missed: [...missed],
          reasons: result.waiting,
        });
      exhausted++;
    }
  }
  return { matches, exhausted, untried };
}

class Disagreement extends Error {
  constructor(what: string, facts: object) {
    super(`${what}: ${JSON.stringify(facts)}`);
  }
}

/** The import reads the rules for each player, and places a match in one region. */
export function faultOf(ruleSet: FlexRuleSet, match: FlexMatch): string | undefined {
  if (!shareLocation(ruleSet, match, NOW_SECONDS)) return 'no location that all players share';
  return fault(ruleSet, match, NOW_SECONDS, 'each');
}

/** A match of some of these tickets, or undefined. */
export function possibleMatch(ruleSet: FlexRuleSet, tickets: readonly FlexTicket[]): FlexMatch | undefined {
  return someMatch(ruleSet, tickets, NOW_SECONDS, (match) => faultOf(ruleSet, match) === undefined);
}

/** All divisions into teams, and into those who wait on. */
const DIVISIONS_MAX = 20_000;

export function areFew(ruleSet: FlexRuleSet, tickets: readonly FlexTicket[]): boolean {
  return (teamNames(ruleSet).length + 1) ** tickets.length <= DIVISIONS_MAX;
}
