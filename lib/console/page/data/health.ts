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
/** One search that is cut short may be due to another program; so many are worth a look. */
const CUT_SEARCHES = 5;
/** When this share of at least so many tickets times out, their number is worth a look. */
const TIMED_OUT = { share: 0.05, ticketsMin: 20 };

/**
 * What is wrong with a queue, the worst first; empty when all is well.
 *
 * @param pageMs when the statistics arrived, by the clock of the page
 */
export function troublesOf(
  { tickSeconds, timeoutSeconds }: Pick<QueueDefinition, 'tickSeconds' | 'timeoutSeconds'>,
  stats: QueueStats,
  pageMs: number,
): Trouble[] {
  // The clock of the service, because all times are its own. A service of an earlier version does not tell it.
  const nowMs = stats.at === undefined ? pageMs : Date.parse(stats.at);
  const { waiting, lastTickAt, oldestWaitSeconds, tickMilliseconds, recentEnds, choices = [] } = stats;
  const troubles: Trouble[] = [];
  if (stats.setAside !== undefined) {
    const { reason, retryAt } = stats.setAside;
    const inSeconds = Math.max(0, (Date.parse(retryAt) - nowMs) / 1_000);
    troubles.push({
      level: 'bad',
      text: `Set aside: ${reason}. The next search is in ${secondsText(inSeconds)}; tickets time out meanwhile.`,
    });
  }
  if (stats.presenceHeldUntil !== undefined)
    troubles.push({
      level: 'bad',
      text: 'Pings of many players are missing at once, so the service may not hear them. No ticket is cancelled for that: see the alarms of sockets.',
    });
  const sinceTick = lastTickAt === null ? undefined : (nowMs - Date.parse(lastTickAt)) / 1_000;
  const tickLimit = Math.max(SECONDS_WITHOUT_TICK, INTERVALS_WITHOUT_TICK * tickSeconds);
  // A service of an earlier version does not return it.
  const { tickOverdueSeconds = 0 } = stats as Partial<QueueStats>;
  if (waiting > 0 && sinceTick !== undefined && sinceTick > tickLimit) {
    troubles.push({
      level: 'bad',
      text: `No tick for ${secondsText(sinceTick)} while ${countText(waiting, 'ticket waits', 'tickets wait')}.`,
    });
  } else if (tickOverdueSeconds > tickLimit) {
    troubles.push({
      level: 'bad',
      text: `No tick for ${secondsText(tickOverdueSeconds)} although tickets were posted.`,
    });
  }
  if (waiting > 0 && oldestWaitSeconds !== null && oldestWaitSeconds > NEAR_TIMEOUT * timeoutSeconds) {
    troubles.push({
      level: oldestWaitSeconds > timeoutSeconds ? 'bad' : 'warning',
      text: `The oldest ticket has waited ${secondsText(oldestWaitSeconds)} of ${secondsText(timeoutSeconds)}; tickets time out.`,
    });
  }
  if (troubles.length === 0) troubles.push(...silenceTroubles(stats.arrivals));
  if (stats.experiment?.state === 'stopped')
    troubles.push({
      level: 'warning',
      text: `The experiment ${stats.experiment.name} was stopped: ${stats.experiment.reason}.`,
    });
  troubles.push(...faultTroubles(stats.faults), ...failingTroubles(stats.outcomes));
  troubles.push(...(stats.webhooks ?? []).flatMap((webhook) => webhookTrouble(webhook, nowMs) ?? []));
  // A service of an earlier version does not count them.
  const { tickets = 0, timedOutShare = null } = recentEnds ?? {};
  if (tickets >= TIMED_OUT.ticketsMin && (timedOutShare ?? 0) >= TIMED_OUT.share) {
    troubles.push({
      level: 'warning',
      text: `${shareText(timedOutShare)} of the tickets of the last five minutes timed out.`,
    });
  }
  // A service of an earlier version does not count them.
  const { searchesCut = 0 } = stats as Partial<QueueStats>;
  if (searchesCut >= CUT_SEARCHES) {
    troubles.push({
      level: 'warning',
      text: `${countText(searchesCut, 'search', 'searches')} of the last five minutes ran out of time: the queue is hard to search.`,
    });
  }
  if (tickMilliseconds !== null && tickMilliseconds > 1_000 * SLOW_TICK * tickSeconds) {
    troubles.push({
      level: 'warning',
      text: `The last tick took ${secondsText(tickMilliseconds / 1_000)}; one is due every ${secondsText(tickSeconds)}.`,
    });
  }
  for (const { warning } of choices) {
    if (warning !== null) troubles.push({ level: 'warning', text: warning });
  }
  return troubles.sort((a, b) => Number(b.level === 'bad') - Number(a.level === 'bad'));
}

