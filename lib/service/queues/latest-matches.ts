import type { MatchSummary } from '../../contract/queue-views.ts';
import { fitting } from '../domain/response-size.ts';
import { type StoredMatch, toMatchView } from '../domain/stored-match.ts';
import type { LatestMatches } from '../ports/latest-matches.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { openQueue } from './read-queues.ts';

/**
 * The latest matches of a queue, the newest first, without the tokens of their players. The list is cut to the size of a
 * response.
 * @param limit 1 to 100 @default 20
 * @throws Problem (404)
 */
export async function getLatestMatches(
  deps: { readonly queues: QueueStore; readonly latest: LatestMatches },
  queue: string,
  limit = 20,
): Promise<readonly MatchSummary[]> {
  await openQueue(deps.queues, queue);
  return fitting((await deps.latest.of(queue, limit)).map(summaryOf));
}

function summaryOf(match: StoredMatch): MatchSummary {
  const { assignment, ...view } = toMatchView(match);
  if (assignment === undefined) return view;
  const { tokens: _, ...place } = assignment;
  return { ...view, assignment: place };
}
