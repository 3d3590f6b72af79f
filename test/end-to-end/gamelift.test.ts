import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { afterAll, expect, it } from 'vitest';
import type { Interceptor } from '../../lib/local/aws-endpoint.ts';
import { ACCOUNT_ID, REGION } from '../../lib/local/local-account.ts';
import { startLocalCloud } from '../../lib/local/local-cloud.ts';
import { synthesized } from '../infra/synthesized.ts';
import { eventually } from '../patience.ts';
import { GameLiftStandIn } from '../provisioners/game-lift-stand-in.ts';
import { definition } from '../service/definitions.ts';
import { fresh, studioAround } from './muster.ts';

/** The template with a queue of GameLift, and a stand-in for GameLift's API. */
const gameLift = new GameLiftStandIn(Date.now);
const app = synthesized({ context: { gameSessionQueues: 'arenas' } });
const { Resources } = structuredClone(app.template);
for (const { Type, Properties } of Object.values(Resources)) {
  const variables = Type === 'AWS::Lambda::Function' && Properties.Environment.Variables;
  if (variables && variables.POWERTOOLS_SERVICE_NAME === 'provision-gamelift')
    variables.AWS_ENDPOINT_URL_GAMELIFT = await serveGameLift();
}
const cloud = await startLocalCloud({
  template: { Resources },
  assetPathOf: app.assetPathOf,
  port: 0,
  intercept: eachSecond(),
});
const { api, timeIsUp } = await studioAround(cloud);
const events = new EventBridgeClient(cloud.awsConfig);

const PROVISIONER = { type: 'gamelift', gameSessionQueue: 'arenas' } as const;

/** Two tickets in a new queue; returns the id of their match, which is also that of the placement. */
async function placing() {
  const queue = await api.queue({ provisioner: PROVISIONER });
  const [one] = [await api.ticket(queue, 1), await api.ticket(queue, 2)];
  const { matchId } = await api.until(one!.ticketId, 'PLACING');
  await eventually(() => expect(gameLift.placements.has(matchId!)).toBe(true));
  return { matchId: matchId!, ticketId: one!.ticketId };
}

it('assigns a match by the event of GameLift on the default bus', async () => {
  const { matchId, ticketId } = await placing();
  gameLift.fulfil(matchId);
  const { detail, source, 'detail-type': DetailType } = gameLift.eventOf(matchId);
  await events.send(
    new PutEventsCommand({
      Entries: [
        {
          Source: source,
          DetailType,
          Detail: JSON.stringify(detail),
          Resources: [`arn:aws:gamelift:${REGION}:${ACCOUNT_ID}:gamesessionqueue/arenas`],
        },
      ],
    }),
  );
  await api.until(ticketId, 'COMPLETED');
  const { body: match } = await api.get(`/matches/${matchId}`);
  expect(match.assignment).toMatchObject({ port: 6262, sessionId: expect.stringContaining(matchId) });
  const players = match.teams.flatMap((team: { players: { playerId: string }[] }) =>
    team.players.map(({ playerId }) => playerId),
  );
  expect(Object.keys(match.assignment.tokens).sort()).toEqual(players.sort());
  const placement = gameLift.placements.get(matchId)!;
  expect(JSON.parse(String(placement.GameSessionData))).toMatchObject({ matchId, status: 'PLACING' });
});

it('stops the placement of a match that fails at its deadline', async () => {
  const { matchId, ticketId } = await placing();
  await timeIsUp(matchId);
  await api.until(ticketId, 'FAILED');
  await eventually(() => expect(gameLift.placements.get(matchId)!.Status).toBe('CANCELLED'));
});

it('rejects a definition with a queue of GameLift that the deployment does not name', async () => {
  const name = fresh('queue');
  const other = definition({ name, provisioner: { ...PROVISIONER, gameSessionQueue: 'others' } });
  const { status, body } = await api.put(`/queues/${name}`, other);
  expect(status).toBe(400);
  expect(body.errors[0].pointer).toBe('#/provisioner/gameSessionQueue');
});

/** Postponed messages are read again each second. */
function eachSecond(): Interceptor {
  return (call, service) =>
    service(
      call.operation === 'ChangeMessageVisibility'
        ? { ...call, input: { ...call.input, VisibilityTimeout: 1 }, body: soon(call.body) }
        : call,
    );
}

function soon(body: string): string {
  return JSON.stringify({ ...JSON.parse(body), VisibilityTimeout: 1 });
}

/** Serves the stand-in in the JSON protocol of AWS. */
async function serveGameLift(): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
    const { status, body } = gameLift.call(operation, JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
