import { clock } from '../lib/aws/clock.ts';
import { cooldownStore } from '../lib/aws/cooldown-store.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { loggedIdsOf, matchIdOf } from '../lib/aws/match-message.ts';
import { singleMatchStore } from '../lib/aws/match-store.ts';
import { messageConsumer } from '../lib/aws/message-consumer.ts';
import { deadlineTimer, sqsClient, tickSender } from '../lib/aws/message-queue.ts';
import { outcomeStore } from '../lib/aws/outcome-store.ts';
import { presenceStore } from '../lib/aws/presence-store.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { ticketStore } from '../lib/aws/ticket-store.ts';
import type { StoredMatch } from '../lib/service/domain/stored-match.ts';
import { UnreadableQueue } from '../lib/service/domain/unreadable.ts';
import { checkDeadline } from '../lib/service/placement/deadline.ts';
import { cachedQueues } from '../lib/service/queues/read-queues.ts';

const client = documentClient();
const sqs = sqsClient();
const url = environment('DEADLINE_QUEUE_URL');
const deps = {
  tickets: ticketStore(client, environment('TICKETS_TABLE')),
  matches: singleMatchStore(client, environment('MATCHES_TABLE')),
  cooldowns: cooldownStore(client, environment('RANGES_TABLE')),
  presence: presenceStore(client, environment('RANGES_TABLE')),
  outcomes: outcomeStore(client, environment('RANGES_TABLE')),
  queues: cachedQueues(queueStore(client, environment('QUEUES_TABLE')), clock),
  ticks: tickSender(sqs, environment('TICK_QUEUE_URL')),
  timer: deadlineTimer(sqs, url),
};

export const handler = messageConsumer(sqs, [url], {
  read: matchIdOf,
  idsOf: loggedIdsOf,
  consume: async (matchId, learned) => {
    // A reminder names its match alone.
    const found = ({ queue, ticketIds }: Pick<StoredMatch, 'queue' | 'ticketIds'>) =>
      learned({ queue, ticketIds });
    const outcome = await checkDeadline({ ...deps, found }, matchId, Date.now());
    return outcome instanceof UnreadableQueue
      ? { outcome: 'refused', why: outcome.message }
      : { outcome: 'done' };
  },
});
