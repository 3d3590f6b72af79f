import { unmarshall } from '@aws-sdk/util-dynamodb';
import type {
  APIGatewayProxyResultV2,
  APIGatewayProxyWebsocketEventV2,
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
} from 'aws-lambda';
import { clock } from '../lib/aws/clock.ts';
import { toConnection } from '../lib/aws/connection-store.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { logIds, toProblem } from '../lib/aws/http.ts';
import { logger } from '../lib/aws/log.ts';
import { sqsClient } from '../lib/aws/message-queue.ts';
import * as aws from '../lib/aws/services.ts';
import { watcherOf } from '../lib/aws/watcher-context.ts';
import { connectQuery } from '../lib/contract/watch.ts';
import { inParallel } from '../lib/service/concurrency/in-parallel.ts';
import type { Connection, Watcher } from '../lib/service/domain/connection.ts';
import { ifReadable } from '../lib/service/domain/unreadable.ts';
import { answerFrame, type FrameDeps } from '../lib/service/watching/answer-frame.ts';
import { type ConnectDeps, connect } from '../lib/service/watching/connect.ts';
import { type DisconnectDeps, disconnect } from '../lib/service/watching/disconnect.ts';
import { FrameLimit } from '../lib/service/watching/frame-limit.ts';
import { latestOfEachPlayer, showTicket } from '../lib/service/watching/show-ticket.ts';

const client = documentClient();
const sqs = sqsClient();
const deps: FrameDeps & ConnectDeps & DisconnectDeps = {
  tickets: aws.tickets(client),
  matches: aws.matches(client),
  queues: aws.queues(client),
  cooldowns: aws.cooldowns(client),
  presence: aws.presence(client),
  outcomes: aws.outcomes(client),
  connections: aws.connections(client),
  sockets: aws.sockets(),
  clock,
  ticks: aws.ticks(sqs),
  retries: aws.pushRetries(sqs),
};

const frames = new FrameLimit();

/**
 * The maximum of new connections whose first messages are sent concurrently. It is a whole batch, because each connection may
 * wait until it opens.
 */
const SHOWN_AT_ONCE = 100;

/** The function serves the routes of the WebSocket API, and reads new connections from the stream of their table. */
export const handler = (event: APIGatewayProxyWebsocketEventV2 | DynamoDBStreamEvent) =>
  'Records' in event ? fromStream(event) : fromSocket(event);

/** The event of `$connect` contains the query of its URL. */
type SocketEvent = APIGatewayProxyWebsocketEventV2 & {
  readonly queryStringParameters?: Readonly<Record<string, string | undefined>>;
};

async function fromSocket(event: SocketEvent): Promise<APIGatewayProxyResultV2> {
  logger.resetKeys();
  const { eventType, connectionId, authorizer } = event.requestContext as typeof event.requestContext & {
    authorizer?: unknown;
  };
  try {
    const watcher = watcherOf(authorizer);
    logIds({ ticketId: watcher.ticketId, queue: watcher.queue });
    await handle(eventType, watcher, connectionId, event);
    return { statusCode: 200 };
  } catch (error) {
    // A rejected client gets only the status.
    return { statusCode: toProblem(error).status };
  }
}

/** Dispatches by the type of the event. The route key would not do, because a frame can choose it. */
async function handle(
  eventType: SocketEvent['requestContext']['eventType'],
  watcher: Watcher,
  connectionId: string,
  { body = '', isBase64Encoded, queryStringParameters }: SocketEvent,
): Promise<void> {
  if (eventType === 'CONNECT')
    return connect(deps, watcher, connectionId, clock.now(), connectQuery.parse(queryStringParameters ?? {}));
  if (eventType === 'DISCONNECT') return disconnect(deps, watcher, connectionId, clock.now());
  if (!(await frames.admits(deps, watcher, connectionId))) {
    logger.warn('a connection sent too many frames and is ended');
    return;
  }
  const text = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body;
  await answerFrame(deps, watcher, connectionId, text, toProblem);
}

/** Reports the connections whose first message failed. Lambda continues from the first of them. */
async function fromStream(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const added = event.Records.flatMap((record) => {
    const connection = connectionOf(record);
    return connection === undefined ? [] : [{ connection, number: record.dynamodb!.SequenceNumber! }];
  });
  const failed = await inParallel(
    latestOfEachPlayer(added),
    SHOWN_AT_ONCE,
    async ({ connection, number }) => {
      try {
        await showTicket(deps, connection);
        return [];
      } catch (error) {
        logger.warn('the first message of a connection failed', { error });
        return [number];
      }
    },
  );
  const [first] = failed.flat();
  return { batchItemFailures: first === undefined ? [] : [{ itemIdentifier: first }] };
}

function connectionOf({ dynamodb }: DynamoDBRecord): Connection | undefined {
  return ifReadable(
    () => toConnection(unmarshall(dynamodb!.NewImage as Parameters<typeof unmarshall>[0])),
    (error) => logger.error('a connection cannot be read and gets no message', { error }),
  );
}
