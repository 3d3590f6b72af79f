import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import type { Party } from '../../examples/flexmatch/party.ts';
import { flexmatch } from '../../lib/importers/flexmatch/flexmatch.ts';
import { imported } from '../../lib/importers/importer.ts';
import { testMuster } from './muster.ts';
import { SECRET, SECRET_NAME } from './receiver.ts';

const party = (id: string, rank: number): Party => ({
  id,
  members: ['a', 'b'].map((one) => ({
    id: `${id}-${one}`,
    rank,
    modes: ['duel'],
    pings: { 'eu-west-1': 20, 'us-east-1': 95 },
  })),
});

test('the example backend of FlexMatch starts a ticket and reads the notification of its match', async () => {
  const requests: { target: unknown; body: { TicketId: string; Players?: object[] } }[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    requests.push({ target: request.headers['x-amz-target'], body: JSON.parse(text) });
    response.setHeader('content-type', 'application/x-amz-json-1.1').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  vi.stubEnv('AWS_ENDPOINT_URL_GAMELIFT', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  try {
    const { cancel, findMatch, onNotification } = await import('../../examples/flexmatch/before.ts');
    await findMatch(party('t-1', 1000));
    await cancel('t-1');
    expect(requests.map(({ target }) => target)).toEqual([
      'GameLift.StartMatchmaking',
      'GameLift.StopMatchmaking',
    ]);
    expect(requests[0]!.body).toMatchObject({
      ConfigurationName: 'ranked',
      Players: [{ PlayerId: 't-1-a', PlayerAttributes: { rank: { N: 1000 } } }, { PlayerId: 't-1-b' }],
    });
    const log = vi.spyOn(console, 'log').mockReturnValue();
    const players = ['red', 'blue'].map((team) => ({ playerId: `${team}-player`, team }));
    const detail = { type: 'MatchmakingSucceeded', matchId: 'm-1', gameSessionInfo: { players } };
    onNotification(JSON.stringify({ detail }));
    onNotification(JSON.stringify({ detail: { type: 'MatchmakingSearching' } }));
    expect(log.mock.calls.flat()).toEqual(['match m-1, red: red-player', 'match m-1, blue: blue-player']);
  } finally {
    server.close();
  }
});

test('the same backend with Muster plays in the imported queue', async () => {
  const muster = await testMuster();
  vi.stubEnv('MUSTER_URL', muster.cloud.url);
  vi.stubEnv('MUSTER_SECRET', SECRET);
  const path = 'examples/flexmatch/rules.json';
  const { definition, lines } = imported(flexmatch, JSON.parse(readFileSync(path, 'utf8')), path);
  expect(lines.filter(({ outcome }) => outcome !== 'same')).toEqual([]);
  const webhooks = [
    { url: muster.receiver.url('/ranked'), secret: SECRET_NAME, events: ['MatchFound' as const] },
  ];
  expect((await muster.api.put('/queues/ranked', { ...definition, webhooks })).status).toBeLessThan(300);

  const { cancel, findMatch, onWebhook } = await import('../../examples/flexmatch/after.ts');
  const far = await findMatch(party('far', 5000));
  await findMatch(party('t-1', 1000));
  await findMatch(party('t-2', 1040));
  const { text, headers } = await muster.receiver.deliveries.first(({ path }) => path === '/ranked');
  const log = vi.spyOn(console, 'log').mockReturnValue();
  await onWebhook(text, headers);
  const lineOf = (team: string, ticket: string) =>
    expect.stringMatching(new RegExp(`^match .*, ${team}: ${ticket}-[ab], ${ticket}-[ab]$`));
  const [[red], [blue]] = log.mock.calls as [[string], [string]];
  expect([red, blue]).toEqual(
    red.includes('t-1')
      ? [lineOf('red', 't-1'), lineOf('blue', 't-2')]
      : [lineOf('red', 't-2'), lineOf('blue', 't-1')],
  );
  await cancel(far);
  const next = await findMatch(party('far', 5000));
  const statusOf = async (ticketId: string) => (await muster.api.get(`/tickets/${ticketId}`)).body.status;
  expect([await statusOf(far), await statusOf(next)]).toEqual(['CANCELLED', 'QUEUED']);
});
