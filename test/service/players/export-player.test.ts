import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { backfillStore } from '../../../lib/aws/backfill-store.ts';
import { cooldownStore } from '../../../lib/aws/cooldown-store.ts';
import { packRatings } from '../../../lib/aws/match-item.ts';
import { matchStore } from '../../../lib/aws/match-store.ts';
import { playerDataStore } from '../../../lib/aws/player-data-store.ts';
import { pollSlots } from '../../../lib/aws/poll-slots.ts';
import { ratingStore } from '../../../lib/aws/rating-store.ts';
import { ticketStore } from '../../../lib/aws/ticket-store.ts';
import { storedRequest, storedState } from '../../../lib/service/domain/stored-backfill.ts';
import { storedGame, storedMatchState } from '../../../lib/service/domain/stored-match.ts';
import { storedTicket } from '../../../lib/service/domain/stored-ticket.ts';
import { exportPlayer } from '../../../lib/service/players/export-player.ts';
import type { Named } from '../../../lib/service/ports/player-data-store.ts';
import { startTables } from '../../aws/emulated-tables.ts';
import { bucketLayout, match, NOW_MS, ticket } from '../../aws/samples.ts';

const NO_MATCHES = { tickets: { get: async () => undefined }, matches: { get: async () => undefined } };

it('a player with much data is exported in parts that fit into a response, each item once', async () => {
  const attributes = { notes: Array.from({ length: 50 }, (_, n) => String(n).padEnd(64, '"')) };
  const items = Array.from({ length: 2_000 }, (_, n) => ({
    ...ticket('duel', `t${n}`, 1),
    players: [{ playerId: 'ann', skill: 1, attributes }],
  }));
  // A page of a megabyte.
  const PAGE = 150;
  const data = {
    page: async (_: string, from = '0') => {
      const at = Number(from);
      const named = items
        .slice(at, at + PAGE)
        .map((one) => ({ kind: 'ticket', is: 'about', ticket: one }) as unknown as Named);
      return { named, next: at + PAGE < items.length ? String(at + PAGE) : undefined };
    },
  } as never;
  const seen: string[] = [];
  let continuation: string | undefined;
  do {
    const part = await exportPlayer(
      { data, clock: { now: () => 0, sleep: async () => {} }, ...NO_MATCHES },
      'ann',
      continuation,
    );
    // As Lambda counts: the body is a text in the JSON of the response.
    expect(JSON.stringify({ body: JSON.stringify(part) }).length).toBeLessThan(6_291_556);
    seen.push(...part.tickets.map(({ ticketId }) => ticketId));
    ({ continuation } = part);
  } while (continuation !== undefined);
  expect(seen).toEqual(items.map(({ ticketId }) => ticketId));
});

/** A day of its own for each time, so that a value says which attribute it is of. */
const day = (n: number) => new Date(NOW_MS + n * 86_400_000).toISOString();
const OF_MATCH = 'of the match as a whole, not of one player';
const SEE_STATUS = 'status and reason say what follows from it';
const FOR_STORE = 'the store needs it for its indexes, conditions and expiry';

/** What is stored and not exported, with the reason. `[]` is an item of a list. */
const NOT_EXPORTED: Readonly<Record<string, string>> = {
  'ticket releasedFrom': SEE_STATUS,
  'ticket returns': SEE_STATUS,
  'ticket failures': SEE_STATUS,
  'ticket pool': FOR_STORE,
  'ticket poolOrder': 'the mean skill of the party, for the index',
  'ticket expiresAt': FOR_STORE,
  'ticket writeId': FOR_STORE,
  'ticket linked': 'a digest of the post, for the conditions of the store',
  'ticket views pool': FOR_STORE,
  'match deadline': SEE_STATUS,
  'match acceptBy': SEE_STATUS,
  'match declined': SEE_STATUS,
  'match accepted': SEE_STATUS,
  'match byPlayer': OF_MATCH,
  'match cancelled': 'ids of tickets, whose status says it',
  'match assignment address': OF_MATCH,
  'match assignment port': OF_MATCH,
  'match assignment sessionId': OF_MATCH,
  'match roster': OF_MATCH,
  'match newTicketIds': OF_MATCH,
  'match requeued': SEE_STATUS,
  'match backfillId': OF_MATCH,
  'match result ladder': OF_MATCH,
  'match erasures': OF_MATCH,
  'match ticketIds': OF_MATCH,
  'match imbalance': OF_MATCH,
  'match teamGap': OF_MATCH,
  'match skillSpread': OF_MATCH,
  'match priority': OF_MATCH,
  'match lowerBound': OF_MATCH,
  'match optimal': OF_MATCH,
  'match rules': 'the results of rules name no player',
  'match ladder': OF_MATCH,
  'match expected': OF_MATCH,
  'match deadlineGroup': FOR_STORE,
  'match expiresAt': FOR_STORE,
  'backfill status': 'it is of the match, not of one player',
  'backfill enqueuedAt': OF_MATCH,
  'backfill timesOutAt': OF_MATCH,
  'backfill region': OF_MATCH,
  'backfill roster': OF_MATCH,
  'backfill reason': OF_MATCH,
  'backfill players team': 'the seat in the match says it',
  'backfill players ticketId': 'the seat in the match says it',
  'backfill ticketId': FOR_STORE,
  'backfill state': FOR_STORE,
  'backfill pool': FOR_STORE,
  'backfill poolOrder': FOR_STORE,
  'backfill expiresAt': FOR_STORE,
  polls: 'until when a long poll lasts: a lock of a minute at most',
};

