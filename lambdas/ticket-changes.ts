import { clock } from '../lib/aws/clock.ts';
import { cooldownStore } from '../lib/aws/cooldown-store.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { httpHandler } from '../lib/aws/http.ts';
import { singleMatchStore } from '../lib/aws/match-store.ts';
import { sqsClient, tickSender } from '../lib/aws/message-queue.ts';
import { outcomeStore } from '../lib/aws/outcome-store.ts';
import { presenceStore } from '../lib/aws/presence-store.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { ticketStore } from '../lib/aws/ticket-store.ts';
import { toTicketView } from '../lib/service/domain/stored-ticket.ts';
import { checkOwnTicket, ticketFor } from '../lib/service/players/own-ticket.ts';
import { cachedQueues } from '../lib/service/queues/read-queues.ts';
import { answerMatch } from '../lib/service/tickets/acceptance.ts';
import { cancelTicket } from '../lib/service/tickets/cancel-ticket.ts';
import { keepAlive } from '../lib/service/tickets/keep-alive.ts';

const client = documentClient();
const deps = {
  tickets: ticketStore(client, environment('TICKETS_TABLE')),
  matches: singleMatchStore(client, environment('MATCHES_TABLE')),
  cooldowns: cooldownStore(client, environment('RANGES_TABLE')),
  presence: presenceStore(client, environment('RANGES_TABLE')),
  outcomes: outcomeStore(client, environment('RANGES_TABLE')),
  queues: cachedQueues(queueStore(client, environment('QUEUES_TABLE')), clock),
  clock,
  ticks: tickSender(sqsClient(), environment('TICK_QUEUE_URL')),
};

export const handler = httpHandler('ticket-changes', {
  'DELETE /tickets/{ticketId}': async ({ path: { ticketId }, caller }) => {
    await checkOwnTicket(deps, ticketId, caller);
    const ticket = toTicketView(await cancelTicket(deps, ticketId, Date.now()));
    return { status: 200, body: await ticketFor(deps, caller, ticket) };
  },
  'POST /tickets/{ticketId}/alive': async ({ path: { ticketId }, caller }) => {
    await checkOwnTicket(deps, ticketId, caller);
    const ticket = toTicketView(await keepAlive(deps, ticketId, caller, Date.now()));
    return { status: 200, body: await ticketFor(deps, caller, ticket) };
  },
  'PUT /tickets/{ticketId}/acceptance': async ({ path: { ticketId }, json, caller }) => {
    await checkOwnTicket(deps, ticketId, caller);
    const ticket = toTicketView(await answerMatch(deps, ticketId, json(), Date.now()));
    return { status: 200, body: await ticketFor(deps, caller, ticket) };
  },
});
