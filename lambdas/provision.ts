import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { clock } from '../lib/aws/clock.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment, privateAddressesAllowed } from '../lib/aws/environment.ts';
import { loggedIdsOf, matchIdOf } from '../lib/aws/match-message.ts';
import { singleMatchStore } from '../lib/aws/match-store.ts';
import { messageConsumer, PROVISION_BACKOFF } from '../lib/aws/message-consumer.ts';
import { sqsClient } from '../lib/aws/message-queue.ts';
import { outbound } from '../lib/aws/outbound.ts';
import { outcomeStore } from '../lib/aws/outcome-store.ts';
import { presenceStore } from '../lib/aws/presence-store.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { receiverStore } from '../lib/aws/receiver-store.ts';
import { reported } from '../lib/aws/report-queue.ts';
import { REQUEST_TIMEOUTS } from '../lib/aws/request-timeouts.ts';
import { secretsManager } from '../lib/aws/secrets.ts';
import { parseSecretGrants } from '../lib/contract/secret-grants.ts';
import { provisioners } from '../lib/provisioners/provisioners.ts';
import { recentReceivers } from '../lib/service/events/recent-receivers.ts';
import { provision } from '../lib/service/placement/provision.ts';
import { trialOutbound } from '../lib/service/placement/trial-outbound.ts';
import { cachedQueues } from '../lib/service/queues/read-queues.ts';

const client = documentClient();
const deps = {
  outcomes: outcomeStore(client, environment('RANGES_TABLE')),
  presence: presenceStore(client, environment('RANGES_TABLE')),
  failedShareMax: Number(environment('FAILED_SHARE')),
  queues: cachedQueues(queueStore(client, environment('QUEUES_TABLE')), clock),
  matches: singleMatchStore(client, environment('MATCHES_TABLE')),
  provisioners: provisioners({
    overHttp: {
      secrets: secretsManager(
        new SecretsManagerClient({ requestHandler: REQUEST_TIMEOUTS }),
        environment('SECRETS_PREFIX'),
        parseSecretGrants(environment('SECRET_GRANTS')),
      ),
      outbound: trialOutbound(
        outbound({ privateAllowed: privateAddressesAllowed() }),
        recentReceivers(receiverStore(client, environment('RECEIVERS_TABLE')), Date.now),
        Date.now,
      ),
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
