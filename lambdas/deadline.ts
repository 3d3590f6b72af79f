import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { loggedIdsOf, matchIdOf } from '../lib/aws/match-message.ts';
import { messageConsumer } from '../lib/aws/message-consumer.ts';
import { sqsClient } from '../lib/aws/message-queue.ts';
import * as aws from '../lib/aws/services.ts';
import type { StoredMatch } from '../lib/service/domain/stored-match.ts';
import { UnreadableQueue } from '../lib/service/domain/unreadable.ts';
import { checkDeadline } from '../lib/service/placement/deadline.ts';

const client = documentClient();
const sqs = sqsClient();
const url = environment('DEADLINE_QUEUE_URL');
const deps = {
  tickets: aws.tickets(client),
  matches: aws.matches(client),
  cooldowns: aws.cooldowns(client),
  presence: aws.presence(client),
  outcomes: aws.outcomes(client),
  queues: aws.queues(client),
  ticks: aws.ticks(sqs),
  timer: aws.timer(sqs),
};

export const handler = messageConsumer(sqs, [url], {
  read: matchIdOf,
  idsOf: loggedIdsOf,
  consume: async (matchId, learned) => {
    // A reminder contains only the id of its match.
    const found = ({ queue, ticketIds }: Pick<StoredMatch, 'queue' | 'ticketIds'>) =>
      learned({ queue, ticketIds });
    const outcome = await checkDeadline({ ...deps, found }, matchId, Date.now());
    return outcome instanceof UnreadableQueue
      ? { outcome: 'refused', why: outcome.message }
      : { outcome: 'done' };
  },
});
