import type { AwsCall } from './aws-json.ts';

/** The used fields of a message of fauxqs. */
interface GroupedMessage {
  messageGroupId?: string | undefined;
  messageAttributes: Record<string, { readonly StringValue?: string | undefined }>;
  md5OfMessageAttributes: string;
}

/** The used members of a queue of fauxqs. */
interface GroupedQueue<Message extends GroupedMessage> {
  messages: Message[];
  readonly inflightMessages: ReadonlyMap<string, { readonly message: Message }>;
  processTimers(): void;
  enqueue: (message: Message) => void;
  dequeue: (...args: never[]) => unknown;
}

/** fauxqs 2.4 drops the group of a message to a standard queue, so this attribute carries it into the queue. */
const GROUP = 'MessageGroupId';

/** The body of an SQS request, with the group of each message as an attribute. */
export function withGroups({ body, input }: Pick<AwsCall, 'body' | 'input'>): string {
  if (!body.includes('"MessageGroupId"')) return body;
  const { Entries, ...rest } = input as GroupedEntry & { readonly Entries?: readonly GroupedEntry[] };
  return JSON.stringify(Entries === undefined ? grouped(rest) : { ...rest, Entries: Entries.map(grouped) });
}

interface GroupedEntry {
  readonly MessageGroupId?: string;
  readonly MessageAttributes?: object;
}

function grouped<Entry extends GroupedEntry>(entry: Entry): Entry {
  const { MessageGroupId, MessageAttributes } = entry;
  if (MessageGroupId === undefined) return entry;
  const group = { DataType: 'String', StringValue: MessageGroupId };
  return { ...entry, MessageAttributes: { ...MessageAttributes, [GROUP]: group } };
}

/**
 * Makes a standard queue [fair](https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html),
 * as SQS is and fauxqs is not: messages of the groups with the fewest messages in flight are received first. Messages of one
 * group keep their order. Those without a group rank like a group with none in flight.
 */
export function makeFair<Message extends GroupedMessage>(queue: GroupedQueue<Message>): void {
  const enqueue = queue.enqueue.bind(queue);
  queue.enqueue = (message) => {
    const { [GROUP]: group, ...attributes } = message.messageAttributes;
    if (group !== undefined) {
      message.messageGroupId = group.StringValue;
      message.messageAttributes = attributes;
      // The same as without attributes. The file of messages cannot store undefined.
      message.md5OfMessageAttributes = '';
    }
    enqueue(message);
  };
  const dequeue = queue.dequeue.bind(queue);
  queue.dequeue = (...args) => {
    // From here on, due messages are among the others.
    queue.processTimers();
    const inFlight = inFlightOf(queue);
    if (inFlight.size > 0) {
      const of = ({ messageGroupId = '' }: Message) => inFlight.get(messageGroupId) ?? 0;
      queue.messages = queue.messages.toSorted((a, b) => of(a) - of(b));
    }
    return dequeue(...args);
  };
}

/** The messages in flight of each group. */
function inFlightOf<Message extends GroupedMessage>({
  inflightMessages,
}: GroupedQueue<Message>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { message } of inflightMessages.values()) {
    const { messageGroupId: group } = message;
    if (group !== undefined) counts.set(group, 1 + (counts.get(group) ?? 0));
  }
  return counts;
}