/**
 * So many players would have come in a silence at the rate before it. If they come independently of each other, that is no
 * accident, even in parties of five.
 */
const PLAYERS_MISSED = 50;
/** Later the silence is known. */
const SILENT_SECONDS_MAX = 3_600;

/** Players who came and do not come any more. A service of an earlier version does not report it. */
function silenceTroubles(arrivals: QueueStats['arrivals'] | undefined): Trouble[] {
  const { playersPerSecond = 0, silentSeconds = 0 } = arrivals ?? {};
  const isNew = silentSeconds < SILENT_SECONDS_MAX;
  if (!isNew || playersPerSecond * silentSeconds < PLAYERS_MISSED) return [];
  const rate = countText(Math.round(60 * playersPerSecond), 'player');
  const text = `No ticket for ${secondsText(silentSeconds)}, after ${rate} a minute: can clients reach the service?`;
  return [{ level: 'warning', text }];
}

/** A webhook that has failed since its last success, or fails often. */
function webhookTrouble(
  { url, failures, recent, lastFailure, lastSuccessAt, waiting, waitingSince }: WebhookHealth,
  nowMs: number,
): Trouble | undefined {
  const isOften = failsOften({ recent });
  if (lastFailure === null || (failures === 0 && !isOften)) return undefined;
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
  return {
    level: isFailing({ failures, recent }) ? 'bad' : 'warning',
    text: `The webhook ${url} fails: ${lastFailure.text} (${often}, ${since}).${wait}`,
  };
}

/** What functions of Muster have just failed at. */
function faultTroubles({
  notPublished = 0,
  notDispatched = 0,
  minutes = 0,
}: Partial<QueueStats['faults']> = {}): Trouble[] {
  const troubles: Trouble[] = [];
  const over = `in the last ${countText(minutes, 'minute')}`;
  if (notPublished > 0)
    troubles.push({
      level: 'bad',
      text: `The event bus rejected ${countText(notPublished, 'event')} ${over}, which are tried again: webhooks, placements and deadlines are late. The log of publish says more.`,
    });
  if (notDispatched > 0)
    troubles.push({
      level: 'bad',
      text: `dispatch failed ${countText(notDispatched, 'time')} ${over}: ticks may end, and what crashed ticks have left is not settled. Its log says why.`,
    });
  return troubles;
}

/** The step at which too many matches fail. A service of an earlier version does not count them. */
function failingTroubles(outcomes: QueueStats['outcomes'] | undefined): Trouble[] {
  const { failing, acceptance, placement } = outcomes ?? {};
  if (failing === undefined) return [];
  const lost = failing.step === 'acceptance' ? acceptanceLosses(acceptance) : placementLosses(placement);
  if (failing.step === 'provisioner') {
    const requests = countText(failing.decided, 'request');
    const text = `${failing.failed} of ${requests} for a game server in the last ${countText(failing.minutes, 'minute')} failed; they are repeated until the deadline of the match. The log of provision says why.`;
    return [{ level: 'bad', text }];
  }
  const what = failing.step === 'acceptance' ? 'were not accepted' : 'got no game server';
  const matches = countText(failing.decided, 'match', 'matches');
  const over = `of the last ${countText(failing.minutes, 'minute')}`;
  const why =
    lost.length === 0 ? '' : ` Since ${clockText(Date.parse(outcomes!.since))}: ${lost.join(', ')}.`;
  return [{ level: 'bad', text: `${failing.failed} of ${matches} ${over} ${what}.${why}` }];
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
  return queues.map((queue) => ({
    level: 'bad',
    text: `The deployed version cannot read the definition of queue ${queue}, so it gets no matches: deploy a version that reads it, or put it again.`,
  }));
}

/** What the service gave up; empty when nothing. */
export function deadLetterTroubles(consumers: DeadLetters['consumers']): Trouble[] {
  return consumers
    .filter(({ messages }) => messages > 0)
    .map(({ consumer, messages }) => ({
      level: 'bad',
      text: `${countText(messages, 'dead letter')} of ${consumer}: read its log, fix the cause, then redrive the queue.`,
    }));
}

/** The share of the matches that become games: accepted and placed, where the queue has these steps. */
export function gamesShare({ matches, acceptance, placement }: QueueStats['outcomes']): number | undefined {
  if (acceptance === undefined && placement === undefined) return matches.found > 0 ? 1 : undefined;
  const shares = [acceptance, placement].flatMap((step) => step?.failedShare ?? []);
  return shares.length === 0 ? undefined : shares.reduce((product, failed) => product * (1 - failed), 1);
}
