import type { DeadLetters } from '../../../contract/dead-letters.ts';
import type { QueueDefinition } from '../../../contract/queue-definition.ts';
import type { QueueStats, WebhookHealth } from '../../../contract/queue-stats.ts';
import { failsOften, isFailing } from '../../../contract/webhook-failing.ts';
import { clockText, countText, numberText, secondsText, shareText } from '../format.ts';

/** Something about a queue that its operator should know. */
export interface Trouble {
  /** `bad`: players are not matched. `warning`: it may become so. */
  readonly level: 'bad' | 'warning';
  /** A sentence. */
  readonly text: string;
}

/** Ticks are missing after this many intervals, and after this time at least, because a busy tick may be late. */
const INTERVALS_WITHOUT_TICK = 5;
const SECONDS_WITHOUT_TICK = 15;
/** A ticket that has waited this share of the time-out is about to time out. */
const NEAR_TIMEOUT = 0.85;
/** A search that takes this share of its interval leaves no room for growth. */
const SLOW_TICK = 0.8;
/** One search that is cut short may be due to another program; this number is worth a look. */
const CUT_SEARCHES = 5;
/** When this share of at least this number of tickets times out, it is worth a look. */
const TIMED_OUT = { share: 0.05, ticketsMin: 20 };

/** What is wrong with a queue of the console, the worst first; empty when all is well. */
export function troublesOfLive({
  definition,
  stats,
  error,
}: {
  readonly definition: QueueDefinition;
  readonly stats: QueueStats | undefined;
  readonly error: Error | undefined;
}): Trouble[] {
  return [
    ...troubles('bad', error === undefined ? [] : [error.message]),
    ...(stats === undefined ? [] : troublesOf(definition, stats)),
  ];
}

/** What its statistics say is wrong with a queue, the worst first. */
export function troublesOf(
  { tickSeconds, timeoutSeconds }: Pick<QueueDefinition, 'tickSeconds' | 'timeoutSeconds'>,
  stats: QueueStats,
): Trouble[] {
  // The clock of the service, because all times are its own.
  const nowMs = Date.parse(stats.at);
  const { waiting, lastTickAt, oldestWaitSeconds, tickMilliseconds, tickOverdueSeconds } = stats;
  const bad: string[] = [];
  const warnings: string[] = [];
  if (stats.setAside !== undefined) {
    const { reason, retryAt } = stats.setAside;
    const inSeconds = Math.max(0, (Date.parse(retryAt) - nowMs) / 1_000);
    bad.push(
      `Set aside: ${reason}. The next search is in ${secondsText(inSeconds)}; tickets time out meanwhile.`,
    );
  }
  for (const { rule, function: name, calls, message } of stats.failingFunctions ?? [])
    bad.push(
      `The function ${name} of the rule ${rule} fails, so its matches are refused: ${message} (${countText(calls, 'call')} of the last tick in which it did).`,
    );
  if (stats.presenceHeldUntil !== undefined)
    bad.push(
      'Pings of many players are missing at once, so the service may not hear them. No ticket is cancelled for that: see the alarms of sockets.',
    );
  const sinceTick = lastTickAt === null ? undefined : (nowMs - Date.parse(lastTickAt)) / 1_000;
  const tickLimit = Math.max(SECONDS_WITHOUT_TICK, INTERVALS_WITHOUT_TICK * tickSeconds);
  if (waiting > 0 && sinceTick !== undefined && sinceTick > tickLimit)
    bad.push(
      `No tick for ${secondsText(sinceTick)} while ${countText(waiting, 'ticket waits', 'tickets wait')}.`,
    );
  else if (tickOverdueSeconds > tickLimit)
    bad.push(`No tick for ${secondsText(tickOverdueSeconds)} although tickets were posted.`);
  if (waiting > 0 && oldestWaitSeconds !== null && oldestWaitSeconds > NEAR_TIMEOUT * timeoutSeconds)
    (oldestWaitSeconds > timeoutSeconds ? bad : warnings).push(
      `The oldest ticket has waited ${secondsText(oldestWaitSeconds)} of ${secondsText(timeoutSeconds)}; tickets time out.`,
    );
  if (bad.length + warnings.length === 0) warnings.push(...silence(stats.arrivals));
  if (stats.experiment?.state === 'stopped')
    warnings.push(`The experiment ${stats.experiment.name} was stopped: ${stats.experiment.reason}.`);
  bad.push(...faults(stats.faults), ...failing(stats.outcomes));
  for (const webhook of stats.webhooks ?? [])
    (isFailing(webhook) ? bad : warnings).push(...webhookFailures(webhook, nowMs));
  const { tickets, timedOutShare } = stats.recentEnds;
  if (tickets >= TIMED_OUT.ticketsMin && (timedOutShare ?? 0) >= TIMED_OUT.share)
    warnings.push(`${shareText(timedOutShare)} of the tickets of the last five minutes timed out.`);
  if (stats.searchesCut >= CUT_SEARCHES)
    warnings.push(
      `${countText(stats.searchesCut, 'search', 'searches')} of the last five minutes ran out of time: the queue is hard to search.`,
    );
  if (tickMilliseconds !== null && tickMilliseconds > 1_000 * SLOW_TICK * tickSeconds)
    warnings.push(
      `The last tick took ${secondsText(tickMilliseconds / 1_000)}; one is due every ${secondsText(tickSeconds)}.`,
    );
  warnings.push(...(stats.choices ?? []).flatMap(({ warning }) => warning ?? []));
  return [...troubles('bad', bad), ...troubles('warning', warnings)];
}

function troubles(level: Trouble['level'], texts: readonly string[]): Trouble[] {
  return texts.map((text) => ({ level, text }));
}

