import { signal } from '@preact/signals';
import type { MatchView } from '../../../contract/match.ts';
import type { QueueDefinition } from '../../../contract/queue-definition.ts';
import type { QueueStats } from '../../../contract/queue-stats.ts';
import { paced, REQUESTS_PER_SECOND } from './pace.ts';
import { service } from './service.ts';
import { learnServiceTime, serviceNow } from './service-time.ts';

/** What the statistics said at one moment. */
export interface Sample {
  readonly atMs: number;
  /** Waiting tickets. */
  readonly waiting: number;
  readonly waitP50: number | null;
  readonly waitP99: number | null;
}

/** A queue as the page knows it. */
export interface LiveQueue {
  readonly definition: QueueDefinition;
  /** Undefined until the first response. */
  readonly stats: QueueStats | undefined;
  /** The latest matches that were seen, the oldest first, without gaps as far as {@link seenSinceMs} says. */
  readonly matches: readonly MatchView[];
  /** Every match since then is in `matches`; undefined while the service has returned all that it has. */
  readonly seenSinceMs: number;
  /** Since the page was opened, the oldest first. */
  readonly samples: readonly Sample[];
  /** When the statistics arrived; before the first, when the queue was listed. */
  readonly atMs: number;
  /** Why the last request for this queue failed. */
  readonly error: Error | undefined;
}

/** All queues of the service by name; undefined until the first response. */
export const liveQueues = signal<ReadonlyMap<string, LiveQueue> | undefined>(undefined);

/** The names of queues that the deployed version cannot read. */
export const unreadableQueues = signal<readonly string[]>([]);

/** An hour at one sample every two seconds. */
const SAMPLES_MAX = 1_800;
const MATCHES_MAX = 1_000;
/** The most that a request returns. */
const MATCHES_PER_REQUEST = 100;
/** Enough for the matches since the last request of most queues. */
const MATCHES_PER_UPDATE = 20;
const BEAT_MS = 2_000;
/** Requests at the same time. */
const PARALLEL = 6;
/** Definitions change rarely. */
const LIST_EVERY_MS = 20_000;

let listedAtMs = 0;

/** The pause between two updates of these many queues. */
export function beatMs(queues: number): number {
  return Math.max(paced(BEAT_MS), (1_000 * 2 * queues) / REQUESTS_PER_SECOND);
}

/** Makes the next update read the list of queues again, for example after a change of a definition. */
export function forgetList(): void {
  listedAtMs = 0;
}

/**
 * Updates queues: definitions now and then, statistics and the latest matches each time.
 *
 * @param only the queue to update; undefined for all
 */
export async function updateQueues(only: string | undefined, abort: AbortSignal): Promise<void> {
  if (liveQueues.value === undefined || Date.now() - listedAtMs > LIST_EVERY_MS) await listQueues(abort);
  const names = [...liveQueues.value!.keys()].filter((name) => only === undefined || name === only);
  const updated = await inParallel(names, (name) => updateQueue(name, abort));
  // One change for all of them, so the page is drawn once.
  const next = new Map(liveQueues.value);
  for (const queue of updated) if (next.has(queue.definition.name)) next.set(queue.definition.name, queue);
  liveQueues.value = next;
  // One queue that cannot be read hides no other.
  if (updated.length > 0 && updated.every(({ error }) => error !== undefined)) throw updated[0]!.error;
}

async function listQueues(abort: AbortSignal): Promise<void> {
  const { queues: definitions, unreadable } = await service.queuesAndUnreadable(abort);
  unreadableQueues.value = unreadable;
  listedAtMs = Date.now();
  const before = liveQueues.value;
  const known = (definition: QueueDefinition): LiveQueue => ({
    stats: undefined,
    matches: [],
    seenSinceMs: Number.POSITIVE_INFINITY,
    samples: [],
    atMs: serviceNow(),
    error: undefined,
    ...before?.get(definition.name),
    definition,
  });
  liveQueues.value = new Map(definitions.map((definition) => [definition.name, known(definition)]));
}

async function updateQueue(name: string, abort: AbortSignal): Promise<LiveQueue> {
  const queue = liveQueues.value!.get(name)!;
  try {
    const sentMs = Date.now();
    const isFirst = queue.seenSinceMs === Number.POSITIVE_INFINITY;
    const [stats, latest] = await Promise.all([
      service.stats(name, abort),
      service.matches(name, isFirst ? MATCHES_PER_REQUEST : MATCHES_PER_UPDATE, abort),
    ]);
    learnServiceTime(Date.parse(stats.at), sentMs);
    return withUpdate(queue, stats, latest, serviceNow());
  } catch (error) {
    abort.throwIfAborted();
    return { ...queue, error: error as Error };
  }
}

/**
 * A queue after a response.
 *
 * @param latest the latest matches, the newest first
 */
function withUpdate(
  queue: LiveQueue,
  stats: QueueStats,
  latest: readonly MatchView[],
  nowMs: number,
): LiveQueue {
  const ids = new Set(latest.map(({ matchId }) => matchId));
  // A match that is seen again may have changed its status since.
  const kept = queue.matches.filter(({ matchId }) => !ids.has(matchId));
  const isConnected = kept.length < queue.matches.length;
  const oldest = latest.at(-1);
  const all = [...(isConnected ? kept : []), ...latest.toReversed()].slice(-MATCHES_MAX);
  const isAll = latest.length < MATCHES_PER_UPDATE;
  const { recentMatches } = stats;
  const sample: Sample = {
    atMs: nowMs,
    waiting: stats.waiting,
    waitP50: recentMatches.waitSecondsP50,
    waitP99: recentMatches.waitSecondsP99,
  };
  return {
    definition: queue.definition,
    stats,
    matches: all,
    seenSinceMs: isAll
      ? Math.min(queue.seenSinceMs, 0)
      : isConnected
        ? Math.min(queue.seenSinceMs, Date.parse(all[0]!.createdAt))
        : Date.parse(oldest!.createdAt),
    samples: [...queue.samples, sample].slice(-SAMPLES_MAX),
    atMs: nowMs,
    error: undefined,
  };
}

async function inParallel<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await act(items[at]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, items.length) }, worker));
  return results;
}
