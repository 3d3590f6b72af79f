import { beforeEach, describe, expect, it } from 'vitest';
import { type AwsReply, errorReply } from '../../lib/local/aws-json.ts';
import { fresh, player, testMuster } from './muster.ts';

/** Replies that replace those of the store for the next calls of an operation by a function, or by all. */
const faults: { by?: string; operation: string; reply: AwsReply; times: number }[] = [];
beforeEach(() => {
  faults.length = 0;
});

const { api, cloud, rows } = await testMuster({
  intercept: async (call, service, caller) => {
    const fault = faults.find(
      ({ by, operation, times }) =>
        operation === call.operation && times > 0 && (by === undefined || caller === cloud.function(by).name),
    );
    if (fault === undefined || caller === undefined) return service(call);
    fault.times -= 1;
    return fault.reply;
  },
});

const THROTTLED = errorReply(
  'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
  'The level of configured provisioned throughput for the table was exceeded.',
);
const DENIED = errorReply(
  'com.amazon.coral.service#AccessDeniedException',
  'User arn:aws:sts::000000000000:assumed-role/secret-role is not authorized',
);

describe('the service', () => {
  it('hides a short throttling of the store', async () => {
    const queue = await api.queue();
    faults.push({ by: 'enqueue', operation: 'PutItem', reply: THROTTLED, times: 1 });
    await api.ticket(queue, 1);
    expect(faults[0]!.times).toBe(0);
  });

  it('returns 503 with Retry-After while the store is throttled, and accepts the repeated request', async () => {
    const queue = await api.queue();
    const body = { ticketId: fresh('ticket'), players: [player(1)] };
    faults.push({ by: 'enqueue', operation: 'PutItem', reply: THROTTLED, times: 50 });
    const busy = await api.post(`/queues/${queue}/tickets`, body);
    expect(busy.status).toBe(503);
    expect(Number(busy.headers.get('retry-after'))).toBeGreaterThan(0);
    // The function tries twice at the ticket's key and twice at one of the bucket's further keys, so that retries do not
    // increase the load, and tells the caller when to retry.
    expect(50 - faults[0]!.times).toBe(4);
    expect((await rows('tickets')).filter(({ ticketId }) => ticketId === body.ticketId)).toEqual([]);
    faults.length = 0;
    expect((await api.post(`/queues/${queue}/tickets`, body)).status).toBe(201);
  });

  it('stores one ticket when ticks cannot be sent at first and the request is repeated', async () => {
    const queue = await api.queue();
    const body = { ticketId: fresh('ticket'), players: [player(1)] };
    const reply = errorReply('ThrottlingException', 'Rate exceeded');
    faults.push({ by: 'enqueue', operation: 'SendMessageBatch', reply, times: 50 });
    const busy = await api.post(`/queues/${queue}/tickets`, body);
    expect(busy.status).toBe(503);
    expect(Number(busy.headers.get('retry-after'))).toBeGreaterThan(0);
    faults.length = 0;
    expect((await api.post(`/queues/${queue}/tickets`, body)).status).toBe(200);
    expect((await rows('tickets')).filter(({ ticketId }) => ticketId === body.ticketId)).toHaveLength(1);
  });

  it('returns 500 without internal details when the store denies access', async () => {
    faults.push({ operation: 'GetItem', reply: DENIED, times: 50 });
    const { status, body } = await api.get('/matches/m');
    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toMatch(/arn:|role|authorized|DynamoDB/i);
  });
});