/**
 * So many players would have come in a silence at the rate before it. If they come independently of each other, that is no
 * accident, even in parties of five.
 */
const PLAYERS_MISSED = 50;
/** Later the silence is known. */
const SILENT_SECONDS_MAX = 3_600;

/** Players who came and do not come any more. */
function silence(arrivals: QueueStats['arrivals']): string[] {
  const { playersPerSecond, silentSeconds } = arrivals ?? { playersPerSecond: 0, silentSeconds: 0 };
  const isNew = silentSeconds < SILENT_SECONDS_MAX;
  if (!isNew || playersPerSecond * silentSeconds < PLAYERS_MISSED) return [];
  const rate = countText(Math.round(60 * playersPerSecond), 'player');
  return [
    `No ticket for ${secondsText(silentSeconds)}, after ${rate} a minute: can clients reach the service?`,
  ];
}

/** That a webhook has failed since its last success, or fails often. */
function webhookFailures(
  { url, failures, recent, lastFailure, lastSuccessAt, waiting, waitingSince }: WebhookHealth,
  nowMs: number,
): string[] {
  const isOften = failsOften({ recent });
  if (lastFailure === null || (failures === 0 && !isOften)) return [];
  const ago = (at: string) => secondsText(Math.max(0, nowMs - Date.parse(at)) / 1_000);
  const since = lastSuccessAt === null ? 'no success yet' : `last success ${ago(lastSuccessAt)} ago`;
  const wait =
    waiting === 0 || waitingSince === null
      ? ''
      : ` ${countText(waiting, 'event waits', 'events wait')}, the first for ${ago(waitingSince)}.`;
  const often =
    isOften && failures < recent!.failed
      ? `${recent!.failed} of the latest ${countText(recent!.posted, 'post')}`
      : countText(failures, 'failure');
  return [`The webhook ${url} fails: ${lastFailure.text} (${often}, ${since}).${wait}`];
}

/** What functions of Muster have just failed at. */
function faults(faults: QueueStats['faults']): string[] {
  if (faults === undefined) return [];
  const { notPublished, notDispatched, minutes } = faults;
  const over = `in the last ${countText(minutes, 'minute')}`;
  return [
    notPublished > 0 &&
      `The event bus rejected ${countText(notPublished, 'event')} ${over}, which are tried again: webhooks, placements and deadlines are late. The log of publish says more.`,
    notDispatched > 0 &&
      `dispatch failed ${countText(notDispatched, 'time')} ${over}: ticks may end, and what crashed ticks have left is not settled. Its log says why.`,
  ].filter((text) => text !== false);
}

/** The step at which too many matches fail. */
function failing({ failing, acceptance, placement, since }: QueueStats['outcomes']): string[] {
  if (failing === undefined) return [];
  const { step, failed, decided, minutes } = failing;
  const over = `the last ${countText(minutes, 'minute')}`;
  if (step === 'provisioner')
    return [
      `${failed} of ${countText(decided, 'request')} for a game server in ${over} failed; they are repeated until the deadline of the match. The log of provision says why.`,
    ];
  const isAcceptance = step === 'acceptance';
  const lost = isAcceptance ? acceptanceLosses(acceptance) : placementLosses(placement);
  const why = lost.length === 0 ? '' : ` Since ${clockText(Date.parse(since))}: ${lost.join(', ')}.`;
  const what = isAcceptance ? 'were not accepted' : 'got no game server';
  return [`${failed} of ${countText(decided, 'match', 'matches')} of ${over} ${what}.${why}`];
}

/** Why matches were not accepted, as far as there were any: `3 declined`. */
export function acceptanceLosses(acceptance: QueueStats['outcomes']['acceptance']): string[] {
  const { declined = 0, notAccepted = 0 } = acceptance ?? {};
  return named([notAccepted, 'not answered in time'], [declined, 'declined']);
}

/** Why matches got no game server. */
export function placementLosses(placement: QueueStats['outcomes']['placement']): string[] {
  const { refused = 0, timedOut = 0 } = placement ?? {};
  return named([refused, 'refused by the provisioner'], [timedOut, 'without an assignment in time']);
}

/** How tickets left the queue without a match. */
export function ticketLosses({ timedOut, cancelled }: QueueStats['outcomes']['tickets']): string[] {
  return named([timedOut, 'timed out'], [cancelled, 'cancelled']);
}

function named(...losses: readonly (readonly [number, string])[]): string[] {
  return losses.filter(([count]) => count > 0).map(([count, how]) => `${numberText(count)} ${how}`);
}

/** Queues that the service has and cannot read. */
export function unreadableTroubles(queues: readonly string[]): Trouble[] {
  return troubles(
    'bad',
    queues.map(
      (queue) =>
        `The deployed version cannot read the definition of queue ${queue}, so it gets no matches: deploy a version that reads it, or put it again.`,
    ),
  );
}

/** What the service gave up; empty when nothing. */
export function deadLetterTroubles(consumers: DeadLetters['consumers']): Trouble[] {
  const left = consumers.filter(({ messages }) => messages > 0);
  return troubles(
    'bad',
    left.map(
      ({ consumer, messages }) =>
        `${countText(messages, 'dead letter')} of ${consumer}: read its log, fix the cause, then redrive the queue.`,
    ),
  );
}

/** The share of the matches that become games: accepted and placed, where the queue has these steps. */
export function gamesShare({ matches, acceptance, placement }: QueueStats['outcomes']): number | undefined {
  if (acceptance === undefined && placement === undefined) return matches.found > 0 ? 1 : undefined;
  const shares = [acceptance, placement].flatMap((step) => step?.failedShare ?? []);
  return shares.length === 0 ? undefined : shares.reduce((product, failed) => product * (1 - failed), 1);
}
