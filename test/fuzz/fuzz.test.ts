import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openApi } from '../../lib/contract/openapi.ts';
import type { Interceptor } from '../../lib/local/aws-endpoint.ts';
import { type AwsCall, errorReply } from '../../lib/local/aws-json.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { answerFaults } from '../end-to-end/answer-faults.ts';
import { IS_LONG, sample } from '../long.ts';
import { type FuzzedCloud, startFuzzed } from './fuzz-run.ts';
import { type FuzzRequest, requestMaker } from './requests.ts';

/** What answers the functions' calls to AWS, in the tests of the fuzzer itself. */
let intercept: Interceptor | undefined;
let cloud: FuzzedCloud;
beforeAll(async () => {
  cloud = await startFuzzed((call, service, caller) =>
    intercept === undefined ? service(call) : intercept(call, service, caller),
  );
});
afterAll(() => cloud.stop());
afterEach(() => {
  intercept = undefined;
});

it('finds no fault in some hundred requests', async () => {
  const requests = sample(100, 600);
  const { answers, failures, errors } = await cloud.fuzz({ requests, seed: 1 });
  expect({ failures, errors }).toEqual({ failures: [], errors: [] });
  const total = (wanted: RegExp) =>
    [...answers].reduce((sum, [what, count]) => sum + (wanted.test(what) ? count : 0), 0);
  expect(total(/./)).toBe(requests);
  expect(total(/ 20\d$/)).toBeGreaterThan(requests / 8);
  expect(total(/ 4\d\d$/)).toBeGreaterThan(requests / 8);
});

it('generates requests of every operation, the same for the same seed', () => {
  const document = JSON.parse(JSON.stringify(openApi()));
  const requestsOf = (seed: number, length: number) => {
    const [maker, random] = [requestMaker(document), seededRandom(seed)];
    return Array.from({ length }, (_, i) => maker.make(random.fork(String(i))));
  };
  const requests = requestsOf(7, 700);
  expect(requestsOf(7, 100)).toEqual(requests.slice(0, 100));
  expect(requestsOf(8, 100)).not.toEqual(requests.slice(0, 100));
  for (const [path, methods] of Object.entries<object>(document.paths)) {
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}(\\?|$)`);
    for (const method of Object.keys(methods)) {
      const made = requests.filter((one) => one.method === method.toUpperCase() && pattern.test(one.path));
      expect(made.length, `${method} ${path}`).toBeGreaterThan(0);
    }
  }
});

it.runIf(IS_LONG)('finds a response of 500, and the error that a function logs', async () => {
  const denied: Interceptor = async (call, service) =>
    readsMatch(call) ? errorReply('AccessDenied', 'no') : service(call);
  const { failures, errors } = await replayed([get('/matches/m')], denied);
  expect(failures).toMatchObject([{ number: 0, status: 500, faults: ['the status is 500'] }]);
  expect(errors).toEqual([expect.stringContaining('AccessDenied')]);
});

it('finds a write by a rejected request', async () => {
  const storing: Interceptor = async (call, service) => {
    const reply = await service(call);
    if (readsMatch(call)) {
      const input = { TableName: call.input.TableName, Item: call.input.Key };
      await service({ ...call, operation: 'PutItem', input, body: JSON.stringify(input) });
    }
    return reply;
  };
  const { failures } = await replayed([get('/matches/m')], storing);
  expect(failures[0]!.faults).toContainEqual(expect.stringMatching(/^it changed something: PutItem .*"m"/));
});

it('finds a response that does not fit its schema, has an undocumented status, or is no problem document', () => {
  const faultsOf = answerFaults(JSON.parse(JSON.stringify(openApi())));
  const answer = (status: number, type: string, body: unknown) =>
    faultsOf('GET', '/tickets/t', { status, headers: new Headers({ 'content-type': type }), body });
  const ticket = {
    ticketId: 't',
    queue: 'q',
    status: 'QUEUED',
    enqueuedAt: '2026-01-01T00:00:00.000Z',
    players: [{ playerId: 'p', skill: 1 }],
  };
  expect(answer(200, 'application/json', ticket)).toEqual([]);
  expect(answer(200, 'application/json', { ...ticket, status: 'LOST' })).toEqual([
    '/status must be equal to one of the allowed values',
  ]);
  expect(answer(202, 'application/json', ticket)).toHaveLength(1);
  expect(answer(404, 'application/json', { message: 'Not Found' })).not.toEqual([]);
});

function readsMatch({ operation, input }: AwsCall): boolean {
  return operation === 'GetItem' && input.Key.matchId !== undefined;
}

function replayed(replay: readonly FuzzRequest[], answering: Interceptor) {
  intercept = answering;
  return cloud.fuzz({ requests: replay.length, seed: 1, replay });
}

function get(path: string): FuzzRequest {
  return { method: 'GET', path, headers: {} };
}
