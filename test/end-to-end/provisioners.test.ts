import { describe, expect, it } from 'vitest';
import type { MatchView } from '../../lib/contract/match.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { TicketStatus } from '../../lib/contract/ticket.ts';
import { sample } from '../long.ts';
import { eventually } from '../patience.ts';
import { testMuster } from './muster.ts';
import { SECRET_NAME } from './receiver.ts';
import { retriesAtOnce } from './retries.ts';

const { api, receiver, bus, cloud } = await testMuster({ intercept: retriesAtOnce().intercept });

const PLACE = { address: 'game-7.example', port: 7777, sessionId: 's-1', tokens: { ann: 'secret' } };

/** Two tickets in a new queue, and their match when it has the status. */
async function matched(
  provisioner: QueueDefinition['provisioner'],
  status: TicketStatus,
): Promise<{ match: MatchView; ticketIds: string[] }> {
  const queue = await api.queue({ ...(provisioner && { provisioner }) });
  const tickets = [await api.ticket(queue, 1), await api.ticket(queue, 2)];
  const ended = await Promise.all(tickets.map(({ ticketId }) => api.until(ticketId, status)));
  expect(ended[0]!.matchId).toBe(ended[1]!.matchId);
  const { body: match } = await api.get(`/matches/${ended[0]!.matchId}`);
  for (const ticket of ended) expect(ticket.reason).toBe(match.reason);
  return { match, ticketIds: tickets.map(({ ticketId }) => ticketId) };
}

function events(matchId: string): string[] {
  return bus.items
    .filter(({ detail }) => (detail as { match?: MatchView }).match?.matchId === matchId)
    .map((event) => event['detail-type']);
}

async function until(matchId: string, type: string): Promise<void> {
  await bus.until(() => events(matchId).includes(type));
}

describe.concurrent('no provisioner', () => {
  it.each([undefined, { type: 'none' } as const])(
    'completes a match immediately and accepts one later assignment: %j',
    async (provisioner) => {
      const { match } = await matched(provisioner, 'COMPLETED');
      expect(match).not.toHaveProperty('assignment');
      const put = (body: object) => api.put(`/matches/${match.matchId}/assignment`, body);
      const first = await put(PLACE);
      expect(first).toMatchObject({ status: 200, body: { ...match, assignment: PLACE } });
      expect(await put(PLACE)).toMatchObject({ status: 200, body: first.body });
      const other = await put({ ...PLACE, port: 7778 });
      expect(other.status).toBe(409);
      expect(other.body.matchStatus).toBe('COMPLETED');
      expect((await api.get(`/matches/${match.matchId}`)).body).toEqual(first.body);
      await until(match.matchId, 'MatchAssigned');
      expect(events(match.matchId)).toEqual(['MatchFound', 'MatchAssigned']);
    },
  );
});