it('exports every attribute that the tables have of a player, but for those that are named here with a reason', async () => {
  const tables = await startTables('memory');
  const { names } = tables;
  const client = tables.client();
  const set = (TableName: string, Key: Record<string, string>, values: Record<string, unknown>) =>
    client.send(
      new UpdateCommand({
        TableName,
        Key,
        UpdateExpression: `SET ${Object.keys(values).map((name) => `#${name} = :${name}`)}`,
        ExpressionAttributeNames: Object.fromEntries(Object.keys(values).map((name) => [`#${name}`, name])),
        ExpressionAttributeValues: Object.fromEntries(
          Object.entries(values).map(([name, value]) => [`:${name}`, value]),
        ),
      }),
    );
  const ann = {
    playerId: 'ann',
    skill: 1234.5,
    roles: ['tank'],
    teams: ['attackers'],
    attributes: { clan: 'dragons' },
    latencyMs: { eu: 31 },
    avoid: ['ex'],
    met: [['rival', NOW_MS + 1]] as [string, number][],
  };
  const bob = { playerId: 'bob', skill: 666 };
  const tickets = ticketStore(client, names);
  const places = { scope: 'scope', holders: new Map<string, string>() };
  const one = { ...ticket('duel', 'own', 1), players: [ann, bob], split: true as const };
  const inRaid = { queue: 'raid', players: [{ ...ann, skill: 888, roles: ['damage'] }, bob], pool: 'raid.1' };
  const views = [{ queue: 'duel', players: one.players, split: true as const }, inRaid];
  await tickets.create({ ...one, linked: 'digest', views }, bucketLayout(1), false, { places: [places] });
  await set(
    names.tickets,
    { ticketId: 'own' },
    {
      status: 'CANCELLED',
      matchId: 'match of own',
      reason: 'reason of own',
      reasonCode: 'PLAYER_LEFT',
      releasedFrom: 'released',
      returns: 11,
      failures: 12,
      replaces: 'replaced',
      replacedBy: 'replacing',
      writeId: 'mark',
      expiresAt: 1,
    },
  );
  const seat = { playerId: 'ann', ticketId: 'seated', role: 'healer', attributes: { clan: 'lions' } };
  const game = match('ranked', 'game', ['seated', 'other'], {
    teams: [{ players: [{ playerId: 'bob', ticketId: 'other' }] }, { players: [seat] }],
    region: 'asia',
    rules: { near: { cost: 0.125 } },
    ladder: 'gold',
    expected: [0.25, 0.75],
    byPlayer: true,
    joined: { seated: day(1), other: day(2) },
    createdAt: day(3),
  });
  const matches = matchStore(client, { matches: names.matches, ranges: names.ranges });
  await matches.create({ ...game, deadline: day(4) }, NOW_MS, [
    { playerId: 'ann', met: [['foe', NOW_MS + 2]], expiresAtMs: NOW_MS },
  ]);
  const ladder = { name: 'gold', initial: { mean: 1_500, deviation: 350 } };
  const rated: [string, number, number, number, number][] = [
    ['bob', 1, 2, 3, 4],
    ['ann', 1_501, 101, 1_502, 102],
  ];
  await set(
    names.matches,
    { matchId: 'game' },
    {
      reason: 'reason of game',
      reasonCode: 'PLACEMENT_REFUSED',
      acceptBy: day(5),
      declined: [1],
      accepted: [0],
      cancelled: ['cancelled'],
      assignment: JSON.stringify({
        address: 'game.example',
        port: 7777,
        sessionId: 'session',
        tokens: { ann: 'token', bob: 'of bob' },
      }),
      roster: 21,
      newTicketIds: ['newcomer'],
      endedAt: day(6),
      requeued: true,
      backfillId: 'filling',
      result: JSON.stringify({
        at: day(7),
        ladder,
        ranks: [1, 2],
        weights: [
          ['bob', 0.5],
          ['ann', 0.625],
        ],
      }),
      rated: packRatings(game, rated),
      erasures: 22,
    },
  );
  const backfills = backfillStore(client, names);
  await matches.create(match('ranked', 'played', ['x']), NOW_MS);
  const filling = {
    backfillId: 'backfill',
    matchId: 'played',
    queue: 'ranked',
    status: 'QUEUED' as const,
    enqueuedAt: day(8),
    timesOutAt: day(9),
    region: 'us',
    players: [
      { ...ann, skill: 77, team: 0, ticketId: 'earlier', met: [['mate', NOW_MS + 3] as [string, number]] },
    ],
  };
  await backfills.create(filling, undefined);
  await set(names.tickets, { ticketId: 'backfill#backfill' }, { roster: 23, reason: 'reason of backfill' });
  const cooldowns = cooldownStore(client, names.ranges);
  await cooldowns.add('duel', 'ann', { kind: 'leave', matchId: 'left', atMs: NOW_MS + 4 }, 60_000);
  await cooldowns.forgive('duel', 'ann', NOW_MS + 5, 60_000);
  await pollSlots(client, names.ranges).take('ann', 3, NOW_MS + 6, NOW_MS);
  const ratings = ratingStore(client, names);
  await matches.create(match('ranked', 'rated', ['ann']), NOW_MS);
  const after = { mean: 1_777, deviation: 99, matches: 31, updatedAtMs: NOW_MS + 7 };
  const first = { playerId: 'ann', read: undefined, after };
  const won = match('ranked', 'rated', ['y']);
  await ratings.rate({ match: won, ladder: 'gold', atMs: NOW_MS, rated: [], players: [first] });

  const data = playerDataStore(client, names);
  const clock = { now: () => NOW_MS, sleep: async () => {} };
  const exported = new Set(
    leavesOf(await exportPlayer({ data, clock, tickets, matches }, 'ann', undefined), '').map(
      ([, value]) => value,
    ),
  );
  const named: Named[] = [];
  for (let from: string | undefined, page = 0; page === 0 || from !== undefined; page++) {
    const read = await data.page('ann', from);
    named.push(...read.named);
    from = read.next;
  }
  const stored = named.flatMap((item) => [...leavesOf(ownPartOf(item), item.kind), ...rawOf(item)]);

  const isBelow = (path: string, name: string) => path === name || path.startsWith(`${name} `);
  const exceptions = Object.keys(NOT_EXPORTED);
  const missing = stored.filter(
    ([path, value]) => !exported.has(value) && !exceptions.some((name) => isBelow(path, name)),
  );
  expect(missing).toEqual([]);
  const needless = exceptions.filter((name) => !stored.some(([path]) => isBelow(path, name)));
  expect(needless).toEqual([]);
  // The items above have each attribute that can be stored.
  const shapes = {
    ticket: [storedTicket.shape],
    match: [storedMatchState.shape, storedGame.shape],
    backfill: [storedRequest.shape, storedState.shape],
  };
  for (const [kind, all] of Object.entries(shapes))
    for (const name of all.flatMap((shape) => Object.keys(shape)))
      expect(
        stored.some(([path]) => isBelow(path, `${kind} ${name}`)),
        `${kind} ${name}`,
      ).toBe(true);
});

