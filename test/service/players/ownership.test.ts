import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../lib/contract/callers.ts';
import type { MatchView } from '../../../lib/contract/match.ts';
import { checkQueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { AVOIDED } from '../../../lib/rules/reasons.ts';
import {
  type CurrentTicket,
  type StoredTicket,
  toTicketView,
} from '../../../lib/service/domain/stored-ticket.ts';
import { Unreadable } from '../../../lib/service/domain/unreadable.ts';
import { matchFor } from '../../../lib/service/players/own-match.ts';
import { checkOwnTicket, ticketFor } from '../../../lib/service/players/own-ticket.ts';
import { definition } from '../definitions.ts';

const player = (playerId: string): Caller => ({ scope: 'player', playerId });

/** A match without attributes and rules needs no definition. */
const noQueues = { queues: { get: () => Promise.reject(new Error('read')) } };

const rules = [
  { name: 'Same clan', type: 'same', attribute: 'clan' },
  { name: 'Trust', type: 'within', attribute: 'toxicity', cost: 1 },
  { name: 'Skill', type: 'balance', attribute: 'skill', cost: 1 },
  { name: 'Close', type: 'latency', max: 100 },
  {
    name: 'One of',
    type: 'anyOf',
    rules: [
      { type: 'same', attribute: 'clan' },
      { type: 'within', attribute: 'toxicity', max: 1 },
    ],
  },
  {
    name: 'Sum',
    type: 'compare',
    left: { of: 'sum', attribute: 'toxicity' },
    right: { of: 'sum', attribute: 'skill' },
    op: '<=',
  },
];
const rulesDefinition = checkQueueDefinition(
  {
    ...definition(),
    attributes: {
      clan: { type: 'string', visibleTo: 'match' },
      toxicity: { type: 'number' },
      band: { type: 'strings', visibleTo: 'backend' },
    },
    rules,
  },
  'the definition',
);
const queues = { queues: { get: async () => ({ definition: rulesDefinition }) as never } };
const attributes = { clan: 'red', toxicity: 97, band: ['x'], gone: 1 };

describe('a ticket', () => {
  const ticket: StoredTicket = {
    ticketId: 't',
    queue: 'q',
    status: 'QUEUED',
    enqueuedAt: '2026-01-01T00:00:00.000Z',
    players: [
      { playerId: 'ann', skill: 1 },
      { playerId: 'bob', skill: 2 },
    ],
  };
  const stored = { tickets: { get: async (id: string) => (id === 't' ? ticket : undefined) } };
  const problemOf = (ticketId: string, caller: Caller) =>
    checkOwnTicket(stored, ticketId, caller).then(
      () => undefined,
      (problem) => problem.toDocument(),
    );

  it('is open to each player in it', async () => {
    expect(await problemOf('t', player('ann'))).toBeUndefined();
    expect(await problemOf('t', player('bob'))).toBeUndefined();
  });

  it('gives any other player the same response as a missing ticket', async () => {
    const unknown = await problemOf('nothing', player('eve'));
    const other = await problemOf('t', player('eve'));
    expect(other).toEqual({ ...unknown, detail: unknown.detail.replace('nothing', 't') });
    expect(other.status).toBe(404);
  });

  it('is not read for a trusted caller', async () => {
    const unread = { tickets: { get: () => Promise.reject(new Error('read')) } };
    await expect(checkOwnTicket(unread, 't', { scope: 'backend' })).resolves.toBeUndefined();
  });
});

describe('a party', () => {
  const party: CurrentTicket = {
    ticketId: 't',
    queue: 'q',
    status: 'QUEUED',
    enqueuedAt: '2026-01-01T00:00:00.000Z',
    players: [
      { playerId: 'ann', skill: 1, attributes, latencyMs: { eu: 20 }, avoid: ['ex-partner'] },
      { playerId: 'bob', skill: 2, attributes, latencyMs: { us: 90 }, avoid: ['ann-2'] },
    ],
  };
  const seen = (caller: Caller, more: Partial<CurrentTicket> = {}, deps: typeof queues = queues) =>
    ticketFor(deps, caller, toTicketView({ ...party, ...more }));

  it('is shown to its players without avoid lists, attributes of the backend and latencies of the others', async () => {
    const { players } = await seen(player('bob'));
    expect(players).toEqual([
      { playerId: 'ann', skill: 1, attributes: { clan: 'red' } },
      { playerId: 'bob', skill: 2, attributes: { clan: 'red' }, latencyMs: { us: 90 } },
    ]);
  });

  it('is complete for a backend', async () => {
    expect(await seen({ scope: 'backend' })).toEqual(toTicketView(party));
  });

  it('shows no attribute of a queue that is gone or cannot be read', async () => {
    const gone = { queues: { get: async () => undefined as never } };
    const unreadable = { queues: { get: () => Promise.reject(new Unreadable('queue q')) } };
    for (const deps of [gone, unreadable as never])
      expect((await seen(player('ann'), {}, deps)).players[1]).toEqual({ playerId: 'bob', skill: 2 });
  });

  it('has reasons without values and without avoid lists', async () => {
    const cancelled =
      'the queue was changed and the ticket no longer fits it (#/players/0/attributes/toxicity: Expected a number up to 50, got 97)';
    const apart = `Too few players: a match with this ticket needs 2, 1 available (3 more may not be matched with it: ${AVOIDED}).`;
    const mixed = apart.replace(AVOIDED, `2 because ${AVOIDED}, 1 because rules of the queue exclude them`);
    expect((await seen(player('bob'), { reason: cancelled })).reason).toBe(
      'the queue was changed and the ticket no longer fits it',
    );
    for (const reason of [apart, mixed])
      expect((await seen(player('bob'), { reason })).reason).toBe(
        'Too few players: a match with this ticket needs 2, 1 available.',
      );
    expect((await seen(player('bob'), { reason: 'no match within 60 s' })).reason).toBe(
      'no match within 60 s',
    );
    expect((await seen({ scope: 'backend' }, { reason: apart })).reason).toBe(apart);
  });
});

describe('a match', () => {
  const match: MatchView = {
    matchId: 'm',
    queue: 'q',
    status: 'COMPLETED',
    createdAt: '2026-01-01T00:00:00.000Z',
    teams: [
      { players: [{ playerId: 'ann', ticketId: 't' }] },
      {
        players: [
          { playerId: 'cy', ticketId: 'u' },
          { playerId: 'bot~1', bot: true },
        ],
      },
    ],
    imbalance: 0,
    teamGap: 0,
    skillSpread: 0,
    priority: 0,
    lowerBound: 0,
    optimal: false,
    assignment: { address: 'game.example', tokens: { ann: 'secret-a', cy: 'secret-c' } },
  };

  it('is complete for a trusted caller', async () => {
    expect(await matchFor(noQueues, { scope: 'backend' }, match)).toBe(match);
  });

  it('shows a player in it everything except the tokens of other players', async () => {
    const { assignment, ...rest } = await matchFor(noQueues, player('ann'), match);
    expect(assignment).toEqual({ address: 'game.example', tokens: { ann: 'secret-a' } });
    expect(rest).toEqual((({ assignment: _, ...others }) => others)(match));
    expect(match.assignment?.tokens).toHaveProperty('cy');
  });

  it('shows a player the attributes, and the results of rules on them, that the queue shows to players', async () => {
    const results = Object.fromEntries(rules.map(({ name }) => [name, { cost: 1, values: ['red'] }]));
    const ruled: MatchView = {
      ...match,
      region: 'eu',
      teams: match.teams.map(({ players }) => ({
        players: players.map((seat) => ({ ...seat, attributes })),
      })),
      rules: results,
    };
    const shown = await matchFor(queues, player('ann'), ruled);
    expect(shown.teams.flatMap(({ players }) => players.map((seat) => seat.attributes))).toEqual(
      Array(3).fill({ clan: 'red' }),
    );
    expect(Object.keys(shown.rules!)).toEqual(['Same clan', 'Skill', 'Close']);
    expect(shown.region).toBe('eu');
    expect(JSON.stringify(shown)).not.toMatch(/97|toxicity|band|gone/);
    expect(await matchFor(queues, { scope: 'backend' }, ruled)).toBe(ruled);
  });

  it('shows no token to a player in it who has none', async () => {
    const tokens = { cy: 'secret-c' };
    const seen = await matchFor(noQueues, player('ann'), { ...match, assignment: { address: 'a', tokens } });
    expect(seen.assignment).toEqual({ address: 'a', tokens: {} });
  });

  it.each(['eve', 'bot~1', '__proto__', 'constructor'])(
    'does not exist for %s, who is not in it',
    async (playerId) => {
      await expect(matchFor(noQueues, player(playerId), match)).rejects.toThrow(
        expect.objectContaining({ status: 404, message: expect.stringContaining('There is no match "m"') }),
      );
    },
  );
});
