import { expect, it } from 'vitest';
import { JOURNEYS } from './journeys.ts';
import { testMuster } from './muster.ts';

const muster = await testMuster({ awsDelays: true });

it.concurrent.each([
  'get a match',
  'receive a match at two webhooks, one of which fails at first',
  'accept a match that is then provisioned',
] as const)('with the delays of AWS a game backend can %s', async (name) => {
  await JOURNEYS[name](muster);
});

it('the service stops while messages are still in flight', async () => {
  const queue = await muster.api.queue();
  await muster.api.ticket(queue, 1);
  await muster.stop();
  expect(muster.cloud.logs.filter(({ line }) => /EventBridge: /.test(line))).toEqual([]);
});
