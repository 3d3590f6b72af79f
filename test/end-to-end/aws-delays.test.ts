import { expect, it } from 'vitest';
import { JOURNEYS } from './journeys.ts';
import { testMuster } from './muster.ts';

const muster = await testMuster({ awsDelays: true });

it.concurrent.each([
  'be matched',
  'hear of a match at two places, one of which fails at first',
  'accept a match, and have it provisioned',
] as const)('with the delays of AWS one can %s', async (name) => {
  await JOURNEYS[name](muster);
});

it('what is on its way when the service ends does not keep it from ending', async () => {
  const queue = await muster.api.queue();
  await muster.api.ticket(queue, 1);
  await muster.stop();
  expect(muster.cloud.logs.filter(({ line }) => /EventBridge: /.test(line))).toEqual([]);
});
