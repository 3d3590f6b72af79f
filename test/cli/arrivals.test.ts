import { describe, expect, it } from 'vitest';
import { ticketsOfCsv } from '../../lib/cli/csv-tickets.ts';
import { arrivalsOf } from '../../lib/cli/export.ts';
import { readTicketsFile } from '../../lib/cli/input.ts';
import type { Ticket } from '../../lib/client/index.ts';
import { definition } from '../service/definitions.ts';
import { file } from './muster.ts';

const queue = definition({
  teamSize: 2,
  roles: { tank: 1, healer: 1 },
  attributes: {
    level: { type: 'number', min: 1, max: 50 },
    maps: { type: 'strings', values: ['attic', 'cellar'] },
  },
});
const AT = '2026-01-01T12:00:00Z';

describe('a CSV file of tickets', () => {
  it('has a line for each player, parties by ticketId, roles, latencies and attributes', () => {
    const csv = [
      'skill,enqueuedAt,ticketId,roles,latencyMs.eu,attributes.level,attributes.maps',
      `1500,${AT},a,tank,20,7,attic|cellar`,
      `1400.5,${AT},a,tank|healer,30,8,"attic"`,
      '',
      `"1300",${AT},b,,25,9,cellar`,
    ].join('\r\n');
    const tickets = readTicketsFile(file('day.csv', csv), queue);
    expect(tickets).toEqual([
      {
        ticketId: 'a',
        enqueuedAtMs: Date.parse(AT),
        players: [
          {
            playerId: 'p1',
            skill: 1500,
            roles: ['tank'],
            latencyMs: { eu: 20 },
            attributes: { level: 7, maps: ['attic', 'cellar'] },
          },
          {
            playerId: 'p2',
            skill: 1400.5,
            roles: ['tank', 'healer'],
            latencyMs: { eu: 30 },
            attributes: { level: 8, maps: ['attic'] },
          },
        ],
      },
      {
        ticketId: 'b',
        enqueuedAtMs: Date.parse(AT),
        players: [
          { playerId: 'p3', skill: 1300, latencyMs: { eu: 25 }, attributes: { level: 9, maps: ['cellar'] } },
        ],
      },
    ]);
  });

  it('without ids has a ticket for each line', () => {
    const tickets = readTicketsFile(file('solo.csv', `enqueuedAt,skill\n${AT},1\n${AT},2\n`), definition());
    expect(tickets.map(({ ticketId }) => ticketId)).toEqual(['t1', 't2']);
  });

  it('may have spaces around cells, within their quotes, and around the values of a list', () => {
    const csv = ` enqueuedAt , "ticketId" ," skill",attributes.maps\n${AT}, " a " ," 7 "," docks | ice "\n`;
    const queue = definition({ attributes: { maps: { type: 'strings' } } });
    expect(readTicketsFile(file('spaces.csv', csv), queue)).toMatchObject([
      { ticketId: 'a', players: [{ skill: 7, attributes: { maps: ['docks', 'ice'] } }] },
    ]);
  });

  it('gives a line without an id one that no other line has', () => {
    const csv = `enqueuedAt,skill,ticketId,playerId\n${AT},1,t2,p2\n${AT},2,,\n${AT},3,,p4\n${AT},4,,\n`;
    const tickets = readTicketsFile(file('gaps.csv', csv), definition());
    expect(tickets.map(({ ticketId, players }) => [ticketId, players[0]!.playerId])).toEqual([
      ['t2', 'p2'],
      ['t3', 'p3'],
      ['t4', 'p4'],
      ['t5', 'p5'],
    ]);
  });

  it('may have the line ends of any system, empty lines, and a very long cell in quotes', () => {
    const long = 'x'.repeat(2e7);
    const csv = `enqueuedAt,skill,attributes.note\r${AT},1,"a ""b"",\r\nc"\r  \r${AT},2,"${long}"\n\n${AT},3,`;
    const tickets = ticketsOfCsv(csv, definition(), 'mac.csv').tickets as {
      players: { attributes?: object }[];
    }[];
    expect(tickets.map(({ players }) => players[0]!.attributes)).toEqual([
      { note: 'a "b",\r\nc' },
      { note: long },
      undefined,
    ]);
  });

  it.each([
    [`\nenqueuedAt,skill\n\n"${AT}\n",1\r\n \r${AT}\n`, /:7: Expected 2 cells, got 1/],
    [`enqueuedAt,skill,attributes.é\r\n${AT},1,"a\r\nb"\r\n${AT}`, /:4: Expected 3 cells, got 1/],
    [`enqueuedAt,skill\n"${AT}\n\n",1,2\n`, /:2: Expected 2 cells, got 3/],
    [`enqueuedAt,skill\n${AT},",1\n`, /:2: Expected cells separated by commas, got a quote within a cell/],
    [`enqueuedAt,skill\n\n\n${AT},"1`, /:4: Expected cells separated by commas, got a quote within a cell/],
    [`enqueuedAt,skill\n${AT}," "`, /skill.*Expected a number, got ""/s],
    [`enqueuedAt,skill\n${AT},\n,`, /Expected a number/],
    [`enqueuedAt,skill,ticketId\n${AT},1,a\nlater,2,a\n`, /: ticket a: Expected one time, got .*Z, later/],
    ['enqueuedAt,skil\n', /:1: Expected the columns enqueuedAt, skill with commas between, got no skill/],
    [`enqueuedAt,skill,clan\n${AT},1,x\n`, /:1: Expected columns from .*, got "clan"/],
    ['enqueuedAt,skill,skill\n', /:1: Expected each column once, got skill again/],
    [`enqueuedAt,skill\n${AT}\n`, /:2: Expected 2 cells, got 1/],
    [`enqueuedAt,skill\n${AT},a"b\n`, /:2: Expected cells separated by commas, got a quote within a cell/],
    [`enqueuedAt,skill\n${AT},high\n`, /line 2 skill: Expected a number, got "high"/],
  ])('is rejected when it is %j', (csv, message) => {
    let text = '';
    try {
      readTicketsFile(file('wrong.csv', csv), definition());
    } catch (error) {
      const { message: what, errors = [] } = error as Error & {
        errors?: { pointer: string; detail: string }[];
      };
      text = `${what} ${errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' ')}`;
    }
    expect(text).toMatch(message);
  });
});

it('exported arrivals are in order, fit a file of arrivals, and name neither tickets nor players', () => {
  const ticket = (ticketId: string, seconds: number, ...players: string[]) =>
    ({
      ticketId,
      queue: 'duel',
      status: 'COMPLETED',
      enqueuedAt: new Date(Date.parse(AT) + 1_000 * seconds).toISOString(),
      players: players.map((playerId) => ({ playerId, skill: 5, avoid: ['somebody-else'] })),
      matchId: 'm-1',
    }) as unknown as Ticket;
  const tickets = [ticket('late-ticket', 9, 'ann-id'), ticket('early-ticket', 1, 'bob-id', 'ann-id')];
  const text = JSON.stringify(arrivalsOf(tickets));
  expect(text).not.toMatch(/ann|bob|late|early|somebody|m-1/);
  const read = readTicketsFile(file('arrivals.json', text), definition({ teamSize: 2 }));
  expect(read.map(({ ticketId, players }) => [ticketId, players.map(({ playerId }) => playerId)])).toEqual([
    ['t1', ['p1', 'p2']],
    ['t2', ['p2']],
  ]);
});
