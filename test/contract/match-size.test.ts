import { describe, expect, it } from 'vitest';
import { packGame } from '../../lib/aws/compact-game.ts';
import { attributeBytesMax, sizeProblems } from '../../lib/contract/match-size.ts';
import type { Problem } from '../../lib/contract/problem.ts';
import { checkQueueDefinition, type QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { type StoredMatch, toMatchView } from '../../lib/service/domain/stored-match.ts';
import { EVENT_BYTES_MAX } from '../../lib/service/events/fit-event.ts';
import { definition } from '../service/definitions.ts';
import { parseNewTicket } from '../service/tickets/parse-new-ticket.ts';

const id = (prefix: string, i: number) => `${prefix}${i}-`.padEnd(128, 'x');
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Attributes of exactly so many bytes as JSON. */
function attributesOf(bytes: number): Record<string, string> {
  const name = 'n'.repeat(64);
  const frame = bytesOf({ [name]: '' });
  return bytes < frame ? {} : { [name]: 'v'.repeat(bytes - frame) };
}

/** A match whose seats, ids, names and lists are as large as they may be. */
function largestMatch(queue: QueueDefinition): StoredMatch {
  const { teamSize = 1, teams = 2, rules = [] } = queue;
  const share = attributeBytesMax(queue);
  let seat = 0;
  const filled = Array.from({ length: teams as number }, () => ({
    name: 'team-of-thirty-two-letters-100-x',
    players: Array.from({ length: teamSize }, () => ({
      playerId: id('p', seat),
      ticketId: id('t', seat++),
      role: 'r'.repeat(32),
      attributes: attributesOf(share),
    })),
  }));
  const ticketIds = filled.flatMap(({ players }) => players.map(({ ticketId }) => ticketId)).sort();
  const number = -1.2345678901234567e-100;
  const lists = rules.map(({ name }) => [
    name,
    { cost: number, values: ['v'.repeat(Math.max(0, share - 4))] },
  ]);
  return {
    matchId: '9b2f6a0c-2c63-4c5e-8d8e-0123456789ab',
    queue: 'q'.repeat(64),
    status: 'REQUIRES_ACCEPTANCE',
    createdAt: new Date(0).toISOString(),
    deadline: new Date(0).toISOString(),
    ticketIds,
    byPlayer: true,
    teams: filled,
    imbalance: number,
    teamGap: number,
    skillSpread: number,
    priority: number,
    lowerBound: number,
    optimal: false,
    region: 'r'.repeat(64),
    rules: Object.fromEntries(lists),
  };
}

const common = (i: number) => ({ name: `${i}`.padEnd(64, 'r'), type: 'common', attribute: 'packs' }) as const;

describe('the size of a match', () => {
  it.each([
    { teamSize: 1, teams: 2 },
    { teamSize: 5, teams: 2 },
    { teamSize: 100, teams: 2 },
    { teamSize: 2, teams: 100 },
    { teamSize: 5, teams: 2, rules: 30 },
    { teamSize: 2, teams: 100, rules: 30 },
  ])('never exceeds what holds it, with shape %o', ({ rules = 0, ...shape }) => {
    const queue = definition({
      ...shape,
      ...(rules > 0 && {
        attributes: { packs: { type: 'strings' } },
        rules: Array.from({ length: rules }, (_, i) => common(i)),
      }),
    });
    const match = largestMatch(queue);
    const { ticketIds, teams, imbalance, teamGap, skillSpread, priority, lowerBound, optimal, ...rest } =
      match;
    const game = { ticketIds, teams, imbalance, teamGap, skillSpread, priority, lowerBound, optimal };
    const packed = Buffer.byteLength(
      packGame({ ...game, ...({ region: rest.region, rules: rest.rules } as object) }),
    );
    expect(packed).toBeLessThanOrEqual(208 * 1024);
    // An item has three lists of tickets besides, and an assignment.
    expect(packed + 3 * bytesOf(ticketIds) + 64 * 1024 + 1_024).toBeLessThan(400 * 1024);
    expect(bytesOf(toMatchView(match)) + 1_024).toBeLessThan(EVENT_BYTES_MAX);
    // The share of a player is not wasted either.
    expect(packed).toBeGreaterThan(150 * 1024);
  });

  it('leaves room for attributes in every shape', () => {
    const most = (teamSize: number, teams = 2) => attributeBytesMax(definition({ teamSize, teams }));
    expect([most(1), most(5), most(50), most(100), most(2, 100)]).toEqual([105_560, 20_824, 1_758, 699, 667]);
  });

  it('limits the attributes of a player when a ticket is posted', () => {
    const queue = definition({ teamSize: 100, attributes: { packs: { type: 'strings' } } });
    const posted = (texts: number) => ({
      ticketId: 't',
      players: [
        {
          playerId: 'p',
          skill: 1,
          attributes: { packs: Array.from({ length: texts }, (_, i) => `${i}-漢漢漢漢`) },
        },
      ],
    });
    expect(() => parseNewTicket(posted(30), queue)).not.toThrow();
    expect(() => parseNewTicket(posted(50), queue)).toThrow(
      '#/players/0/attributes: Expected attributes of at most 699 bytes as JSON, so that a match with all of its seats can be stored, got 901: send fewer or shorter values',
    );
  });

  it('limits what a definition itself lists', () => {
    const values = Array.from({ length: 50 }, (_, i) => `${i}-pack-of-some-length`);
    const listing = (changes: object) =>
      definition({ attributes: { packs: { type: 'strings', values } }, ...changes });
    expect(sizeProblems(listing({ teamSize: 50 }))).toEqual([]);
    const problemsOf = (changes: object) => {
      try {
        checkQueueDefinition(listing(changes), 'the definition');
      } catch (error) {
        return (error as Problem).errors;
      }
      return [];
    };
    expect(problemsOf({ teamSize: 100 })).toEqual([
      {
        pointer: '#/attributes',
        detail:
          'Expected attributes whose values take at most 699 bytes for a player as JSON, so that a match with all of its seats can be stored, got 1251: list fewer or shorter values, or make the teams smaller',
      },
    ]);
  });
});
