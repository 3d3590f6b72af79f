/** A stand-in for EventBridge: accepts events and sends them to the queues of the rules that match. */
import { randomUUID } from 'node:crypto';
import { messageText } from '../service/events/message-text.ts';
import type { AwsDelays } from './aws-delays.ts';
import { type AwsService, callAws, errorReply, jsonReply } from './aws-json.ts';
import { ACCOUNT_ID, REGION } from './local-account.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import { compilePattern, type Pattern, PatternError } from './pattern.ts';
import { isAllowed, queueStatements } from './policy.ts';
import { SQS_TARGET } from './sqs.ts';
import type { Properties, Resource, Stack } from './template.ts';

export const EVENTS_TARGET = 'AWSEvents';

/** An event as EventBridge delivers it. */
export interface BusEvent {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  /** ISO 8601, to the second. */
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: unknown;
}

export type BusListener = (event: BusEvent, busName: string) => void;

export interface EventBus {
  readonly service: AwsService;
  /** Calls the listener with every event put. The returned function removes the listener. */
  tap(listener: BusListener): () => void;
  /** Settles when every accepted event is delivered. */
  stop(): Promise<void>;
}

export interface EventBusOptions {
  readonly stack: Stack;
  readonly sqs: AwsService;
  /** Delays of requests and deliveries. */
  readonly delays: AwsDelays;
  readonly log: (line: string) => void;
}

/**
 * @throws LocalCloudError when a rule has a pattern or a target without local counterpart, or when the policy of a
 * target queue does not let EventBridge send to it (AWS would drop the events without an error)
 */
export function makeEventBus({ stack, sqs, delays, log }: EventBusOptions): EventBus {
  const buses = new Set(['default', ...stack.resources('AWS::Events::EventBus').map(({ name }) => name)]);
  const rules = stack
    .resources('AWS::Events::Rule')
    .filter(({ properties }) => properties.EventPattern !== undefined && properties.State !== 'DISABLED')
    .map((rule) => makeRule(rule, stack));
  const listeners = new Set<BusListener>();
  const delivering = new Set<Promise<unknown>>();

  const send = ({ queueUrl, groupOf }: Target, event: BusEvent) =>
    callAws(sqs, SQS_TARGET, 'SendMessage', {
      QueueUrl: queueUrl,
      MessageBody: messageText(event),
      MessageGroupId: groupOf(event),
    });

  const deliverLater = (target: Target, event: BusEvent) => {
    const delivery = delays
      .wait('eventBusDelivery')
      .then(() => send(target, event))
      .catch((error) => log(`EventBridge: ${error}`))
      .finally(() => delivering.delete(delivery));
    delivering.add(delivery);
  };

  const put = async (entry: Properties) => {
    const busName = busNameOf(entry.EventBusName);
    const refusal = refusalOf(entry, buses);
    if (refusal !== undefined) return refusal;
    const event = eventOf(entry);
    for (const listener of listeners) listener(event, busName);
    const matching = rules.filter((rule) => rule.busName === busName && rule.matches(event));
    for (const target of matching.flatMap((rule) => rule.targets)) {
      if (delays.instant) await send(target, event);
      else deliverLater(target, event);
    }
    return { EventId: event.id };
  };

  return {
    async service({ operation, input }) {
      if (operation !== 'PutEvents') {
        return errorReply(
          'UnknownOperationException',
          `${operation} of EventBridge has no local counterpart.`,
        );
      }
      const { Entries } = input as { Entries: readonly Properties[] };
      if (Entries.length < 1 || Entries.length > ENTRIES_MAX) {
        return errorReply(
          'ValidationException',
          `Expected 1 to ${ENTRIES_MAX} entries, got ${Entries.length}.`,
        );
      }
      const results = [];
      for (const entry of Entries) results.push(await put(entry));
      return jsonReply({
        Entries: results,
        FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length,
      });
    },
    tap(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async stop() {
      await Promise.all(delivering);
    },
  };
}

/** The name of a bus given by name or ARN; the account's default bus when omitted. */
export function busNameOf(nameOrArn: unknown): string {
  return nameOrArn === undefined ? 'default' : String(nameOrArn).split('/').at(-1)!;
}

const ENTRIES_MAX = 10;
const ENTRY_MAX_BYTES = 1024 * 1024;

function refusalOf(entry: Properties, buses: ReadonlySet<string>) {
  const reject = (ErrorCode: string, ErrorMessage: string) => ({ ErrorCode, ErrorMessage });
  if (!buses.has(busNameOf(entry.EventBusName))) {
    return reject('NotAuthorizedForSourceException', `Not authorized: no bus ${entry.EventBusName}.`);
  }
  for (const name of ['Source', 'DetailType', 'Detail']) {
    if (!entry[name])
      return reject(
        'InvalidArgument',
        `Parameter ${name} is not valid. Reason: ${name} is a required argument.`,
      );
  }
  if (Buffer.byteLength(JSON.stringify(entry)) > ENTRY_MAX_BYTES) {
    return reject('InvalidArgument', 'Total size of the entry is above 1 MB.');
  }
  try {
    JSON.parse(String(entry.Detail));
    return undefined;
  } catch {
    return reject('MalformedDetail', 'Detail is malformed.');
  }
}

function eventOf({ DetailType, Source, Time, Resources, Detail }: Properties): BusEvent {
  const time = typeof Time === 'number' ? new Date(Time * 1000) : new Date();
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': String(DetailType),
    source: String(Source),
    account: ACCOUNT_ID,
    time: time.toISOString().replace(/\.\d+Z$/, 'Z'),
    region: REGION,
    resources: (Resources as string[] | undefined) ?? [],
    detail: JSON.parse(String(Detail)),
  };
}

