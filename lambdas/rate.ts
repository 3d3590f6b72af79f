import { clock } from '../lib/aws/clock.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { loggedIdsOf, matchIdOf } from '../lib/aws/match-message.ts';
import { singleMatchStore } from '../lib/aws/match-store.ts';
import { messageConsumer } from '../lib/aws/message-consumer.ts';
import { sqsClient } from '../lib/aws/message-queue.ts';
import { ratingStore } from '../lib/aws/rating-store.ts';
import { OddsLearner } from '../lib/service/ratings/odds-learner.ts';
import { rateResult } from '../lib/service/ratings/rate-result.ts';

const client = documentClient();
const tables = { matches: environment('MATCHES_TABLE'), ratings: environment('RATINGS_TABLE') };
const ratings = ratingStore(client, tables);
const deps = {
  matches: singleMatchStore(client, tables.matches),
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
