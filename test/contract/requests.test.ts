import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { check, type Problem } from '../../lib/contract/problem.ts';
import { rejectRoute } from '../../lib/contract/reject-route.ts';
import { pathSchema, ROUTE_KEYS, type RouteKey, routeOf } from '../../lib/contract/routes.ts';

/** The invalid fields of a part of a request, in order. */
const faults = (schema: z.ZodType | undefined, value: unknown) =>
  (check(schema!, value).problems ?? []).map(({ pointer }) => pointer).sort();

it.each<[route: RouteKey, body: object, pointers: string[]]>([
  ['PUT /matches/{matchId}/assignment', {}, ['#/address']],
  ['PUT /matches/{matchId}/assignment', { address: '' }, ['#/address']],
  ['PUT /matches/{matchId}/assignment', { address: 'a', port: 65_536 }, ['#/port']],
  ['PUT /matches/{matchId}/assignment', { address: 'a', port: '80' }, ['#/port']],
  ['PUT /matches/{matchId}/assignment', { address: 'a', tokens: ['t'] }, ['#/tokens']],
  ['PUT /matches/{matchId}/assignment', { address: 'a', tokens: { ann: '' } }, ['#/tokens/ann']],
  ['PUT /matches/{matchId}/assignment', { address: 'a', host: 'b' }, ['#/host']],
  ['PUT /tickets/{ticketId}/acceptance', {}, ['#/accepted', '#/matchId']],
  ['PUT /tickets/{ticketId}/acceptance', { accepted: true }, ['#/matchId']],
  ['PUT /tickets/{ticketId}/acceptance', { matchId: 'm' }, ['#/accepted']],
  ['PUT /tickets/{ticketId}/acceptance', { accepted: 'yes', matchId: 'm' }, ['#/accepted']],
  ['PUT /tickets/{ticketId}/acceptance', { accepted: null, matchId: 7 }, ['#/accepted', '#/matchId']],
  ['PUT /tickets/{ticketId}/acceptance', { accepted: true, matchId: 'a b' }, ['#/matchId']],
])('%s rejects the body %j', (route, body, pointers) => {
  expect(faults(routeOf(route).body, body)).toEqual(pointers);
});

describe('GET /tickets/{ticketId} rejects', () => {
  const { query } = routeOf('GET /tickets/{ticketId}');

  it.each(['-1', '20.5', 'soon', 'NaN', 'Infinity', '', ' ', '1e999', '5,5'])(
    'waitSeconds=%s',
    (waitSeconds) => {
      expect(faults(query, { waitSeconds })).toEqual(['#/waitSeconds']);
    },
  );

  it.each([
    [{ seen: 'WAITING' }, 'seen'],
    [{ seen: '' }, 'seen'],
    [{ explain: 'yes' }, 'explain'],
    [{ explain: '' }, 'explain'],
  ])('the query %j', (value, field) => {
    expect(faults(query, value)).toEqual([`#/${field}`]);
  });
});

it.each([
  ['', '#/ticketIds/0'],
  ['a,,b', '#/ticketIds/1'],
  ['a,b c', '#/ticketIds/1'],
  [Array.from({ length: 51 }, (_, i) => i).join(), '#/ticketIds'],
  [undefined, '#/ticketIds'],
])('GET /tickets rejects ticketIds=%s', (ticketIds, pointer) => {
  expect(faults(routeOf('GET /tickets').query, { ticketIds })).toEqual([pointer]);
});

it.each(ROUTE_KEYS.filter(pathSchema))(
  '%s rejects names with an invalid character or length, or that lead elsewhere',
  (key) => {
    const path = pathSchema(key)!;
    for (const name of ['x'.repeat(2_100), 'a b', 'a/b', 'ä', '\0', '%', '.', '..', '']) {
      const names = Object.keys(path.shape);
      const value = Object.fromEntries(names.map((field) => [field, name]));
      expect(faults(path, value), JSON.stringify(name)).toEqual(names.map((field) => `#/${field}`).sort());
    }
  },
);

describe('a request that no route serves', () => {
  function refusalOf(method: string, path: string): Problem {
    try {
      return rejectRoute(method, path);
    } catch (error) {
      return error as Problem;
    }
  }

  it.each(['/', '/nothing', '/queues//tickets', '/tickets/a/b', '/tickets/'])('gets 404 for %s', (path) => {
    expect(refusalOf('GET', path)).toMatchObject({ status: 404 });
  });

  it.each([
    ['POST', '/queues', 'GET'],
    ['PATCH', '/queues/duel', 'GET, PUT, DELETE'],
    ['GET', '/queues/duel/tickets', 'POST'],
    ['DELETE', '/queues/duel/stats', 'GET'],
    ['PUT', '/tickets/t', 'GET, DELETE'],
    ['GET', '/tickets/t/acceptance', 'PUT'],
    ['DELETE', '/matches/m', 'GET'],
    ['DELETE', '/openapi.json', 'GET'],
  ])('gets 405 for %s %s with the allowed methods', (method, path, allow) => {
    expect(refusalOf(method, path)).toMatchObject({ status: 405, headers: { allow } });
  });
});
