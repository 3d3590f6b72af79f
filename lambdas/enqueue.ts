import { clock } from '../lib/aws/clock.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment, optionalEnvironment } from '../lib/aws/environment.ts';
import { httpHandler, logIds, ok, toProblem } from '../lib/aws/http.ts';
import { logger } from '../lib/aws/log.ts';
import { meetingStore } from '../lib/aws/meeting-store.ts';
import { sqsClient } from '../lib/aws/message-queue.ts';
import { REQUEST_TRIES_AT_INTAKE } from '../lib/aws/request-timeouts.ts';
import * as aws from '../lib/aws/services.ts';
import type { TicketView } from '../lib/contract/ticket.ts';
import type { CurrentTicket } from '../lib/service/domain/stored-ticket.ts';
import { enqueue } from '../lib/service/tickets/enqueue.ts';
import { enqueueBatch, toBatchResult } from '../lib/service/tickets/enqueue-batch.ts';
import { WaitEstimates } from '../lib/service/tickets/wait-estimates.ts';
import { watchInfo } from '../lib/service/watching/watch-info.ts';

const tries = { maxAttempts: REQUEST_TRIES_AT_INTAKE };
const client = documentClient(tries);
const deps = {
  tickets: aws.tickets(client),
  matches: aws.matches(client),
  meetings: meetingStore(client, environment('RANGES_TABLE')),
  cooldowns: aws.cooldowns(client),
  presence: aws.presence(client),
  queues: aws.queues(client),
  ranges: aws.ranges(client),
  ladders: aws.ladders(client),
  ratings: aws.ratings(client),
  ticks: aws.ticks(sqsClient(tries)),
  clock,
};

const estimates = new WaitEstimates(deps);

const socketsUrl = optionalEnvironment('SOCKETS_URL');
const watching =
  socketsUrl === undefined
    ? undefined
    : { queues: deps.queues, url: socketsUrl, tokens: aws.playerTokens(tries) };

/**
 * The response for a ticket. If the signing key cannot be read, the ticket is accepted and the response has no `watch`. It is
 * matched as usual, and its players get their match from the backend or by long polls.
 */
async function created(ticket: CurrentTicket): Promise<TicketView> {
  const view = await estimates.view(ticket);
  if (watching === undefined) return view;
  try {
    return { ...view, watch: await watchInfo(watching, view) };
  } catch (error) {
    logger.error('tickets get no tokens to be watched with', { queue: view.queue, error });
    return view;
  }
}

export const handler = httpHandler('enqueue', {
  'POST /queues/{queue}/tickets': async ({ path: { queue }, json }) => {
    const posted = json();
    logIds({ ticketId: (posted as { ticketId?: unknown } | null)?.ticketId });
    const { created: isNew, ticket } = await enqueue(deps, queue, posted, Date.now());
    return { status: isNew ? 201 : 200, body: await created(ticket) };
  },
  'POST /queues/{queue}/ticket-batches': async ({ path: { queue }, json }) => {
    const outcomes = await enqueueBatch(deps, queue, json(), Date.now());
    const failed = outcomes.flatMap((one) => (one.outcome === 'failed' ? [one.ticketId] : []));
    if (failed.length > 0) logIds({ ticketIds: failed });
    const results = outcomes.map((one) => toBatchResult(one, toProblem, created));
    return ok({ results: await Promise.all(results) });
  },
});
