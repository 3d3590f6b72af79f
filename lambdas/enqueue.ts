import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { clock } from '../lib/aws/clock.ts';
import { cooldownStore } from '../lib/aws/cooldown-store.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment, optionalEnvironment } from '../lib/aws/environment.ts';
import { httpHandler, logIds, toProblem } from '../lib/aws/http.ts';
import { ladderStore } from '../lib/aws/ladder-store.ts';
import { logger } from '../lib/aws/log.ts';
import { singleMatchStore } from '../lib/aws/match-store.ts';
import { meetingStore } from '../lib/aws/meeting-store.ts';
import { sqsClient, tickSender } from '../lib/aws/message-queue.ts';
import { playerKeys, playerTokens } from '../lib/aws/player-tokens.ts';
import { presenceStore } from '../lib/aws/presence-store.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { rangeStore } from '../lib/aws/range-store.ts';
import { ratingStore } from '../lib/aws/rating-store.ts';
import { REQUEST_TIMEOUTS, REQUEST_TRIES_AT_INTAKE } from '../lib/aws/request-timeouts.ts';
import { ticketStore } from '../lib/aws/ticket-store.ts';
import type { TicketView } from '../lib/contract/ticket.ts';
import type { CurrentTicket } from '../lib/service/domain/stored-ticket.ts';
import type { PlayerTokens } from '../lib/service/ports/player-tokens.ts';
import { cachedQueues } from '../lib/service/queues/read-queues.ts';
import { enqueue } from '../lib/service/tickets/enqueue.ts';
import { enqueueBatch, toBatchResult } from '../lib/service/tickets/enqueue-batch.ts';
import { WaitEstimates } from '../lib/service/tickets/wait-estimates.ts';
import { watchInfo } from '../lib/service/watching/watch-info.ts';

const tries = { maxAttempts: REQUEST_TRIES_AT_INTAKE };
const client = documentClient(tries);
const deps = {
  tickets: ticketStore(client, environment('TICKETS_TABLE')),
  matches: singleMatchStore(client, environment('MATCHES_TABLE')),
  meetings: meetingStore(client, environment('RANGES_TABLE')),
  cooldowns: cooldownStore(client, environment('RANGES_TABLE')),
  presence: presenceStore(client, environment('RANGES_TABLE')),
  queues: cachedQueues(queueStore(client, environment('QUEUES_TABLE')), clock),
  ranges: rangeStore(client, environment('RANGES_TABLE')),
  ladders: ladderStore(client, environment('QUEUES_TABLE')),
  ratings: ratingStore(client, {
    ratings: environment('RATINGS_TABLE'),
    matches: environment('MATCHES_TABLE'),
  }),
  ticks: tickSender(sqsClient(tries), environment('TICK_QUEUE_URL')),
  clock,
};

const estimates = new WaitEstimates(deps);

const socketsUrl = optionalEnvironment('SOCKETS_URL');
const watching =
  socketsUrl === undefined ? undefined : { queues: deps.queues, url: socketsUrl, tokens: newTokens() };

function newTokens(): PlayerTokens {
  const secrets = new SecretsManagerClient({ requestHandler: REQUEST_TIMEOUTS, ...tries });
  return playerTokens(secrets, playerKeys.parse(JSON.parse(environment('PLAYER_KEYS'))));
}

/**
 * A ticket as its backend gets it. It is taken also when the key of its tokens cannot be read, because it can be matched all the
 * same: then the answer has no `watch`, and its players get their match from the backend or by long polls.
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
    return { status: 200, body: { results: await Promise.all(results) } };
  },
});
