import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { QueueStats } from '../../contract/queue-stats.ts';
import type { ChoiceAdvice } from '../../policies/choices/advise-choices.ts';
import { type TickMemory, together } from '../../policies/memory.ts';
import { relaxableRules } from '../../rules/relaxed-rules.ts';
import type { Rule } from '../../rules/rule-types.ts';
import { type BucketLayout, rangeName, rangesOf, tickRanges } from '../domain/buckets.ts';
import {
  type Counted,
  FAULTS,
  type FailingStep,
  failingStep,
  type Step,
  stepShare,
} from '../domain/match-outcomes.ts';
import { type MatchTally, mergedTallies } from '../domain/match-tally.ts';
import { type Counts, countedSinceMs, type MinuteCounts, recentCounts } from '../domain/minute-counts.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import { definitionAt } from '../domain/running-experiment.ts';
import { whyOf } from '../domain/set-aside.ts';
import type { TickCount, TickReport } from '../domain/tick-report.ts';
import type { OutcomeStore } from '../ports/outcome-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { RangeStore } from '../ports/range-store.ts';
import { AHEAD_MS } from '../waking/schedule.ts';
import { choiceAdvice } from './choice-advice.ts';
import { experimentSummary } from './experiment-results.ts';
import { quantile } from './quantile.ts';
import { openQueue } from './read-queues.ts';
import { type WebhookHealthDeps, webhookHealth } from './webhook-health.ts';

export interface StatsDeps extends WebhookHealthDeps {
  readonly queues: QueueStore;
  readonly ranges: RangeStore;
  readonly outcomes: OutcomeStore;
  /** The maximum share of matches that may fail at a step, above 0 to 1. */
  readonly failedShareMax: number;
}

/**
 * The statistics of a queue, from the reports of its last ticks and what `publish` has counted. The pool itself is not read.
 * @throws Problem (404)
 */
export async function getStats(deps: StatsDeps, queue: string, nowMs: number): Promise<QueueStats> {
  const record = await openQueue(deps.queues, queue);
  const [reports, outcomes, webhooks] = await Promise.all([
    deps.ranges.reports(queue, [...new Set(record.layouts.flatMap(rangesOf))]),
    deps.outcomes.recent(queue, nowMs),
    webhookHealth(deps, record.definition, nowMs),
  ]);
  const waiting = waitingCount(record.layouts, reports);
  const all = [...reports.values()];
  const recent = all.flatMap((report) => report.recent);
  const waits = recent.flatMap(({ waitsMs }) => waitsMs).sort((a, b) => a - b);
  const lastSlotMs = Math.max(0, ...all.map(({ slotMs }) => slotMs));
  const last = all.filter(({ slotMs }) => slotMs === lastSlotMs);
  const oldestMs = Math.max(0, ...last.map(({ oldestWaitMs }) => oldestWaitMs));
  const linked = last.reduce((sum, report) => sum + (report.linked ?? 0), 0);
  const counted = recentCounts(
    all.flatMap((report) => report.counted ?? []),
    nowMs,
  );
  const arriving = arrivingOf(record.layouts, reports);
  const experiment = experimentSummary(record, nowMs);
  // During an experiment, rules and choices are those of the variant in force.
  const definition = definitionAt(record, nowMs);
  const choices = choiceAdvice(definition, together(memoriesOf(arriving)));
  return {
    queue,
    at: new Date(nowMs).toISOString(),
    arrivals: arrivalsView(record, arriving, nowMs),
    waiting: waiting?.tickets ?? 0,
    waitingAt: waiting === undefined ? null : new Date(waiting.slotMs).toISOString(),
    ...(linked > 0 && { linked }),
    oldestWaitSeconds: oldestMs > 0 ? oldestMs / 1_000 : null,
    lastTickAt: all.length > 0 ? new Date(lastSlotMs).toISOString() : null,
    tickOverdueSeconds: tickOverdueMs(record, lastSlotMs, nowMs) / 1_000,
    tickMilliseconds: all.length > 0 ? Math.max(...last.map(({ durationMs }) => durationMs)) : null,
    recentMatches: {
      count: recent.length,
      imbalanceMean:
        recent.length > 0 ? recent.reduce((sum, { imbalance }) => sum + imbalance, 0) / recent.length : null,
      waitSecondsP50: quantileSeconds(waits, 0.5),
      waitSecondsP99: quantileSeconds(waits, 0.99),
    },
    recentEnds: endsView(counted),
    outcomes: outcomesView(record.definition, counted, outcomes, deps.failedShareMax, nowMs),
    ...faultsView(outcomes, nowMs),
    searchesCut: counted.cut ?? 0,
    ...(webhooks.length > 0 && { webhooks }),
    ...(experiment && { experiment }),
    ...setAsideView(record, reports),
    ...failingFunctionsView(all, nowMs),
    ...presenceView(record, nowMs),
    ...(record.definition.backfill && { backfills: backfillsView(all, last) }),
    ...(choices.length > 0 && { choices: choices.map(choiceView) }),
    ...rulesView(definition, mergedTallies(all.flatMap(({ tally }) => tally ?? []))),
  };
}