interface Rule {
  readonly busName: string;
  readonly matches: Pattern;
  readonly targets: readonly Target[];
}

interface Target {
  readonly queueUrl: string;
  /** The message group of an event. */
  readonly groupOf: (event: BusEvent) => string | undefined;
}

function makeRule(rule: Resource, stack: Stack): Rule {
  const targets = (rule.properties.Targets ?? []) as readonly Properties[];
  return {
    busName: busNameOf(rule.properties.EventBusName),
    matches: patternOf(rule),
    targets: targets.map((target) => ({
      queueUrl: queueUrlOf(target, rule, stack),
      groupOf: groupsOf(target.SqsParameters as Properties | undefined),
    })),
  };
}

function patternOf({ logicalId, properties }: Resource): Pattern {
  try {
    return compilePattern(properties.EventPattern);
  } catch (error) {
    if (error instanceof PatternError) throw new LocalCloudError(`The rule ${logicalId}: ${error.message}`);
    throw error;
  }
}

/** The group of an event. `MessageGroupId` is a text, or a path in the event, such as `$.detail.queue`. */
function groupsOf({ MessageGroupId: group }: Properties = {}): Target['groupOf'] {
  if (group === undefined || !String(group).startsWith('$.')) return () => group as string | undefined;
  const path = String(group).slice(2).split('.');
  return (event) => {
    const found = path.reduce<unknown>((value, name) => (value as Properties | undefined)?.[name], event);
    return found === undefined ? undefined : String(found);
  };
}

function queueUrlOf(target: Properties, rule: Resource, stack: Stack): string {
  const queue = stack.resources('AWS::SQS::Queue').find(({ arn }) => arn === target.Arn);
  if (queue === undefined) {
    throw new LocalCloudError(
      `The rule ${rule.logicalId} has the target ${target.Arn}, which is not a queue.`,
    );
  }
  for (const option of ['Input', 'InputPath', 'InputTransformer']) {
    if (target[option] !== undefined) {
      throw new LocalCloudError(`The rule ${rule.logicalId} uses ${option}, which has no local counterpart.`);
    }
  }
  const mayBeSent = isAllowed(queueStatements(stack, queue), {
    action: 'sqs:SendMessage',
    resourceArn: queue.arn,
    service: 'events.amazonaws.com',
    context: { 'aws:SourceArn': rule.arn, 'aws:SourceAccount': ACCOUNT_ID },
  });
  if (!mayBeSent) {
    throw new LocalCloudError(
      `No policy of the queue ${queue.logicalId} lets the rule ${rule.logicalId} send to it (events.amazonaws.com, sqs:SendMessage).`,
    );
  }
  return queue.ref;
}
