import { describe, expect, it } from 'vitest';
import { SCOPES, tokenScope } from '../../lib/contract/callers.ts';
import { ROUTE_KEYS, scopesOf } from '../../lib/contract/routes.ts';
import { startLocalCloud } from '../../lib/local/local-cloud.ts';
import { verifierOf } from '../../lib/local/token-verifier.ts';
import { testIssuer } from '../local/tokens.ts';
import { eventually } from '../patience.ts';
import { definition } from '../service/definitions.ts';
import { fresh, studioAround } from './muster.ts';
import { patientApp } from './patient-app.ts';

const issuer = await testIssuer();
const cloud = await startLocalCloud({
  ...patientApp('tokens'),
  port: 0,
  verifyToken: verifierOf(issuer.keys),
});
await studioAround(cloud);

const token = async (scope: string, sub = 'server') => `Bearer ${await issuer.token({ scope, sub })}`;
const BACKEND = await token('muster/backend');
const ADMIN = await token('muster/admin');
const player = (playerId: string) => token('muster/player', playerId);

/** Sends a request without the client, which does not report the status of a success. */
async function send(authorization: string | undefined, method: string, path: string, body?: unknown) {
  const response = await fetch(cloud.url + path, {
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

describe.each(ROUTE_KEYS)('%s', (key) => {
  const [method, path] = key.split(' ') as [string, string];
  const to = path.replaceAll(/\{\w+\}/g, 'nothing-of-that-name');
  const scopes: readonly string[] = scopesOf(key);

  it.each(SCOPES)('admits or rejects a caller with the scope %s as documented', async (scope) => {
    const { status } = await send(await token(tokenScope(scope)), method, to);
    const admitted = scopes.length === 0 || scopes.includes(scope);
    if (admitted) expect([401, 403]).not.toContain(status);
    else expect(status).toBe(403);
  });

  it('rejects a caller without a token unless the route is open', async () => {
    const { status } = await send(undefined, method, to);
    if (scopes.length === 0) expect(status).toBe(200);
    else expect(status).toBe(401);
  });
});

/** A queue for two solo players, and a ticket of each. */
async function pair(changes: object = {}, more: object = {}) {
  const name = fresh('queue');
  const put = await send(ADMIN, 'PUT', `/queues/${name}`, definition({ ...changes, name }));
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
    const long = (more = '') =>
      fetch(`${cloud.url}/tickets/${ann.ticketId}?waitSeconds=20${more}`, {
        headers: { authorization: ann.token },
      });
    const waiting = await eventually(async () => {
      const all = [long(), long(), long('&explain=true'), long(), long('&explain=true')];
      const answered: Response[] = [];
      await new Promise<void>((resolve, reject) => {
        for (const one of all)
          one.then((response) => answered.push(response) === all.length - 3 && resolve(), reject);
      });
      // On a busy machine the three may have waited to their end before the last request is read.
      if (answered.some(({ status }) => status === 200)) await Promise.all(all);
      for (const response of answered) {
        expect(response.status).toBe(429);
        expect(response.headers.get('content-type')).toBe('application/problem+json');
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      return all;
    });
    expect((await send(ann.token, 'GET', `/tickets/${ann.ticketId}`)).status).toBe(200);
    expect((await send(bob.token, 'GET', `/tickets/${bob.ticketId}?waitSeconds=0.1`)).status).toBe(200);
    expect((await send(BACKEND, 'GET', `/tickets/${ann.ticketId}?waitSeconds=0.1`)).status).toBe(200);
    // The three end with their ticket. A function may remember for a second that their slots were taken.
    expect((await send(ann.token, 'DELETE', `/tickets/${ann.ticketId}`)).status).toBe(200);
    const all = await Promise.all(waiting);
    expect(all.filter(({ status }) => status === 200)).toHaveLength(3);
    const poll20 = () => send(ann.token, 'GET', `/tickets/${ann.ticketId}?waitSeconds=20`);
    let again = await poll20();
    while (again.status === 429) again = await poll20();
    expect(again).toMatchObject({ status: 200, body: { status: 'CANCELLED' } });
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
