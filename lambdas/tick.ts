import { randomUUID } from 'node:crypto';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { SQSEvent } from 'aws-lambda';
import { clock } from '../lib/aws/clock.ts';
import { countForAlarm } from '../lib/aws/count-for-alarm.ts';
import { useDeployedCode } from '../lib/aws/custom-code.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { optionalEnvironment } from '../lib/aws/environment.ts';
import { logger } from '../lib/aws/log.ts';
import { matchStore } from '../lib/aws/match-store.ts';
import { sqsClient } from '../lib/aws/message-queue.ts';
import { ParsedTickets } from '../lib/aws/parsed-tickets.ts';
import * as aws from '../lib/aws/services.ts';
import { sockets } from '../lib/aws/sockets.ts';
import { readTickMessage, type TickMessage } from '../lib/service/domain/tick-message.ts';
import { CheckedTickets } from '../lib/service/ticks/checked-tickets.ts';
import { tick } from '../lib/service/ticks/tick.ts';
import type { TickMetrics } from '../lib/service/ticks/tick-outcome.ts';
import { WarmSearches } from '../lib/service/ticks/warm-searches.ts';

useDeployedCode(import.meta.url);
const client = documentClient();
const socketsUrl = optionalEnvironment('SOCKETS_URL');
const deps = {
  // These three keep data of the last ticks for as long as Lambda keeps this function.
  tickets: aws.tickets(client, new ParsedTickets()),
  checked: new CheckedTickets(),
  searches: new WarmSearches(),
  matches: matchStore(client, aws.tables()),
  backfills: aws.backfills(client),
  ladders: aws.ladders(client),
  ratings: aws.ratings(client),
  queues: aws.queues(client),
  ranges: aws.ranges(client),
  presence: aws.presence(client),
  sockets: socketsUrl === undefined ? undefined : sockets(socketsUrl),
  experiments: aws.experiments(client),
  outcomes: aws.outcomes(client),
  ticks: aws.ticks(sqsClient()),
  clock,
  newId: randomUUID,
  limits: aws.bucketLimits(),
};

/** One message at a time: the event source's batch size is 1. */
export const handler = async (event: SQSEvent): Promise<void> => {
  for (const { body } of event.Records) {
    const message = readTickMessage(JSON.parse(body));
    logger.setCorrelationId(`${message.queue} ${message.slotMs}`);
    const result = await tick(deps, message);
    if (result.outcome === 'dropped') {
      logger.info('dropped', { ...message, why: result.why });
      continue;
    }
    if (result.outcome === 'set-aside') reportSetAside(message, result.why);
    const { busy, lostRaces, failures } = result.metrics;
    if (failures.length > 0) logger.error('functions of custom rules fail', { ...message, failures });
    if (result.unreadable.length > 0)
      logger.error('cancelled tickets that cannot be parsed', {
        ...message,
        ticketIds: result.unreadable,
      });
    if (result.outcome === 'searched' && result.tooLarge.length > 0)
      logger.error('cancelled tickets or backfills whose match is too large', {
        ...message,
        ids: result.tooLarge,
      });
    if (result.outcome === 'searched' && result.held !== undefined)
      logger.warn('no ticket is cancelled for players who seem to have left', {
        ...message,
        why: result.held,
      });
    if (busy > 0) logger.warn('the store was too busy for some matches', { ...message, busy, lostRaces });
    record(result.metrics);
  }
};

/** Counts the ticks that did not search because their queue is set aside. The alarm counts those of all queues together. */
function reportSetAside(message: TickMessage, why: string): void {
  logger.error('a queue is set aside because its ticks fail', { ...message, why });
  countForAlarm('SetAside');
}

/** Records each value separately, so that a dashboard can distinguish queues and compute percentiles. */
function record(ticked: TickMetrics): void {
  const { queue, waiting, recent, timedOut, isCut, lostRaces, durationMs, ageMs } = ticked;
  const { missedLastChances, choiceFreeNeeded, failures } = ticked;
  const metrics = new Metrics({ defaultDimensions: { queue } });
  const { Count, Milliseconds, NoUnit, Percent } = MetricUnit;
  type Unit = (typeof MetricUnit)[keyof typeof MetricUnit];
  const put = (name: string, unit: Unit, values: readonly number[]) => {
    for (const value of values) metrics.addMetric(name, unit, value);
  };
  put('Waiting', Count, [waiting]);
  put('Matches', Count, [recent.length]);
  put('TimedOut', Count, [timedOut]);
  put('LostRaces', Count, [lostRaces]);
  put('TickDuration', Milliseconds, [durationMs]);
  put('TickAge', Milliseconds, [ageMs]);
  const imbalances = recent.map(({ imbalance }) => imbalance);
  put('Imbalance', NoUnit, imbalances);
  const ticketWaits = recent.flatMap(({ waitsMs }) => waitsMs);
  put('TicketWait', Milliseconds, ticketWaits);
  // Each metric of a queue costs money, so these are omitted when they are 0, and without choices.
  if (isCut) put('SearchesCut', Count, [1]);
  if (missedLastChances > 0) put('LastChancesMissed', Count, [missedLastChances]);
  const failed = failures.reduce((sum, { calls }) => sum + calls, 0);
  if (failed > 0) put('FunctionsFailed', Count, [failed]);
  if (choiceFreeNeeded !== undefined) put('ChoiceFreeNeeded', Percent, [choiceFreeNeeded]);
  metrics.publishStoredMetrics();
}
