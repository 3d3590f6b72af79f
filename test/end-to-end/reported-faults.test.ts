import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { watchBySocket } from '../../lib/client/index.ts';
import { type AwsCall, type AwsReply, errorReply } from '../../lib/local/aws-json.ts';
import { eventually } from '../patience.ts';
import { definition } from '../service/definitions.ts';
import { fresh, player, testMuster } from './muster.ts';

/** The table of faults names the entry of the log of each. */
const PAGE = readFileSync(join(import.meta.dirname, '../../docs/reliability.md'), 'utf8');

/** What replaces the response of a call of a function; undefined lets it pass. */
let refuse: (call: AwsCall, caller: string) => AwsReply | undefined = () => undefined;
afterEach(() => {
  refuse = () => undefined;
  throttlesSockets = false;
});
let throttlesSockets = false;

const { api, cloud } = await testMuster({
  interceptCommand: () => (throttlesSockets ? { status: 429 } : undefined),
  intercept: async (call, service, caller) =>
    (caller === undefined ? undefined : refuse(call, caller)) ?? service(call),
});
const tableOf = (fn: string, name: string) => cloud.function(fn).environment[name]!;
const isBy = (caller: string, fn: string) => caller === cloud.function(fn).name;

const THROTTLED = errorReply(
  'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
  'The level of configured provisioned throughput for the table was exceeded.',
);
const DENIED = errorReply('com.amazon.coral.service#AccessDeniedException', 'not authorized');

interface Fault {
  readonly what: string;
  readonly log: string;
  readonly begin: () => Promise<unknown>;
}

const FAULTS: readonly Fault[] = [
  {
    what: 'API Gateway throttles messages to game clients',
    log: 'players could not be reached on their sockets',
    begin: async () => {
      const { watch, ticketId } = await api.client.post(await api.queue(), {
        ticketId: fresh('watched'),
        players: [player(1)],
      });
      const changes = watchBySocket({ url: watch!.url, token: Object.values(watch!.tokens)[0]! });
      for await (const _ of changes) {
        throttlesSockets = true;
        break;
      }
      await api.delete(`/tickets/${ticketId}`);
    },
  },
  {
    what: 'the table of the tickets is throttled',
    log: 'the store is busy',
    begin: async () => {
      const queue = await api.queue();
      refuse = (call, caller) =>
        isBy(caller, 'enqueue') && call.body.includes(tableOf('enqueue', 'TICKETS_TABLE'))
          ? THROTTLED
          : undefined;
      const body = { ticketId: 'throttled', players: [{ playerId: 'p', skill: 1 }] };
      expect((await api.post(`/queues/${queue}/tickets`, body)).status).toBe(503);
    },
  },
  {
    what: 'a message that no try can handle',
    log: 'a message failed',
    begin: () =>
      new SQSClient(cloud.awsConfig).send(
        new SendMessageCommand({
          QueueUrl: tableOf('notify', 'NOTIFY_QUEUE_URL'),
          MessageBody: '{"event":"of a later version"}',
        }),
      ),
  },
  {
    what: '`dispatch` throws',
    log: 'a task of this minute failed',
    begin: async () => {
      await api.queue();
      refuse = (call, caller) =>
        isBy(caller, 'dispatch') && call.body.includes(tableOf('dispatch', 'TICKETS_TABLE'))
          ? DENIED
          : undefined;
      expect(await cloud.function('dispatch').invoke({})).toMatchObject({ ok: false });
    },
  },
  {
    what: '`publish` cannot put events on the bus',
    log: 'the bus rejected events',
    begin: async () => {
      const queue = await api.queue({ events: ['TicketQueued'] });
      refuse = ({ operation, input }) =>
        operation === 'PutEvents'
          ? { status: 200, body: JSON.stringify(rejected(input.Entries)) }
          : undefined;
      await api.ticket(queue, 1);
    },
  },
  {
    what: 'a queue that the deployed version cannot read',
    log: 'a task of this minute failed',
    begin: async () => {
      const queue = await api.queue();
      const tables = DynamoDBDocumentClient.from(new DynamoDBClient(cloud.awsConfig));
      await tables.send(
        new UpdateCommand({
          TableName: tableOf('publish', 'QUEUES_TABLE'),
          Key: { queue, item: 'definition' },
          UpdateExpression: 'SET #definition = :definition',
          ExpressionAttributeNames: { '#definition': 'definition' },
          ExpressionAttributeValues: { ':definition': JSON.stringify({ name: queue, teamSize: 'many' }) },
        }),
      );
      expect((await api.get('/queues')).body.unreadable).toContain(queue);
      expect(await cloud.function('dispatch').invoke({})).toMatchObject({ ok: false });
      await api.put(`/queues/${queue}`, definition({ name: queue }));
    },
  },
];

const rejected = (entries: readonly unknown[]) => ({
  FailedEntryCount: entries.length,
  Entries: entries.map(() => ({ ErrorCode: 'ThrottlingException', ErrorMessage: 'Rate exceeded' })),
});

describe('the log says so', () => {
  it.each(FAULTS)('when $what', async ({ what, log, begin }) => {
    const [row = ''] = PAGE.split('\n').filter((line) => line.startsWith(`| ${what} |`));
    expect(row).toContain(`| \`${log}\` |`);
    await begin();
    await eventually(() => {
      const found = cloud.logs.map(({ line }) => line).filter((line) => line.includes(`"${log}"`));
      expect(found.some((line) => /"level":"(ERROR|WARN)"/.test(line))).toBe(true);
    });
  });
});
