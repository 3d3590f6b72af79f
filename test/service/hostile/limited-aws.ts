import type { EventBridgeClient, PutEventsCommandInput } from '@aws-sdk/client-eventbridge';
import type { SendMessageBatchCommandInput, SQSClient } from '@aws-sdk/client-sqs';

/** The limits of a request to SQS, and of one to EventBridge. */
const SQS_BYTES_MAX = 1_048_576;
const EVENT_BYTES_MAX = 1_048_576;

/** A client of SQS that only sends batches, and rejects those that SQS rejects. */
export function limitedSqs(
  send: (url: string, body: string, options: { afterMs: number; group: string | undefined }) => Promise<void>,
): SQSClient {
  return {
    async send({ input }: { readonly input: SendMessageBatchCommandInput }) {
      const { QueueUrl, Entries = [] } = input;
      const bytes = Entries.reduce((sum, { MessageBody = '' }) => sum + Buffer.byteLength(MessageBody), 0);
      if (bytes > SQS_BYTES_MAX) throw tooLong('BatchRequestTooLong', bytes);
      for (const { MessageBody = '', DelaySeconds = 0, MessageGroupId: group } of Entries)
        await send(QueueUrl!, MessageBody, { afterMs: 1_000 * DelaySeconds, group });
      return { Failed: [] };
    },
  } as unknown as SQSClient;
}

/** A client of EventBridge that only puts events, and rejects those that EventBridge rejects. */
export function limitedBus(
  put: (detailType: string, detail: string, resources: readonly string[]) => Promise<void>,
) {
  return {
    async send({ input }: { readonly input: PutEventsCommandInput }) {
      const { Entries = [] } = input;
      const bytes = Entries.reduce((sum, { Detail = '' }) => sum + Buffer.byteLength(Detail), 0);
      if (bytes > EVENT_BYTES_MAX) throw tooLong('RequestEntityTooLarge', bytes);
      for (const { DetailType, Detail, Resources = [] } of Entries)
        await put(DetailType!, Detail!, Resources);
      return { Entries: Entries.map(() => ({})) };
    },
  } as unknown as EventBridgeClient;
}

function tooLong(name: string, bytes: number): Error {
  return Object.assign(new Error(`${bytes} bytes are too many for one request`), { name });
}