/**
 * The reports of the ticks of one slot that have counted the arrivals of the whole queue. The ticks of even and odd slots count
 * the same players in different ranges, so only the later slot counts.
 */
function arrivingOf(layouts: readonly BucketLayout[], reports: ReadonlyMap<string, TickReport>) {
  const layout = layouts.at(-1)!;
  const [even, odd] = [false, true].map((isOdd) =>
    tickRanges(layout, isOdd).flatMap((range) => reports.get(rangeName(range)) ?? []),
  );
  const newest = (some: readonly TickReport[]) => Math.max(0, ...some.map(({ slotMs }) => slotMs));
  return newest(odd) > newest(even) ? odd : even;
}

function memoriesOf(reports: readonly TickReport[]): TickMemory[] {
  return reports.flatMap(({ memory }) => (memory === undefined || memory.seen === 0 ? [] : memory));
}

/**
 * The rate of arrivals, and the time since the last one. Ticks measure both. In a queue whose ticks have stopped, because no
 * ticket waits, no player has arrived since.
 */
function arrivalsView(
  { awakeUntilMs }: QueueRecord,
  arriving: readonly TickReport[],
  nowMs: number,
): QueueStats['arrivals'] {
  const memories = memoriesOf(arriving);
  if (memories.length === 0) return null;
  const tickedAtMs = Math.max(...memories.map((memory) => memory.tickedAtMs));
  const newestSeenMs = Math.max(...memories.map((memory) => memory.newestSeenMs));
  return {
    playersPerSecond: arriving.reduce((sum, { arrivalRate = 0 }) => sum + arrivalRate, 0),
    silentSeconds: Math.max(0, (nowMs > awakeUntilMs ? nowMs : tickedAtMs) - newestSeenMs) / 1_000,
  };
}

/**
 * How long ticks are overdue. They are due up to the slot until which the queue is awake. In an idle queue they are due from its
 * wake on.
 */
function tickOverdueMs({ awakeUntilMs }: QueueRecord, lastSlotMs: number, nowMs: number): number {
  return Math.max(0, Math.min(nowMs, awakeUntilMs) - Math.max(lastSlotMs, awakeUntilMs - AHEAD_MS));
}

function endsView({ matched = 0, timedOut = 0 }: Counts<TickCount>): QueueStats['recentEnds'] {
  const tickets = matched + timedOut;
  return { tickets, timedOutShare: tickets > 0 ? timedOut / tickets : null };
}