/** The values in some JSON as text, each with its path without indexes. Times in milliseconds are ISO 8601. */
function leavesOf(value: unknown, path: string): [path: string, value: string][] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((one) => leavesOf(one, path));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, one]) => leavesOf(one, `${path} ${name}`));
  const isTime = typeof value === 'number' && Math.abs(value - NOW_MS) < 1_000;
  return [[path, isTime ? new Date(value).toISOString() : String(value)]];
}

/** What an item says, as the stores read it, without what it says about others. */
function ownPartOf({ item: _, ...named }: Named): unknown {
  const isOwn = ([playerId]: readonly [string, ...unknown[]]) => playerId === 'ann';
  const isNamed = ({ playerId }: { readonly playerId: string }) => playerId === 'ann';
  if (named.kind === 'ticket') {
    const { players, views = [], ...ticket } = named.ticket;
    const ownViews = views.map((view) => ({ ...view, players: view.players.filter(isNamed) }));
    return { ...ticket, players: players.filter(isNamed), views: ownViews };
  }
  if (named.kind === 'backfill') return named.backfill;
  if (named.kind === 'rating') {
    // A word of `recent` is the minute in base 36, a colon and the mean.
    const recent = named.rating.recent.split(' ').map((word) => {
      const [minute, mean] = word.split(':') as [string, string];
      return { at: new Date(Number.parseInt(minute, 36) * 60_000).toISOString(), mean };
    });
    return { ladder: named.ladder, ...named.rating, writeId: undefined, recent };
  }
  if (named.kind === 'polls') return { untilMs: 'polls' };
  if (named.kind !== 'match') return { ...named, kind: undefined, is: undefined };
  const { teams, assignment, result, rated, joined, ...match } = named.match;
  const { players } = teams.find((team) => team.players.some(({ playerId }) => playerId === 'ann')) ?? {};
  return {
    ...match,
    teams: { players },
    assignment: { ...assignment, tokens: { ann: assignment?.tokens?.ann } },
    result: result && { ...result, ranks: result.ranks?.[1], weights: result.weights?.filter(isOwn) },
    rated: rated?.filter(isOwn),
    joined: { seated: joined?.seated },
  };
}

/** The attributes that no store reads into the item, by their names. */
function rawOf(named: Named): [path: string, value: string][] {
  if (named.kind !== 'ticket' && named.kind !== 'match' && named.kind !== 'backfill') return [];
  const read = named.kind === 'ticket' ? named.ticket : named.kind === 'match' ? named.match : named.backfill;
  return Object.keys(named.item.attributes)
    .filter((name) => !(name in read) && name !== 'game')
    .map((name) => [`${named.kind} ${name}`, `raw ${name}`]);
}