describe.concurrent('external', () => {
  it('lets the studio PUT the assignment of a match that is PLACING', async () => {
    const { match, ticketIds } = await matched({ type: 'external' }, 'PLACING');
    const put = (body: object) => api.put(`/matches/${match.matchId}/assignment`, body);
    const first = await put(PLACE);
    expect(first).toMatchObject({
      status: 200,
      body: { ...match, status: 'COMPLETED', assignment: PLACE },
    });
    expect((await put(PLACE)).status).toBe(200);
    expect((await put({ address: 'elsewhere' })).status).toBe(409);
    for (const ticketId of ticketIds) await api.until(ticketId, 'COMPLETED');
    await until(match.matchId, 'MatchAssigned');
  });

  it('accepts one of many concurrent assignments and rejects the others', async () => {
    const { match } = await matched({ type: 'external' }, 'PLACING');
    const answers = await Promise.all(
      [1, 2, 3, 4].map((port) => api.put(`/matches/${match.matchId}/assignment`, { address: 'a', port })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const winner = answers.find(({ status }) => status === 200)!;
    expect((await api.get(`/matches/${match.matchId}`)).body).toEqual(winner.body);
  });

  it('fails a match without an assignment in time and rejects later assignments', async () => {
    const { match } = await matched({ type: 'external', timeoutSeconds: 1 }, 'FAILED');
    expect(match).toMatchObject({
      status: 'FAILED',
      reason: expect.stringMatching(/no assignment arrived by/),
    });
    const late = await api.put(`/matches/${match.matchId}/assignment`, PLACE);
    expect(late.status).toBe(409);
    expect(late.body.matchStatus).toBe('FAILED');
    await until(match.matchId, 'MatchFailed');
  });
});

describe.concurrent('http', () => {
  const at = (path: string) => ({ type: 'http' as const, url: receiver.url(path), secret: SECRET_NAME });

  it("sends the match with an idempotency key and stores the studio's response as the assignment", async () => {
    receiver.answer('/place', (_, response) => response.end(JSON.stringify(PLACE)));
    const { match } = await matched(at('/place'), 'COMPLETED');
    expect(match.assignment).toEqual(PLACE);
    const [asked, ...more] = receiver.at('/place');
    expect(more).toEqual([]);
    const { assignment: _, ...found } = match;
    expect(asked!.verified()).toEqual({ ...found, status: 'PLACING' });
    expect(asked!.headers).toMatchObject({
      'idempotency-key': match.matchId,
      'content-type': 'application/json',
    });
    await until(match.matchId, 'MatchAssigned');
  });

  // test/provisioners/provisioners.test.ts has every status.
  it.each(sample([503], [500, 503, 429, 408]))(
    'retries with the same key after status %d',
    async (status) => {
      const path = `/later-${status}`;
      receiver.answer(path, (_, response) => {
        response.statusCode = receiver.at(path).length < 3 ? status : 201;
        response.end(JSON.stringify(PLACE));
      });
      const { match } = await matched(at(path), 'COMPLETED');
      expect(match.assignment).toEqual(PLACE);
      expect(receiver.at(path).map(({ headers }) => headers['idempotency-key'])).toEqual(
        Array(3).fill(match.matchId),
      );
    },
  );

  it('retries after a request that times out', async () => {
    receiver.answer('/late', (_, response) => {
      if (receiver.at('/late').length > 1) response.end(JSON.stringify(PLACE));
    });
    const { match } = await matched({ ...at('/late'), requestTimeoutSeconds: 0.2 }, 'COMPLETED');
    expect(match.assignment).toEqual(PLACE);
  });

  it.each(sample([422], [400, 404, 409, 422]))('fails the match after status %d', async (status) => {
    const path = `/never-${status}`;
    receiver.answer(path, (_, response) => {
      response.statusCode = status;
      response.end();
    });
    const { match } = await matched(at(path), 'FAILED');
    expect(match.reason).toContain(String(status));
    expect(match).not.toHaveProperty('assignment');
    expect(receiver.at(path)).toHaveLength(1);
    await until(match.matchId, 'MatchFailed');
  });

  const INVALID = [
    ['a bad port', '{"address":"a","port":"80"}', 'check port', '#/port'],
    ['nothing', '', 'it is not JSON', 'not JSON'],
    ['no JSON', '<html>', 'it is not JSON', 'not JSON'],
    ['no address', '{"host":"a"}', 'check address', '#/address'],
    ['a list', '[]', 'it is not an object', '#'],
  ] as const;
  it.each(sample(INVALID.slice(0, 1), [...INVALID]))(
    'fails the match after an invalid response: %s',
    async (what, text, reason, logged) => {
      const path = `/unusable-${what.replaceAll(' ', '-')}`;
      receiver.answer(path, (_, response) => response.end(text));
      const { match } = await matched(at(path), 'FAILED');
      // Players read the reason, which names fields; what the studio's server has sent is in the log.
      expect(match.reason).toContain(`the provisioner's response is invalid: ${reason}`);
      if (text !== '') expect(match.reason).not.toContain(text);
      await eventually(() => {
        const lines = cloud.logs.map(({ line }) => line).filter((line) => line.includes(match.matchId));
        expect(lines.join('\n')).toContain(logged);
      });
    },
  );

  it('fails the match at its deadline when the studio never responds', async () => {
    receiver.answer('/down', (_, response) => {
      response.statusCode = 502;
      response.end();
    });
    const { match } = await matched({ ...at('/down'), timeoutSeconds: 1 }, 'FAILED');
    expect(match.reason).toMatch(/no assignment arrived by/);
  });
});
