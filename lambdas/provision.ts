import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { clock } from '../lib/aws/clock.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment, privateAddressesAllowed } from '../lib/aws/environment.ts';
import { singleMatchStore } from '../lib/aws/match-store.ts';
import { sqsClient } from '../lib/aws/message-queue.ts';
import { outbound } from '../lib/aws/outbound.ts';
import { queueConsumer } from '../lib/aws/queue-consumer.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { secretsManager } from '../lib/aws/secrets.ts';
import { provision } from '../lib/service/provision.ts';

const client = documentClient();
const deps = {
  queues: queueStore(client, environment('QUEUES_TABLE')),
  matches: singleMatchStore(client, environment('MATCHES_TABLE')),
  secrets: secretsManager(new SecretsManagerClient(), environment('SECRETS_PREFIX')),
  outbound: outbound({ privateAllowed: privateAddressesAllowed() }),
  clock,
};

export const handler = queueConsumer(sqsClient(), environment('PROVISION_QUEUE_URL'), (body) =>
  provision(deps, (body as { detail: { match: { matchId: string } } }).detail.match.matchId),
);
