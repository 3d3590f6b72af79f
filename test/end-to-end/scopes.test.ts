import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { documentClient } from '../../lib/aws/dynamo.ts';
import { pollSlots } from '../../lib/aws/poll-slots.ts';
import { SCOPES, tokenScope } from '../../lib/contract/callers.ts';
import { ROUTE_KEYS, scopesOf } from '../../lib/contract/routes.ts';
import { REQUESTS_MAX } from '../../lib/service/players/concurrency-limit.ts';
import { testIssuer } from '../local/tokens.ts';
import { eventually, PATIENCE_MS } from '../patience.ts';
import { definition } from '../service/definitions.ts';
import { fresh, testMuster } from './muster.ts';
import { tokenGateway } from './token-gateway.ts';

const issuer = await testIssuer();
const { cloud } = await testMuster();
const { url, routes } = await tokenGateway(cloud, issuer);

const token = async (scope: string, sub = 'server') => `Bearer ${await issuer.token({ scope, sub })}`;
const BACKEND = await token('muster/backend');
const ADMIN = await token('muster/admin');
const player = (playerId: string) => token('muster/player', playerId);

/** Sends a request without the client, which does not report the status of a success. */
async function send(authorization: string | undefined, method: string, path: string, body?: unknown) {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

it.each(ROUTE_KEYS)('%s admits callers with the scopes that are documented, and others not', async (key) => {
  const [method, path] = key.split(' ') as [string, string];
  const to = path.replaceAll(/\{\w+\}/g, 'some');
  const { route } = routes.match(method, to)!;
  expect(route.routeKey).toBe(key);
  const statusFor = async (authorization?: string) => {
    const request = { method, headers: { ...(authorization && { authorization }) } } as IncomingMessage;
    const admission = await route.authorize(request);
    return admission.admitted ? 200 : admission.status;
  };
  const scopes: readonly string[] = scopesOf(key);
  for (const scope of SCOPES) {
    const isAdmitted = scopes.length === 0 || scopes.includes(scope);
    expect(await statusFor(await token(tokenScope(scope))), scope).toBe(isAdmitted ? 200 : 403);
  }
  expect(await statusFor(), 'without a token').toBe(scopes.length === 0 ? 200 : 401);
});

it('a request without a token, or with the scope of another route, reaches no function', async () => {
  const statuses = async (...request: [method: string, path: string]) =>
    Promise.all(
      [undefined, await player('ann'), ADMIN].map(async (as) => (await send(as, ...request)).status),
    );
  expect(await statuses('GET', '/health')).toEqual([200, 200, 200]);
  expect(await statuses('GET', '/queues')).toEqual([401, 403, 200]);
});

/** A queue for two solo players, and a ticket of each. */
async function pair(changes: object = {}, more: object = {}) {
  const name = fresh('queue');
  const put = await send(
    ADMIN,
    'PUT',
    `/queues/${name}`,
    definition({ timeoutSeconds: 3_600, ...changes, name }),
  );
  expect(put.status, JSON.stringify(put.body)).toBe(201);
  const tickets = await Promise.all(
    [fresh('ann'), fresh('bob')].map(async (playerId) => {
      const ticketId = fresh('ticket');
      const body = { ticketId, players: [{ playerId, skill: 1, ...more }] };
      expect((await send(BACKEND, 'POST', `/queues/${name}/tickets`, body)).status).toBe(201);
      return { ticketId, playerId, token: await player(playerId) };
    }),
  );
  return [tickets[0]!, tickets[1]!] as const;
}

/** A queue with an attribute that players see, and one that only backends see. */
const ATTRIBUTES = {
  attributes: {
    clan: { type: 'string', visibleTo: 'match' },
    toxicity: { type: 'number' },
  },
};

async function matched(ticketId: string, status: string): Promise<string> {
  for (;;) {
    const { body } = await send(BACKEND, 'GET', `/tickets/${ticketId}?waitSeconds=2`);
    if (body.status === status) return body.matchId;
    expect(['QUEUED', 'PLACING', 'REQUIRES_ACCEPTANCE']).toContain(body.status);
  }
}

describe('a player', () => {
  it('reads and cancels the ticket they are in', async () => {
    const [ann] = await pair({ teamSize: 2 });
    expect(await send(ann.token, 'GET', `/tickets/${ann.ticketId}`)).toMatchObject({ status: 200 });
    expect(await send(ann.token, 'DELETE', `/tickets/${ann.ticketId}`)).toMatchObject({
      status: 200,
      body: { status: 'CANCELLED' },
    });
  });

  it('gets the same responses for another player’s ticket as for a missing one', async () => {
    const [ann, bob] = await pair({ acceptance: { timeoutSeconds: 600 } });
    await matched(ann.ticketId, 'REQUIRES_ACCEPTANCE');
    const requests = (ticketId: string) =>
      Promise.all([
        send(bob.token, 'GET', `/tickets/${ticketId}`),
        send(bob.token, 'GET', `/tickets/${ticketId}?waitSeconds=20`),
        send(bob.token, 'DELETE', `/tickets/${ticketId}`),
        send(bob.token, 'PUT', `/tickets/${ticketId}/acceptance`, { accepted: false }),
        send(bob.token, 'PUT', `/tickets/${ticketId}/acceptance`, { nonsense: 1 }),
      ]);
    const others = await requests(ann.ticketId);
    const unknown = await requests('unknown-ticket');
    expect(others.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect(JSON.parse(JSON.stringify(others).replaceAll(ann.ticketId, 'unknown-ticket'))).toEqual(unknown);
    const { body } = await send(ann.token, 'GET', `/tickets/${ann.ticketId}`);
    expect(body.status).toBe('REQUIRES_ACCEPTANCE');
  });

  it('sees attributes only where the definition shows them to a match, and no avoid list', async () => {
    const values = { attributes: { clan: 'red', toxicity: 97 }, avoid: ['ex-partner'] };
    const [ann] = await pair({ ...ATTRIBUTES, acceptance: { timeoutSeconds: 600 } }, values);
    const matchId = await matched(ann.ticketId, 'REQUIRES_ACCEPTANCE');
    const accept = { accepted: true, matchId };
    const shown = [
      await send(ann.token, 'GET', `/tickets/${ann.ticketId}`),
      await send(ann.token, 'PUT', `/tickets/${ann.ticketId}/acceptance`, accept),
      await send(ann.token, 'GET', `/matches/${matchId}`),
    ];
    for (const { status, body } of shown) {
      expect(status).toBe(200);
      expect(JSON.stringify(body)).toContain('red');
      expect(JSON.stringify(body)).not.toMatch(/toxicity|:97\b|avoid|ex-partner/);
    }
    const own = { playerId: ann.playerId, skill: 1, ...values };
    expect((await send(BACKEND, 'GET', `/tickets/${ann.ticketId}`)).body.players).toEqual([own]);
    const whole = await send(BACKEND, 'GET', `/matches/${matchId}`);
    expect(whole.body.teams[0].players[0].attributes).toEqual(values.attributes);
  });

  it('may wait in three requests at once, and delays no other player by more', async () => {
    // Two are too few for a match, which would end the polls.
    const [ann, bob] = await pair({ teamSize: 2 });
    const { RANGES_TABLE } = cloud.function('tickets').environment;
    const slots = pollSlots(documentClient(cloud.awsConfig), RANGES_TABLE!);
    // Other instances of the function hold a request each: test/service/players/concurrency-limit.test.ts.
    const take = () => slots.take(ann.playerId, REQUESTS_MAX, Date.now() + PATIENCE_MS, Date.now());
    const held = [await take(), await take(), await take()];
    const path = `/tickets/${ann.ticketId}`;
    for (const query of ['?waitSeconds=20', '?waitSeconds=20&explain=true']) {
      const response = await fetch(url + path + query, { headers: { authorization: ann.token } });
      expect(response.status).toBe(429);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await send(ann.token, 'GET', path)).status).toBe(200);
    expect((await send(bob.token, 'GET', `/tickets/${bob.ticketId}?waitSeconds=0.1`)).status).toBe(200);
    expect((await send(BACKEND, 'GET', `${path}?waitSeconds=0.1`)).status).toBe(200);
    for (const one of held) if (one.taken) await slots.release(one.slot);
    // A function may remember for a second that all slots were taken.
    await eventually(async () => {
      expect((await send(ann.token, 'GET', `${path}?waitSeconds=0.1`)).status).toBe(200);
    });
  });

  it('accepts for their own ticket', async () => {
    const tickets = await pair({ acceptance: { timeoutSeconds: 600 } });
    const matchId = await matched(tickets[0].ticketId, 'REQUIRES_ACCEPTANCE');
    for (const { ticketId, token } of tickets) {
      const acceptance = { accepted: true, matchId };
      await matched(ticketId, 'REQUIRES_ACCEPTANCE');
      expect((await send(token, 'PUT', `/tickets/${ticketId}/acceptance`, acceptance)).status).toBe(200);
    }
    await matched(tickets[0].ticketId, 'COMPLETED');
  });

  it('answers for themselves alone where each player answers, and does not see who else has', async () => {
    const [ann, bob] = await pair({ acceptance: { timeoutSeconds: 600, by: 'player' } });
    const matchId = await matched(ann.ticketId, 'REQUIRES_ACCEPTANCE');
    await matched(bob.ticketId, 'REQUIRES_ACCEPTANCE');
    const path = `/tickets/${ann.ticketId}/acceptance`;
    const answer = (token: string | undefined, more: object) =>
      send(token as string, 'PUT', path, { accepted: true, matchId, ...more });
    const foreign = await answer(ann.token, { playerIds: [bob.playerId] });
    expect(foreign.status).toBe(403);
    const unknown = await answer(BACKEND, { playerIds: [ann.playerId, 'nobody'] });
    expect(unknown).toMatchObject({ status: 400, body: { errors: [{ pointer: '#/playerIds/1' }] } });
    const { body } = await answer(ann.token, { playerIds: [ann.playerId] });
    expect(body.acceptance).toMatchObject({ ready: 1, of: 2, players: [ann.playerId] });
    const seen = await send(bob.token, 'GET', `/tickets/${bob.ticketId}?waitSeconds=20&ready=0`);
    expect(seen.body.acceptance).toMatchObject({ ready: 1, of: 2, players: [] });
    expect((await send(bob.token, 'GET', `/matches/${matchId}`)).body).not.toHaveProperty('acceptance');
    expect((await send(BACKEND, 'GET', `/matches/${matchId}`)).body.acceptance.accepted).toEqual([
      ann.playerId,
    ]);
    const late = `/tickets/${bob.ticketId}/acceptance`;
    await send(bob.token, 'PUT', late, { accepted: false, matchId });
    expect((await answer(ann.token, {})).status).toBe(409);
    for (const ready of ['x', '-1', '1.5', '201'])
      expect((await send(ann.token, 'GET', `/tickets/${ann.ticketId}?ready=${ready}`)).status).toBe(400);
  });

  it('reads only their own match, without the tokens of other players', async () => {
    const [ann, bob] = await pair({ provisioner: { type: 'external' } });
    const matchId = await matched(ann.ticketId, 'PLACING');
    const tokens = { [ann.playerId]: 'for-ann', [bob.playerId]: 'for-bob' };
    const assigned = await send(BACKEND, 'PUT', `/matches/${matchId}/assignment`, {
      address: 'game.example',
      tokens,
    });
    expect(assigned.body.assignment.tokens).toEqual(tokens);
    const path = `/matches/${matchId}`;
    expect((await send(BACKEND, 'GET', path)).body.assignment.tokens).toEqual(tokens);
    const seen = await send(ann.token, 'GET', path);
    expect(seen).toMatchObject({ status: 200, body: { matchId, status: 'COMPLETED' } });
    expect(seen.body.assignment).toEqual({ address: 'game.example', tokens: { [ann.playerId]: 'for-ann' } });

    const stranger = await send(await player('eve'), 'GET', path);
    const unknown = await send(await player('eve'), 'GET', '/matches/unknown-match');
    expect(stranger.status).toBe(404);
    expect(JSON.parse(JSON.stringify(stranger).replaceAll(matchId, 'unknown-match'))).toEqual(unknown);
  });
});
