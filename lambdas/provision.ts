import { clock } from '../lib/aws/clock.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { loggedIdsOf, matchIdOf } from '../lib/aws/match-message.ts';
import { messageConsumer, PROVISION_BACKOFF } from '../lib/aws/message-consumer.ts';
import { sqsClient } from '../lib/aws/message-queue.ts';
import { reported } from '../lib/aws/report-queue.ts';
import * as aws from '../lib/aws/services.ts';
import { provisioners } from '../lib/provisioners/provisioners.ts';
import { provision } from '../lib/service/placement/provision.ts';
import { trialOutbound } from '../lib/service/placement/trial-outbound.ts';

const client = documentClient();
const deps = {
  outcomes: aws.outcomes(client),
  presence: aws.presence(client),
  failedShareMax: aws.failedShareMax(),
  queues: aws.queues(client),
  matches: aws.matches(client),
  provisioners: provisioners({
    overHttp: {
      secrets: aws.secrets(),
      outbound: trialOutbound(aws.outbound(), aws.receiversWithCache(client), Date.now),
      clock,
    },
  }),
};

export const handler = messageConsumer(
  sqsClient(),
  [environment('PROVISION_QUEUE_URL')],
  {
    read: matchIdOf,
    idsOf: loggedIdsOf,
    consume: async (matchId) => reported(await provision(deps, matchId, Date.now())),
  },
  PROVISION_BACKOFF,
);