/** The outcomes from the tickets that left the pool to the games that began. */
function outcomesView(
  definition: QueueDefinition,
  { found = 0, matched = 0, timedOut = 0 }: Counts<TickCount>,
  minutes: readonly MinuteCounts<Counted>[],
  failedShareMax: number,
  nowMs: number,
): QueueStats['outcomes'] {
  const counts = recentCounts(minutes, nowMs);
  const { accepted = 0, declined = 0, notAccepted = 0, placed = 0, requeued = 0, ended = 0 } = counts;
  const { placementRefused = 0, placementTimedOut = 0, cancelled = 0, returned = 0 } = counts;
  const { cooledForDecline = 0, cooledForLeave = 0, vanished = 0, elsewhere = 0 } = counts;
  const shareOf = (step: Step) => {
    const { failedShare } = stepShare(counts, step);
    return { failedShare: failedShare ?? null };
  };
  const failing = failingStep(minutes, failedShareMax, nowMs);
  const isPlaced = (definition.provisioner?.type ?? 'none') !== 'none' || placed > 0;
  return {
    since: new Date(countedSinceMs(nowMs)).toISOString(),
    tickets: {
      matched,
      timedOut,
      cancelled,
      ...(definition.presence && { vanished }),
      ...(definition.group !== undefined && { elsewhere }),
      returned,
    },
    matches: { found, requeued, ended },
    ...(definition.acceptance && {
      acceptance: { accepted, declined, notAccepted, ...shareOf('acceptance') },
    }),
    ...(isPlaced && {
      placement: {
        placed,
        refused: placementRefused,
        timedOut: placementTimedOut,
        ...shareOf('placement'),
      },
    }),
    ...(definition.cooldown && { cooldowns: { declined: cooledForDecline, left: cooledForLeave } }),
    ...(failing && { failing: failingView(failing) }),
  };
}

/** A fault stays in the statistics for this many minutes after it was counted last. */
const FAULT_MINUTES = 2;

/** Recent faults of Muster itself in its work for the queue; usually none. */
function faultsView(minutes: readonly MinuteCounts<Counted>[], nowMs: number): Pick<QueueStats, 'faults'> {
  const counts = recentCounts(minutes, nowMs, FAULT_MINUTES);
  if (FAULTS.every((name) => counts[name] === undefined)) return {};
  const { notPublished = 0, notDispatched = 0 } = counts;
  return { faults: { notPublished, notDispatched, minutes: FAULT_MINUTES } };
}

function failingView({ step, failed, decided, minutes }: FailingStep) {
  return { step, failed, decided, minutes };
}

function presenceView(
  { presenceHeldUntilMs = 0 }: QueueRecord,
  nowMs: number,
): Pick<QueueStats, 'presenceHeldUntil'> {
  if (presenceHeldUntilMs <= nowMs) return {};
  return { presenceHeldUntil: new Date(presenceHeldUntilMs).toISOString() };
}

/** The set-aside range with the most failures in the newest layout, if any. */
function setAsideView(
  { definition: { tickSeconds }, layouts, change }: QueueRecord,
  reports: ReadonlyMap<string, TickReport>,
): Pick<QueueStats, 'setAside'> {
  const found = rangesOf(layouts.at(-1)!).flatMap((range) => reports.get(range)?.setAside ?? []);
  const changedMs = change?.at === undefined ? 0 : Date.parse(change.at);
  const [worst] = found
    .filter(({ failed }) => failed.atMs >= changedMs)
    .sort((a, b) => b.failed.count - a.failed.count);
  if (worst === undefined) return {};
  const { failed, untilMs } = worst;
  const retryMs = Math.ceil(untilMs / (1_000 * tickSeconds)) * 1_000 * tickSeconds;
  return {
    setAside: {
      failedTicks: failed.count,
      lastFailureAt: new Date(failed.atMs).toISOString(),
      retryAt: new Date(retryMs).toISOString(),
      reason: whyOf(worst),
    },
  };
}

/** How long the failures of functions are reported. Milliseconds. */
const FAILING_MS = 60_000;

/** The functions of custom rules that have failed, each once, with the calls of one range. */
function failingFunctionsView(
  all: readonly TickReport[],
  nowMs: number,
): Pick<QueueStats, 'failingFunctions'> {
  const failing = all.flatMap(({ failing }) =>
    failing !== undefined && nowMs - failing.slotMs <= FAILING_MS ? failing.failures : [],
  );
  const once = new Map(failing.map((one) => [`${one.rule}\n${one.function}`, one]));
  return once.size > 0 ? { failingFunctions: [...once.values()] } : {};
}

