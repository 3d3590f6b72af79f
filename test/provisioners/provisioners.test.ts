import { describe, expect, it } from 'vitest';
import type { ProvisionerOptions } from '../../lib/contract/queue-definition.ts';
import { type ProvisionersDeps, provisioners } from '../../lib/provisioners/provisioners.ts';
import type { StoredMatch } from '../../lib/service/domain/stored-match.ts';
import type { OutboundResult } from '../../lib/service/ports/outbound.ts';
import type { Provisioner } from '../../lib/service/ports/provisioner.ts';
import { match } from '../aws/samples.ts';
import { definition } from '../service/definitions.ts';

const HTTP: ProvisionerOptions = { type: 'http', url: 'https://games.example', secret: 'key' };

function answering(result: OutboundResult) {
  const requests: { url: string; body: string; headers: Record<string, string>; timeoutMs: number }[] = [];
  const overHttp: NonNullable<ProvisionersDeps['overHttp']> = {
    clock: { now: () => 1_700_000_000_000 },
    secrets: {
      get: async (name, queue) =>
        name.startsWith('other/')
          ? { outcome: 'refused', why: `${name} is not for ${queue}` }
          : { outcome: 'found', value: `whsec_${btoa(name)}` },
    },
    outbound: {
      post: async (url, body, headers, timeoutMs) => {
        requests.push({ url, body, headers, timeoutMs });
        return result;
      },
    },
  };
  return { all: provisioners({ overHttp }), requests };
}

const placed = (provisioner: Provisioner, match: StoredMatch) =>
  provisioner.place(match, definition({ provisioner: HTTP }));
const aMatch = () => match('duel', 'm1', ['a', 'b'], { status: 'PLACING' });
const responded = (status: number, body = ''): OutboundResult => ({ outcome: 'responded', status, body });

describe('The http provisioner', () => {
  it('posts the match, signed, with its id as idempotency key, and reads the assignment', async () => {
    const { all, requests } = answering(responded(200, '{"address":"eu1.example","port":7777}'));
    const posted = aMatch();
    expect(await placed(all(HTTP), posted)).toEqual({
      outcome: 'assigned',
      assignment: { address: 'eu1.example', port: 7777 },
    });
    const [request] = requests;
    expect(request).toMatchObject({ url: 'https://games.example', timeoutMs: 5_000 });
    expect(request!.headers).toMatchObject({
      'idempotency-key': posted.matchId,
      'webhook-id': posted.matchId,
      'webhook-timestamp': '1700000000',
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
    expect(JSON.parse(request!.body)).toMatchObject({ matchId: posted.matchId, teams: posted.teams });
    expect(JSON.parse(request!.body)).not.toHaveProperty('ticketIds');
  });

  it('sends nothing when the queue may not use the secret, and does not name it to the players', async () => {
    const { all, requests } = answering(responded(200, '{"address":"eu1.example"}'));
    expect(await placed(all({ ...HTTP, secret: 'other/key' }), aMatch())).toEqual({
      outcome: 'refused',
      why: 'its queue may not use the secret it names',
      detail: 'other/key is not for duel',
    });
    expect(requests).toEqual([]);
  });

  it.each([500, 503, 408, 425, 429, 302])('retries after status %i', async (status) => {
    const { all } = answering(responded(status));
    expect(await placed(all(HTTP), aMatch())).toEqual({
      outcome: 'retry',
      why: `the provisioner returned status ${status}`,
    });
  });

  it.each([400, 404, 409])('gives up after status %i', async (status) => {
    const { all } = answering(responded(status));
    expect(await placed(all(HTTP), aMatch())).toEqual({
      outcome: 'refused',
      why: `the provisioner returned status ${status}`,
    });
  });

  it.each([
    ['no JSON', 'ok', 'it is not JSON', undefined],
    ['no address', '{"port":7777}', 'check address', '#/address'],
    [
      'a bad port and a bad token',
      '{"address":"a","port":"x-1","tokens":{"ann":7}}',
      'check port, tokens',
      '#/tokens/ann',
    ],
    ['an unknown field', '{"address":"a","host":"b"}', 'it has unknown fields', '#/host'],
    ['a list', '[]', 'it is not an object', '#'],
  ])(
    'says which fields are invalid in a response with %s, and nothing that they contain',
    async (_, body, why, detail) => {
      const { all } = answering(responded(200, body));
      expect(await placed(all(HTTP), aMatch())).toEqual({
        outcome: 'refused',
        why: `the provisioner's response is invalid: ${why}`,
        ...(detail !== undefined && { detail: expect.stringContaining(detail) }),
      });
    },
  );

  it('tries again when the endpoint is unreachable and gives up when its address is forbidden', async () => {
    const unreachable = answering({ outcome: 'unreachable', error: 'no answer' });
    const forbidden = answering({ outcome: 'forbidden', error: 'a private address' });
    expect(await placed(unreachable.all(HTTP), aMatch())).toEqual({ outcome: 'retry', why: 'no answer' });
    expect(await placed(forbidden.all(HTTP), aMatch())).toEqual({
      outcome: 'refused',
      why: 'its provisioner may not be called',
      detail: 'a private address',
    });
  });
});

describe('The provisioners "none" and "external"', () => {
  it.each(['none', 'external'] as const)('%s sends no request', async (type) => {
    const { all, requests } = answering(responded(200));
    expect(await placed(all({ type }), aMatch())).toEqual({ outcome: 'left-to-studio' });
    expect(requests).toEqual([]);
  });
});
