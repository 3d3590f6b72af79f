import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import { misfits } from '../../../lib/service/tickets/misfits.ts';
import { parseTicketsFile } from '../../../lib/service/tickets/parse-tickets.ts';
import { definition } from '../definitions.ts';
import { parseNewTicket } from './parse-new-ticket.ts';

const raid = definition({ name: 'raid', teamSize: 3, roles: { tank: 1, healer: 1, damage: 1 } });
const solo = { playerId: 'ann', skill: 1500 };

function problemOf(run: () => unknown): Problem | undefined {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    return error as Problem;
  }
  return undefined;
}

const faults = (run: () => unknown) => problemOf(run)?.errors.map(({ pointer }) => pointer) ?? [];

describe('a new ticket', () => {
  it('is accepted unchanged', () => {
    const ticket = { ticketId: 't-1', players: [solo, { playerId: 'bob', skill: 0, roles: ['tank'] }] };
    expect(parseNewTicket(ticket, raid)).toEqual(ticket);
  });

  it.each([
    ['nothing', undefined, ['#']],
    ['an array', [], ['#']],
    ['an unknown field', { ticketId: 't', players: [solo], priority: 1 }, ['#/priority']],
    ['no ticketId', { players: [solo] }, ['#/ticketId']],
    ['an empty ticketId', { ticketId: '', players: [solo] }, ['#/ticketId']],
    ['a ticketId of 129 characters', { ticketId: 'x'.repeat(129), players: [solo] }, ['#/ticketId']],
    ['a ticketId with a slash', { ticketId: 'a/b', players: [solo] }, ['#/ticketId']],
    ['no players', { ticketId: 't' }, ['#/players']],
    ['an empty party', { ticketId: 't', players: [] }, ['#/players']],
    [
      'a party too large',
      { ticketId: 't', players: ['a', 'b', 'c', 'd'].map((playerId) => ({ playerId, skill: 1 })) },
      ['#/players'],
    ],
    [
      'a skill below those that the engine tells apart',
      { ticketId: 't', players: [{ ...solo, skill: 1e-200 }] },
      ['#/players/0/skill'],
    ],
    ['a negative skill', { ticketId: 't', players: [{ ...solo, skill: -1 }] }, ['#/players/0/skill']],
    [
      'an infinite skill',
      { ticketId: 't', players: [{ ...solo, skill: JSON.parse('1e999') }] },
      ['#/players/0/skill'],
    ],
    ['a skill that is text', { ticketId: 't', players: [{ ...solo, skill: '1500' }] }, ['#/players/0/skill']],
    ['no skill', { ticketId: 't', players: [{ playerId: 'ann' }] }, ['#/players/0/skill']],
    ['a player twice', { ticketId: 't', players: [solo, solo] }, ['#/players/1/playerId']],
    [
      'an unknown role',
      { ticketId: 't', players: [{ ...solo, roles: ['tank', 'bard'] }] },
      ['#/players/0/roles/1'],
    ],
    [
      'a role named like a built-in',
      { ticketId: 't', players: [{ ...solo, roles: ['constructor'] }] },
      ['#/players/0/roles/0'],
    ],
    ['no role accepted', { ticketId: 't', players: [{ ...solo, roles: [] }] }, ['#/players/0/roles']],
    ['a ticketId that is a number', { ticketId: 7, players: [solo] }, ['#/ticketId']],
    ['a ticketId with a line break', { ticketId: 'bad\n', players: [solo] }, ['#/ticketId']],
    ['a ticketId with a hash', { ticketId: 'a#b', players: [solo] }, ['#/ticketId']],
    [
      'a field named like a prototype',
      JSON.parse('{"ticketId":"t","players":[{"playerId":"p","skill":1}],"__proto__":{}}'),
      ['#/__proto__'],
    ],
    ['players that are not a list', { ticketId: 't', players: { 0: solo } }, ['#/players']],
    ['a player that is text', { ticketId: 't', players: ['ann'] }, ['#/players/0']],
    [
      'a playerId that is a lone surrogate',
      { ticketId: 't', players: [{ ...solo, playerId: '\ud83d' }] },
      ['#/players/0/playerId'],
    ],
    [
      'a skill above the maximum',
      { ticketId: 't', players: [{ ...solo, skill: 1e9 + 1 }] },
      ['#/players/0/skill'],
    ],
    [
      'roles that are not a list',
      { ticketId: 't', players: [{ ...solo, roles: 'tank' }] },
      ['#/players/0/roles'],
    ],
    [
      'a role twice',
      { ticketId: 't', players: [{ ...solo, roles: ['tank', 'tank'] }] },
      ['#/players/0/roles'],
    ],
    [
      'two players for one place',
      {
        ticketId: 't',
        players: [
          { ...solo, roles: ['tank'] },
          { playerId: 'bob', skill: 1, roles: ['tank'] },
        ],
      },
      ['#/players'],
    ],
  ])('with %s is rejected with its name', (_, body, pointers) => {
    expect(faults(() => parseNewTicket(body, raid))).toEqual(pointers);
  });

  it.each([
    ['a failed ping as null', { ams: null, sgp: 59 }, 'ams'],
    ['a failed ping as -1', { ams: -1, sgp: 59 }, 'ams'],
    ['a failed ping alone', { ams: null }, 'ams'],
    ['a latency that is text', { ams: 59, sgp: '59' }, 'sgp'],
  ])('with %s is told once to omit a region that was not measured', (_what, latencyMs, region) => {
    const rules = [{ name: 'Ping', type: 'latency' as const, max: 150 }];
    const ticket = { ticketId: 't', players: [{ ...solo, latencyMs }] };
    const error = problemOf(() => parseNewTicket(ticket, definition({ rules })));
    const detail = expect.stringMatching(/^Expected milliseconds from 0 to 100000, got .*: omit a region/);
    expect(error?.errors).toEqual([{ pointer: `#/players/0/latencyMs/${region}`, detail }]);
  });

  it.each([
    ['a value of no type', { level: null, clan: 'red' }, '/level'],
    ['a list of numbers', { level: 1, clan: [1] }, '/clan/0'],
    ['attributes that are no object', 'level 1', ''],
  ])('with %s among its attributes is told of that alone', (_what, values, pointer) => {
    const attributes = { level: { type: 'number' as const }, clan: { type: 'string' as const } };
    const ticket = { ticketId: 't', players: [{ ...solo, attributes: values }] };
    expect(faults(() => parseNewTicket(ticket, definition({ attributes })))).toEqual([
      `#/players/0/attributes${pointer}`,
    ]);
  });

  it('with roles is rejected by a queue without roles', () => {
    expect(
      faults(() => parseNewTicket({ ticketId: 't', players: [{ ...solo, roles: ['tank'] }] }, definition())),
    ).toEqual(['#/players/0/roles/0']);
  });

  it('may fill any places that its players can share out', () => {
    const party = [
      { playerId: 'a', skill: 1, roles: ['tank', 'healer'] },
      { playerId: 'b', skill: 1, roles: ['tank'] },
      { playerId: 'c', skill: 1, roles: ['healer', 'damage'] },
    ];
    expect(misfits({ players: party }, raid)).toEqual([]);
  });
});

describe('a tickets file', () => {
  const enqueuedAt = '2026-01-01T00:00:00+01:00';

  it('is parsed with the enqueue times of its tickets', () => {
    expect(parseTicketsFile([{ ticketId: 't', enqueuedAt, players: [solo] }], definition(), 'f')).toEqual([
      { ticketId: 't', enqueuedAtMs: Date.parse(enqueuedAt), players: [solo] },
    ]);
  });

  it('is rejected with the invalid ticket', () => {
    const body = [
      { ticketId: 't', enqueuedAt, players: [solo] },
      { ticketId: 't', enqueuedAt, players: [solo] },
      { ticketId: 'u', enqueuedAt, players: [solo, { playerId: 'bob', skill: 1 }] },
    ];
    expect(faults(() => parseTicketsFile(body, definition(), 'f'))).toEqual(['#/1/ticketId', '#/2/players']);
    expect(
      faults(() =>
        parseTicketsFile([{ ticketId: 't', enqueuedAt: 'noon', players: [solo] }], definition(), 'f'),
      ),
    ).toEqual(['#/0/enqueuedAt']);
  });
});
