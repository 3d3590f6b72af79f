import * as z from 'zod';
import { parseWith } from '../contract/problem.ts';
import { LIMITS } from '../contract/queue-definition.ts';
import { oneOutcome, outcome } from '../contract/result.ts';
import { id } from '../contract/ticket.ts';
import type { PlayedMatch } from '../ratings/replay.ts';
import { ranksOf } from '../ratings/result.ts';
import { eachOnce } from '../vocabulary/expected.ts';
import { namedRows, numberOr, sharedCell } from './csv.ts';
import { InvalidInput } from './failure.ts';
import { linesOf, parseLine } from './input.ts';
import { readText } from './json-file.ts';

const weight = z.number().min(0).max(1);
const seat = z.union([id, z.strictObject({ playerId: id, weight: weight.optional() })]);

/** One line of a file of matches. */
const playedMatch = z
  .strictObject({
    matchId: z.string().min(1).optional(),
    at: z.iso.datetime({ offset: true }).optional(),
    teams: z.array(z.array(seat).min(1).max(LIMITS.teamSizeMax)).min(2).max(LIMITS.teamsMax),
    ...outcome,
  })
  .refine(...oneOutcome)
  .refine(
    ({ teams, ranks, scores }) => [ranks, scores].every((list) => !list || list.length === teams.length),
    'Expected as many ranks or scores as teams, got another number',
  )
  .superRefine(
    eachOnce('player of a match', ({ teams }) =>
      teams.flat().map((one) => (typeof one === 'string' ? one : one.playerId)),
    ),
  );

/**
 * The matches of a file in the order in which they are rated: by their times if all have one, else as they stand.
 * A `.csv` file has a line for each player (see {@link matchesOfCsv}), any other one a JSON object in each line.
 * @throws InvalidInput | Problem that names the line
 */
export function readMatches(path: string): PlayedMatch[] {
  const text = readText(path);
  const matches = path.toLowerCase().endsWith('.csv')
    ? matchesOfCsv(text, path)
    : linesOf(text, path).map((line) => matchOf(parseLine(playedMatch, line)));
  if (matches.length === 0) throw new InvalidInput(`${path}: Expected at least one match, got none`);
  const isTimed = matches.every(({ atMs }) => atMs !== undefined);
  return isTimed ? matches.toSorted((a, b) => a.atMs! - b.atMs!) : matches;
}

function matchOf({ at, teams, ranks, scores }: z.output<typeof playedMatch>): PlayedMatch {
  return {
    atMs: at === undefined ? undefined : Date.parse(at),
    teams: teams.map((team) =>
      team.map((one) =>
        typeof one === 'string' ? { playerId: one, weight: 1 } : { ...one, weight: one.weight ?? 1 },
      ),
    ),
    ranks: scores === undefined ? ranks : ranksOf(scores),
  };
}

const COLUMNS = { required: ['matchId', 'team', 'playerId', 'rank'], optional: ['at', 'weight'] };

/**
 * The matches of a CSV file. A line is a player of a match, and lines with the same `matchId` are a match. The first line
 * names the columns, in any order:
 *
 *     matchId, playerId
 *     team       any text: players with the same are a team
 *     rank       of the team, the same in all of its lines; empty when the match is void
 *     at         when the match ended, ISO 8601 with an offset, the same in all of its lines
 *     weight     the part of the match that the player was there for, 0 to 1
 *
 * @throws InvalidInput | Problem that names the line or the match
 */
function matchesOfCsv(text: string, path: string): PlayedMatch[] {
  const rows = namedRows(text, path, COLUMNS);
  return [...Map.groupBy(rows, ({ cells }) => cells.matchId!)].map(([matchId, seats]) => {
    const teams = [...Map.groupBy(seats, ({ cells }) => cells.team!).values()];
    const expectedOne = `${path}: match ${matchId}: Expected one`;
    const at = sharedCell(seats, 'at', `${expectedOne} time`);
    const ranks = teams.map(
      (team) => sharedCell(team, 'rank', `${expectedOne} rank for team ${team[0]!.cells.team}`)!,
    );
    const isVoid = ranks.every((rank) => rank === '');
    const value = {
      matchId,
      ...(at && { at }),
      teams: teams.map((team) =>
        team.map(({ cells: { playerId, weight: cell } }) =>
          cell ? { playerId, weight: numberOr(cell) } : playerId,
        ),
      ),
      ...(isVoid ? { void: true } : { ranks: ranks.map(numberOr) }),
    };
    return matchOf(parseWith(playedMatch, value, `${path}: match ${matchId}`));
  });
}
