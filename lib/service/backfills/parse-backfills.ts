import { fileBackfills } from '../../contract/backfill.ts';
import { type FieldProblem, invalid, parseWith } from '../../contract/problem.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { Backfill } from '../../policies/plan.ts';
import { playerProblems } from '../tickets/misfits.ts';
import { seatProblems } from './seat-problems.ts';

/**
 * Parses a file of running matches that request players. Ids must be unique, and every match must fit the queue.
 * @throws Problem (400) that names every invalid field
 */
export function parseBackfillsFile(body: unknown, definition: QueueDefinition, what: string): Backfill[] {
  const backfills = parseWith(fileBackfills, body, what);
  const seen = new Set<string>();
  const problems = backfills.flatMap(({ backfillId, players }, i) => {
    const own: FieldProblem[] = [
      ...playerProblems(players, definition),
      ...seatProblems(players, definition),
    ];
    if (seen.has(backfillId))
      own.push({ pointer: '#/backfillId', detail: `Expected each backfillId once, got ${backfillId} again` });
    seen.add(backfillId);
    return own.map((problem) => ({ ...problem, pointer: `#/${i}${problem.pointer.slice(1)}` }));
  });
  if (problems.length > 0) throw invalid(what, problems);
  return backfills.map(({ backfillId, enqueuedAt, players, region }) => ({
    backfillId,
    requestedAtMs: Date.parse(enqueuedAt),
    players,
    ...(region !== undefined && { region }),
  }));
}
