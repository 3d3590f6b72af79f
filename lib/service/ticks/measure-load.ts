import { type BucketLoad, loadOf } from '../domain/bucket-load.ts';
import { layoutAt } from '../domain/buckets.ts';
import { TICK_STAGES } from '../domain/timing.ts';
import type { Clock } from '../ports/clock.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import type { DueTick } from './due-tick.ts';
import type { RangeRead, TicksBefore } from './read-range.ts';
import { choosesBuckets } from './rebalance.ts';

/** Tickets that exceed what one tick reads are counted this often, for at most this long. */
const SURVEY_EVERY_MS = 10_000;
const SURVEY_MS = 2_500;

/**
 * The load of a range. Counts the tickets at intervals when they are more than a tick can read.
 * @param left the number of tickets that were read and are still waiting
 */
export async function measureLoad(
  deps: { readonly tickets: Pick<TicketStore, 'survey'>; readonly clock: Pick<Clock, 'now'> },
  { record: { definition, layouts }, range, startMs, limits }: DueTick,
  { report: before }: TicksBefore,
  { stored: read, readAtMs, isPart }: RangeRead,
  { left, durationMs }: { readonly left: number; readonly durationMs: number },
): Promise<BucketLoad> {
  const nowMs = deps.clock.now();
  const untilMs = startMs + TICK_STAGES.surveyMs;
  const isDue =
    isPart &&
    nowMs < untilMs &&
    choosesBuckets(definition) &&
    nowMs - (before?.load?.surveyedMs ?? 0) >= SURVEY_EVERY_MS;
  const hasTime = () => deps.clock.now() < Math.min(nowMs + SURVEY_MS, untilMs);
  const survey = isDue ? await deps.tickets.survey(definition.name, layouts, range, hasTime) : undefined;
  const tickMs = definition.tickSeconds * 1_000;
  const shards = layoutAt(layouts, readAtMs).shards?.count ?? 1;
  return loadOf(
    { nowMs: readAtMs, tickMs, durationMs, read, left, survey, isPart, shards },
    before?.load,
    limits,
  );
}
