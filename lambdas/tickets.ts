import { clock } from '../lib/aws/clock.ts';
import { useDeployedCode } from '../lib/aws/custom-code.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { httpHandler, ok } from '../lib/aws/http.ts';
import { pollSlots } from '../lib/aws/poll-slots.ts';
import * as aws from '../lib/aws/services.ts';
import { ConcurrencyLimit } from '../lib/service/players/concurrency-limit.ts';
import { checkOwnTicket, speakerOf, ticketFor } from '../lib/service/players/own-ticket.ts';
import { getTicket, getTickets } from '../lib/service/tickets/read-tickets.ts';
import { WaitEstimates } from '../lib/service/tickets/wait-estimates.ts';

useDeployedCode(import.meta.url);
const client = documentClient();
const deps = {
  tickets: aws.tickets(client),
  matches: aws.matches(client),
  queues: aws.queues(client),
  ranges: aws.ranges(client),
  clock,
};

const estimates = new WaitEstimates(deps);
const longRequests = new ConcurrencyLimit({ slots: pollSlots(client, environment('RANGES_TABLE')), clock });

export const handler = httpHandler('tickets', {
  'GET /tickets/{ticketId}': async ({
    path: { ticketId },
    query: { waitSeconds = 0, seen, ready, explain },
    caller,
  }) => {
    await checkOwnTicket(deps, ticketId, caller);
    const playerId = speakerOf(caller);
    const options = { waitMs: waitSeconds * 1_000, seen, ready, playerId, explain: explain === 'true' };
    const read = async () => estimates.view(await getTicket(deps, ticketId, options));
    const isLong = options.waitMs > 0 || options.explain;
    const ticket = await (isLong ? longRequests.run(caller, options.waitMs, read) : read());
    return ok(await ticketFor(deps, caller, ticket));
  },
  'GET /tickets': async ({ query: { ticketIds } }) => {
    const tickets = await getTickets(deps, ticketIds);
    return ok({ tickets: await Promise.all(tickets.map((one) => estimates.view(one))) });
  },
});
