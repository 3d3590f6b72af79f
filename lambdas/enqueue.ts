import { clock } from '../lib/aws/clock.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { httpHandler, logIds, toProblem } from '../lib/aws/http.ts';
import { singleMatchStore } from '../lib/aws/match-store.ts';
import { meetingStore } from '../lib/aws/meeting-store.ts';
import { sqsClient, tickSender } from '../lib/aws/message-queue.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { rangeStore } from '../lib/aws/range-store.ts';
import { REQUEST_TRIES_AT_INTAKE } from '../lib/aws/request-timeouts.ts';
import { ticketStore } from '../lib/aws/ticket-store.ts';
import { cachedQueues } from '../lib/service/queues/cached-queues.ts';
import { toBatchResult } from '../lib/service/tickets/batch-result.ts';
import { enqueue } from '../lib/service/tickets/enqueue.ts';
import { enqueueBatch } from '../lib/service/tickets/enqueue-batch.ts';
import { WaitEstimates } from '../lib/service/tickets/wait-estimates.ts';

const tries = { maxAttempts: REQUEST_TRIES_AT_INTAKE };
const client = documentClient(tries);
const deps = {
  tickets: ticketStore(client, environment('TICKETS_TABLE')),
  matches: singleMatchStore(client, environment('MATCHES_TABLE')),
  meetings: meetingStore(client, environment('RANGES_TABLE')),
  queues: cachedQueues(queueStore(client, environment('QUEUES_TABLE')), clock),
  ranges: rangeStore(client, environment('RANGES_TABLE')),
  ticks: tickSender(sqsClient(tries), environment('TICK_QUEUE_URL')),
  clock,
};

const estimates = new WaitEstimates(deps);

export const handler = httpHandler('enqueue', {
  'POST /queues/{queue}/tickets': async ({ path: { queue }, json }) => {
    const posted = json();
    logIds({ ticketId: (posted as { ticketId?: unknown } | null)?.ticketId });
    const { created, ticket } = await enqueue(deps, queue, posted, Date.now());
    return { status: created ? 201 : 200, body: await estimates.view(ticket) };
  },
  'POST /queues/{queue}/ticket-batches': async ({ path: { queue }, json }) => {
    const outcomes = await enqueueBatch(deps, queue, json(), Date.now());
    const failed = outcomes.flatMap((one) => (one.outcome === 'failed' ? [one.ticketId] : []));
    if (failed.length > 0) logIds({ ticketIds: failed });
    const results = outcomes.map((one) => toBatchResult(one, toProblem, (ticket) => estimates.view(ticket)));
    return { status: 200, body: { results: await Promise.all(results) } };
  },
});