/** @param last the reports of the last slot: the ranges of even and odd slots contain the same backfills */
function backfillsView(all: readonly TickReport[], last: readonly TickReport[]): QueueStats['backfills'] {
  const open = last.flatMap(({ backfills }) => backfills ?? []);
  const filled = all.flatMap(({ backfills }) => backfills?.filled ?? []);
  const waits = filled.map(({ waitMs }) => waitMs).sort((a, b) => a - b);
  const oldestMs = Math.max(0, ...open.map(({ oldestWaitMs }) => oldestWaitMs));
  return {
    open: open.reduce((sum, one) => sum + one.open, 0),
    oldestWaitSeconds: open.some((one) => one.open > 0) ? oldestMs / 1_000 : null,
    filled: {
      count: filled.length,
      players: filled.reduce((sum, { players }) => sum + players, 0),
      secondsToFillP50: quantileSeconds(waits, 0.5),
      secondsToFillP90: quantileSeconds(waits, 0.9),
      secondsToFillMax: quantileSeconds(waits, 1),
    },
  };
}

/** The matches of the last hour by region and rule; nothing for a queue without rules. */
function rulesView(
  definition: QueueDefinition,
  tally: MatchTally | undefined,
): Pick<QueueStats, 'regions' | 'rules'> {
  const rules: readonly Rule[] = definition.rules ?? [];
  if (rules.length === 0) return {};
  const { matches = 0, regions = {} } = tally ?? {};
  const relaxable = relaxableRules({ rules });
  const perMatch = (sum: number) => (matches > 0 ? sum / matches : null);
  const ruleViews = rules.map((rule): [string, RuleView] => {
    const { relaxed = 0, cost = 0 } = tally?.rules[rule.name] ?? {};
    return [
      rule.name,
      {
        ...(relaxable.includes(rule) && { relaxedShare: perMatch(relaxed) }),
        ...(rule.cost !== undefined && { costMean: perMatch(cost) }),
      },
    ];
  });
  const regionViews = Object.entries(regions).map(([name, region]): [string, RegionView] => [
    name,
    { share: region.matches / matches, waitSecondsMean: region.waitSeconds / region.tickets },
  ]);
  return {
    ...(rules.some(({ type }) => type === 'latency') && { regions: Object.fromEntries(regionViews) }),
    rules: Object.fromEntries(ruleViews),
  };
}

type RuleView = NonNullable<QueueStats['rules']>[string];
type RegionView = NonNullable<QueueStats['regions']>[string];

function choiceView({ of, players, advice }: ChoiceAdvice): NonNullable<QueueStats['choices']>[number] {
  return {
    of,
    players: Math.round(players),
    isBounded: advice?.stable ?? null,
    overchosen: [...(advice?.overchosen ?? [])],
    ...(advice?.regions && { regions: [...advice.regions] }),
    choiceFreeNeeded: advice?.choiceFreeNeeded ?? 0,
    choiceFreeShare: advice?.choiceFreeShare ?? 0,
    warning: advice?.stable === false ? advice.message : null,
  };
}

function quantileSeconds(sortedMs: readonly number[], share: number): number | null {
  const ms = quantile(sortedMs, share);
  return ms === undefined ? null : ms / 1_000;
}

/** The number of tickets that were waiting after a queue's last ticks. */
export interface WaitingCount {
  readonly tickets: number;
  /** The slot of the oldest report counted, milliseconds since the epoch. */
  readonly slotMs: number;
}

/**
 * Counts waiting tickets from the reports of ticks. The ranges of one layout at even slots contain every ticket once, and so do
 * those at odd slots. Of these sets, the one whose oldest report is the newest is counted. So a slot whose ticks are still
 * running is never counted if there is another.
 * @returns undefined without reports
 */
export function waitingCount(
  layouts: readonly BucketLayout[],
  reports: ReadonlyMap<string, TickReport>,
): WaitingCount | undefined {
  const sets = layouts
    .flatMap((layout) => [tickRanges(layout, false), tickRanges(layout, true)])
    .map((ranges) => {
      const found = ranges.flatMap((range) => reports.get(rangeName(range)) ?? []);
      return { found, isComplete: found.length === ranges.length, slotMs: oldestSlotMs(found) };
    })
    .filter(({ found }) => found.length > 0)
    .sort((a, b) => Number(b.isComplete) - Number(a.isComplete) || b.slotMs - a.slotMs);
  const [best] = sets;
  return best && { tickets: best.found.reduce((sum, { waiting }) => sum + waiting, 0), slotMs: best.slotMs };
}

function oldestSlotMs(reports: readonly TickReport[]): number {
  return reports.reduce((oldest, { slotMs }) => Math.min(oldest, slotMs), Number.POSITIVE_INFINITY);
}
