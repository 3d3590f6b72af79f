import { clock } from '../lib/aws/clock.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { loggedIdsOf, matchIdOf } from '../lib/aws/match-message.ts';
import { messageConsumer } from '../lib/aws/message-consumer.ts';
import { sqsClient } from '../lib/aws/message-queue.ts';
import * as aws from '../lib/aws/services.ts';
import { OddsLearner } from '../lib/service/ratings/odds-learner.ts';
import { rateResult } from '../lib/service/ratings/rate-result.ts';

const client = documentClient();
const ratings = aws.ratings(client);
const deps = {
  matches: aws.matches(client),
  ratings,
  odds: new OddsLearner(ratings, clock),
};

export const handler = messageConsumer(sqsClient(), [environment('RATE_QUEUE_URL')], {
  read: matchIdOf,
  idsOf: loggedIdsOf,
  consume: async (matchId) => {
    await rateResult(deps, matchId);
    return { outcome: 'done' };
  },
});
