import { clock } from '../lib/aws/clock.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { httpHandler, ok } from '../lib/aws/http.ts';
import { sqsClient } from '../lib/aws/message-queue.ts';
import * as aws from '../lib/aws/services.ts';
import { toTicketView } from '../lib/service/domain/stored-ticket.ts';
import { checkOwnTicket, speakerOf, ticketFor } from '../lib/service/players/own-ticket.ts';
import { answerMatch } from '../lib/service/tickets/acceptance.ts';
import { cancelTicket } from '../lib/service/tickets/cancel-ticket.ts';
import { keepAlive } from '../lib/service/tickets/keep-alive.ts';

const client = documentClient();
const deps = {
  tickets: aws.tickets(client),
  matches: aws.matches(client),
  cooldowns: aws.cooldowns(client),
  presence: aws.presence(client),
  outcomes: aws.outcomes(client),
  queues: aws.queues(client),
  clock,
  ticks: aws.ticks(sqsClient()),
};

export const handler = httpHandler('ticket-changes', {
  'DELETE /tickets/{ticketId}': async ({ path: { ticketId }, caller }) => {
    await checkOwnTicket(deps, ticketId, caller);
    const ticket = toTicketView(await cancelTicket(deps, ticketId, Date.now()));
    return ok(await ticketFor(deps, caller, ticket));
  },
  'POST /tickets/{ticketId}/alive': async ({ path: { ticketId }, caller }) => {
    await checkOwnTicket(deps, ticketId, caller);
    const ticket = toTicketView(await keepAlive(deps, ticketId, caller, Date.now()));
    return ok(await ticketFor(deps, caller, ticket));
  },
  'PUT /tickets/{ticketId}/acceptance': async ({ path: { ticketId }, json, caller }) => {
    await checkOwnTicket(deps, ticketId, caller);
    const ticket = toTicketView(await answerMatch(deps, ticketId, json(), Date.now(), speakerOf(caller)));
    return ok(await ticketFor(deps, caller, ticket));
  },
});
