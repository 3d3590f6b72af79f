/** The template's queues, in fauxqs in this process. */

import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildApp } from 'fauxqs';
import type { AwsService } from './aws-json.ts';
import { makeFair, withGroups } from './fair-groups.ts';
import { ACCOUNT_ID } from './local-account.ts';
import type { Resource } from './template.ts';

export const SQS_TARGET = 'AmazonSQS';

export interface Sqs {
  readonly service: AwsService;
  /** The messages of a queue: waiting, delayed and in flight. */
  inspect(queueName: string): QueueContents;
  /** Ends every waiting receive immediately until the promise settles, and then settles. */
  endWaitsUntil(settled: Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
}

export interface QueueContents {
  readonly ready: readonly { readonly body: string }[];
  readonly delayed: readonly { readonly body: string }[];
  readonly inFlight: readonly { readonly body: string }[];
}

export interface SqsOptions {
  /** Where messages are stored. When omitted, they are deleted when the process ends. */
  readonly dataDir?: string | undefined;
}

/** @param queues resources of the type AWS::SQS::Queue */
export async function startSqs(queues: readonly Resource[], { dataDir }: SqsOptions = {}): Promise<Sqs> {
  const { SqsStore, SnsStore, S3Store, PersistenceManager } = await fauxqsParts();
  const stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
  const persistence = dataDir === undefined ? undefined : new PersistenceManager(dataDir);
  if (persistence !== undefined) persist(persistence, stores);
  for (const queue of queues) makeQueue(stores.sqsStore, queue);
  for (const queue of stores.sqsStore.allQueues()) {
    makeFair(queue);
    Object.assign(queue, { startPollTimerIfNeeded: () => {} });
  }
  // Makes delayed messages ready as often as fauxqs, with one timer instead of one for each queue that is polled.
  const timer = setInterval(() => stores.sqsStore.processAllTimers(), 20).unref();
  const app = buildApp({ logger: false, stores });
  return {
    service: async ({ target, operation, body, input }) => {
      const { statusCode, payload, headers } = await app.inject({
        method: 'POST',
        url: '/',
        headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `${target}.${operation}` },
        payload: withGroups({ body, input }),
      });
      const queryError = headers['x-amzn-query-error'];
      return {
        status: statusCode,
        body: payload,
        ...(queryError !== undefined && { headers: { 'x-amzn-query-error': String(queryError) } }),
      };
    },
    inspect(queueName) {
      const contents = stores.sqsStore.inspectQueue(queueName)?.messages;
      if (contents === undefined) throw new Error(`Expected the name of a queue, got ${queueName}.`);
      return {
        ready: contents.ready,
        delayed: contents.delayed,
        inFlight: contents.inflight.map(({ message }) => message),
      };
    },
    async endWaitsUntil(settled) {
      // Repeated, because a receive that was called earlier may start to wait later.
      const endWaits = setInterval(() => stores.sqsStore.shutdown(), 10);
      await settled.finally(() => clearInterval(endWaits));
    },
    async stop() {
      clearInterval(timer);
      await app.close();
      persistence?.close();
    },
  };
}

type Stores = NonNullable<NonNullable<Parameters<typeof buildApp>[0]>['stores']>;

/** The parts that `startFauxqs` composes. They are composed here because `startFauxqs` listens on all addresses. */
interface FauxqsParts {
  readonly SqsStore: new () => Stores['sqsStore'];
  readonly SnsStore: new () => Stores['snsStore'];
  readonly S3Store: new () => Stores['s3Store'];
  readonly PersistenceManager: new (dataDir: string) => Persistence;
}

interface Persistence {
  readonly db: import('node:sqlite').DatabaseSync;
  load(sqs: Stores['sqsStore'], sns: Stores['snsStore'], s3: Stores['s3Store']): void;
  updateMessageReady(messageId: string): void;
  close(): void;
}

/** The package exports only its root, so its parts are imported by file path. */
async function fauxqsParts(): Promise<FauxqsParts> {
  const manifest = findPackageJSON('fauxqs', import.meta.url)!;
  const part = (file: string) => import(pathToFileURL(join(manifest, '..', 'dist', file)).href);
  const [sqs, sns, s3, persistence, { INVALID_MESSAGE_BODY_CHAR: invalid }] = await Promise.all(
    ['sqs/sqsStore.js', 'sns/snsStore.js', 's3/s3Store.js', 'persistence.js', 'sqs/sqsTypes.js'].map(part),
  );
  // fauxqs 2.4 rejects every character above U+FFFF, which SQS accepts: it tests the surrogates separately.
  invalid.compile('[^\\t\\n\\r\\u{20}-\\u{D7FF}\\u{E000}-\\u{FFFD}\\u{10000}-\\u{10FFFF}]', 'u');
  return { ...sqs, ...sns, ...s3, ...persistence };
}

function persist(persistence: Persistence, stores: Stores): void {
  // A crash of the machine may lose a message. Its sender or the schedule then sends it again.
  persistence.db.exec('PRAGMA synchronous = NORMAL');
  // fauxqs 2.4 writes a null receive count here, which its own schema rejects.
  const release = persistence.db.prepare(
    'UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = ?',
  );
  persistence.updateMessageReady = (messageId) => {
    release.run(messageId);
  };
  // At the start no consumer holds a message. Otherwise messages that a killed process held would stay hidden until their
  // timeout.
  persistence.db.exec('UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL');
  persistence.load(stores.sqsStore, stores.snsStore, stores.s3Store);
  const sqsPersistence = persistence as unknown as NonNullable<Stores['sqsStore']['persistence']>;
  stores.sqsStore.persistence = sqsPersistence;
  for (const queue of stores.sqsStore.allQueues()) queue.persistence = sqsPersistence;
}

/** Creates the queue, or sets the template's attributes on a queue loaded from disk. */
function makeQueue(store: Stores['sqsStore'], { name, arn, properties }: Resource): void {
  const attributes = queueAttributes(properties);
  const loaded = store.getQueueByName(name);
  if (loaded === undefined)
    store.createQueue(name, `http://127.0.0.1/${ACCOUNT_ID}/${name}`, arn, attributes);
  else loaded.setAttributes(attributes);
}

const ATTRIBUTES = [
  'ContentBasedDeduplication',
  'DelaySeconds',
  'FifoQueue',
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'RedrivePolicy',
  'VisibilityTimeout',
] as const;

function queueAttributes(properties: Resource['properties']): Record<string, string> {
  const given = ATTRIBUTES.filter((name) => properties[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, attributeText(properties[name])]));
}

function attributeText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
