import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { GetCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { backfillStore } from '../../../lib/aws/backfill-store.ts';
import { packId } from '../../../lib/aws/compact-id.ts';
import { cooldownStore } from '../../../lib/aws/cooldown-store.ts';
import { erasedPlayers } from '../../../lib/aws/erased-players.ts';
import { matchStore } from '../../../lib/aws/match-store.ts';
import { meetingStore } from '../../../lib/aws/meeting-store.ts';
import { playerDataStore } from '../../../lib/aws/player-data-store.ts';
import { ticketStore } from '../../../lib/aws/ticket-store.ts';
import type { PlayerErasure } from '../../../lib/contract/player-data.ts';
import type { StoredBackfill } from '../../../lib/service/domain/stored-backfill.ts';
import type { StoredMatch } from '../../../lib/service/domain/stored-match.ts';
import type { StoredTicket } from '../../../lib/service/domain/stored-ticket.ts';
import { type EraseDeps, erasePlayer } from '../../../lib/service/players/erase-player.ts';
import { exportPlayer } from '../../../lib/service/players/export-player.ts';
import { cancelTicket } from '../../../lib/service/tickets/cancel-ticket.ts';
import { type EmulatedTables, startTables, type Wire } from '../../aws/emulated-tables.ts';
import { bucketLayout, match, NOW_MS, notAccepted, ticket, unplaced, why } from '../../aws/samples.ts';

const LAYOUT = bucketLayout(1);
const OFFENCE = { kind: 'leave', matchId: 'left', atMs: NOW_MS } as const;
/** A UUID is stored in a packed form, and other ids as they are. */
const PLAYERS = ['ann', '0b9b1f5e-1c1a-4b7a-9d51-3f1f3a5a0c11'];

describe.each(PLAYERS)('the erasure of the player %s', (ann) => {
  let tables: EmulatedTables;
  let nowMs: number;
  let pseudonyms: number;
  beforeEach(async () => {
    tables = await startTables('memory');
    nowMs = NOW_MS;
    pseudonyms = 0;
  });

  function service(wire?: Wire, msPerPage = 0) {
    const client: DynamoDBDocumentClient = tables.client(wire);
    const { names } = tables;
    const data = playerDataStore(client, names);
    return {
      names,
      client,
      tickets: ticketStore(client, names),
      matches: matchStore(client, { matches: names.matches, ranges: names.ranges }),
      backfills: backfillStore(client, names),
      erased: erasedPlayers(client, names.receivers),
      meetings: meetingStore(client, names.ranges),
      cooldowns: cooldownStore(client, names.ranges),
      data: {
        ...data,
        page: async (...args: Parameters<typeof data.page>) => {
          nowMs += msPerPage;
          return data.page(...args);
        },
      },
      clock: {
        now: () => nowMs,
        sleep: async (ms: number) => {
          nowMs += ms;
        },
      },
      pseudonym: () => `pseudonym-${pseudonyms++}`,
      log: { warn: () => {} },
    } satisfies EraseDeps & Record<string, unknown>;
  }

  /** Everything that the tables hold, as text in which packed ids are unpacked nowhere. */
  async function everything(): Promise<string> {
    const { client, names } = service();
    const texts = await Promise.all(
      [names.tickets, names.matches, names.ranges].map(async (TableName) => {
        const { Items = [] } = await client.send(new ScanCommand({ TableName }));
        return JSON.stringify(Items);
      }),
    );
    return texts.join('\n');
  }

  /** The player as a ticket has them, with everything that is personal. */
  const withAnn = (ticketId: string, changes: Partial<StoredTicket> = {}): StoredTicket => {
    const one = ticket('duel', ticketId, [1234.5, 7]);
    const [, mate] = one.players;
    const personal = {
      playerId: ann,
      skill: 1234.5,
      roles: ['tank'],
      attributes: { clan: 'red-dragons' },
      latencyMs: { eu: 31 },
      avoid: ['ex-partner'],
      met: [['rival', NOW_MS]] as [string, number][],
    };
    return { ...one, players: [personal, mate!], ...changes };
  };
  const seats = (ticketId: string, ...others: string[]): StoredMatch['teams'] => [
    {
      players: [
        { playerId: ann, ticketId, role: 'tank', attributes: { clan: 'red-dragons' } },
        { playerId: `${ticketId}.1`, ticketId },
      ],
    },
    ...others.map((other) => ({ players: [{ playerId: `${other}.0`, ticketId: other }] })),
  ];

  /** A match of a ticket of the player's and one of another player's, with this status. */
  async function matched(matchId: string, status: StoredMatch['status'], changes: Partial<StoredMatch> = {}) {
    const { tickets, matches } = service();
    const ids = [`${matchId}-a`, `${matchId}-b`] as const;
    await tickets.create(withAnn(ids[0]), LAYOUT);
    await tickets.create(ticket('duel', ids[1], 9), LAYOUT);
    for (const id of ids) await tickets.claim(id, matchId, nowMs);
    const game = { teams: seats(...ids), ticketIds: [...ids] };
    const deadline = new Date(nowMs + 60_000).toISOString();
    const isOver = status === 'COMPLETED' || status === 'FAILED';
    await matches.create(
      match('duel', matchId, ids, { ...game, status, ...(!isOver && { deadline }), ...changes }),
      nowMs,
    );
    return ids;
  }

  /** Repeats the erasure as a client does, until it is complete or only pending items are left. */
  async function erased(deps: EraseDeps = service()): Promise<PlayerErasure> {
    for (let reading = 0; reading < 5; reading++) {
      let part: PlayerErasure | undefined;
      do part = await erasePlayer(deps, ann, part?.continuation);
      while (part.continuation !== undefined);
      if (part.changed === 0) return part;
    }
    throw new Error('Expected the erasure to end');
  }

  const NOTHING_LEFT = {
    playerId: expect.any(String),
    isErased: true,
    changed: 0,
    pending: 0,
    unreadable: 0,
  };
  const expectNothingLeft = async () => {
    const all = await everything();
    expect(all).not.toContain(`\\"${packId(ann)}\\"`);
    expect(all).not.toMatch(
      new RegExp(`${ann}(?![\\w.])|1234\\.5|red-dragons|ex-partner|rival|token-of-ann`),
    );
  };

  it('keeps why a ticket has ended, unless the reason names them', async () => {
    const { tickets } = service();
    await tickets.create(withAnn('named'), LAYOUT);
    await tickets.end('named', 'CANCELLED', why(`${ann} has left`), nowMs);
    await tickets.create(withAnn('unnamed'), LAYOUT);
    await tickets.end('unnamed', 'CANCELLED', why(`Hanna, x${ann} and ${ann}2 planned it`), nowMs);
    await erased();
    expect(await tickets.get('named')).toMatchObject({ reason: 'a player of it was erased' });
    expect(await tickets.get('unnamed')).toMatchObject({ reason: `Hanna, x${ann} and ${ann}2 planned it` });
  });

  it('keeps why a match has failed, unless the reason names them', async () => {
    const { matches } = service();
    await matched('named', 'FAILED', {});
    await matched('unnamed', 'FAILED', {});
    const set = (matchId: string, reason: string) =>
      service().client.send(
        new UpdateCommand({
          TableName: service().names.matches,
          Key: { matchId },
          UpdateExpression: 'SET reason = :reason',
          ExpressionAttributeValues: { ':reason': reason },
        }),
      );
    await set('named', `the server returned 422: ${ann} is banned`);
    await set('unnamed', 'the server returned 422: it is full');
    await erased();
    expect(await matches.get('named')).toMatchObject({ reason: 'a player of it was erased' });
    expect(await matches.get('unnamed')).toMatchObject({ reason: 'the server returned 422: it is full' });
  });

  it('counts a ticket whose match this version cannot read, and exports the rest', async () => {
    const { client, names, tickets } = service();
    const [own] = await matched('later', 'COMPLETED');
    await tickets.create(withAnn('waiting'), LAYOUT);
    await client.send(
      new UpdateCommand({
        TableName: names.matches,
        Key: { matchId: 'later' },
        UpdateExpression: 'SET game = :game',
        ExpressionAttributeValues: { ':game': 'a form of a later version' },
      }),
    );
    const data = await exportPlayer(service(), ann, undefined);
    expect(own).toBe('later-a');
    expect(data).toMatchObject({ tickets: [{ ticketId: 'waiting' }], unreadable: 1 });
  });

  it('takes everything that is stored about them, and leaves the others', async () => {
    const { tickets, matches, backfills } = service();
    await tickets.create(withAnn('ended'), LAYOUT, false, {
      places: [{ scope: 'duel', holders: new Map() }],
    });
    await tickets.end('ended', 'TIMED_OUT', why('no match within 60 s'), nowMs);
    await tickets.create(withAnn('unfit'), LAYOUT);
    const unfit = 'no longer fits it (#/players/0/attributes/clan: got "red-dragons")';
    await tickets.end('unfit', 'CANCELLED', why(unfit), nowMs);
    await tickets.create(withAnn('waiting'), LAYOUT);
    const other = ticket('duel', 'other', 8);
    const avoiding = [
      { ...other.players[0]!, avoid: [ann, 'third'], met: [[ann, NOW_MS]] as [string, number][] },
    ];
    await tickets.create({ ...other, players: avoiding }, LAYOUT);
    await matched('played', 'COMPLETED', { region: 'eu' });
    await matches.assign('played', {
      address: 'game.example',
      tokens: { [ann]: 'token-of-ann', 'played-b.0': 'token-of-bob' },
    });
    await matched('failed', 'FAILED', { reason: 'no assignment arrived' });
    await matches.create(match('duel', 'with-meetings', ['x']), nowMs, [
      { playerId: ann, met: [['rival', NOW_MS]], expiresAtMs: nowMs + 1_000 },
      {
        playerId: 'bob',
        met: [
          [ann, NOW_MS],
          ['third', NOW_MS],
        ],
        expiresAtMs: nowMs + 1_000,
      },
    ]);
    const { cooldowns } = service();
    for (const playerId of [ann, 'bob']) await cooldowns.add('duel', playerId, OFFENCE, 60_000);
    await cooldowns.forgive('other', ann, nowMs, 60_000);
    await matched('backfilled', 'COMPLETED');
    await backfills.create(backfillOf('backfill-1', 'backfilled'), undefined);
    await backfills.end('backfill-1', 'CANCELLED', 'cancelled', nowMs);

    expect([...(await service().erased.findErased([ann, 'bob']))]).toEqual([]);
    expect(await erasePlayer(service(), ann, undefined)).toMatchObject({ isErased: false, pending: 0 });
    expect([...(await service().erased.findErased([ann, 'bob']))]).toEqual([ann]);
    expect(await service().erased.lastAtMs(nowMs + 60_000)).toBe(nowMs);
    expect(await erased()).toEqual(NOTHING_LEFT);
    await expectNothingLeft();
    expect(await erased()).toEqual(NOTHING_LEFT);

    expect((await tickets.get('ended'))?.players).toEqual([
      { playerId: expect.stringMatching(/^erased-pseudonym/), skill: 0 },
      { playerId: 'ended.1', skill: 7 },
    ]);
    expect(await tickets.get('waiting')).toMatchObject({ status: 'CANCELLED' });
    expect((await tickets.get('other'))?.players).toEqual([{ ...avoiding[0], avoid: ['third'], met: [] }]);
    const played = (await matches.get('played'))!;
    expect(played).toMatchObject({ status: 'COMPLETED', region: 'eu', ticketIds: ['played-a', 'played-b'] });
    expect(played.assignment?.tokens).toEqual({ 'played-b.0': 'token-of-bob' });
    expect(played.teams[0]!.players).toEqual([
      { playerId: expect.stringMatching(/^erased-/), ticketId: 'played-a', role: 'tank' },
      { playerId: 'played-a.1', ticketId: 'played-a' },
    ]);
    const met = await service().meetings.of('duel', [ann, 'bob'], 0);
    expect(Object.fromEntries(met)).toEqual({ bob: [['third', NOW_MS]] });
    expect([...(await cooldowns.of('duel', [ann, 'bob']))]).toEqual([['bob', { offences: [OFFENCE] }]]);
    expect((await cooldowns.of('other', [ann])).size).toBe(0);
    expect((await backfills.get('backfill-1'))?.players[0]).toMatchObject({ skill: 0, team: 0 });
  });

  const backfillOf = (backfillId: string, matchId: string): StoredBackfill => ({
    backfillId,
    matchId,
    queue: 'duel',
    status: 'QUEUED',
    enqueuedAt: new Date(NOW_MS).toISOString(),
    timesOutAt: new Date(NOW_MS + 60_000).toISOString(),
    players: [{ ...withAnn('b').players[0]!, team: 0, ticketId: `${matchId}-a` }],
  });

  it.each(['REQUIRES_ACCEPTANCE', 'PLACING'] as const)(
    'leaves a match that is %s alone until it has ended',
    async (status) => {
      const { matches, tickets } = service();
      const [own] = await matched('open', status);
      await tickets.create({ ...withAnn('placed'), queue: 'one' }, LAYOUT, false, {
        places: [{ scope: 'duel', holders: new Map() }],
      });
      const before = await tickets.get(own);
      expect(await erased()).toMatchObject({ isErased: false, pending: 2 });
      expect(await tickets.get(own)).toEqual(before);
      if (status === 'PLACING') await matches.advance('open', 'PLACING', 'FAILED', unplaced('x'));
      else await matches.dissolve((await matches.get('open'))!, [own], notAccepted('declined'), nowMs);
      expect(await erased()).toEqual(NOTHING_LEFT);
      await expectNothingLeft();
    },
  );

  it('continues beside a match that this version cannot read, and counts what it cannot decide about', async () => {
    const { client, names, tickets } = service();
    await matched('later', 'COMPLETED');
    await tickets.create(withAnn('waiting'), LAYOUT);
    const write = (game: unknown) =>
      client.send(
        new UpdateCommand({
          TableName: names.matches,
          Key: { matchId: 'later' },
          UpdateExpression: 'SET game = :game',
          ExpressionAttributeValues: { ':game': game },
        }),
      );
    const Key = { matchId: 'later' };
    const { Item } = await client.send(new GetCommand({ TableName: names.matches, Key }));
    await write(`a form of a later version, ${packId(ann)}`);
    // The match itself, and the ticket in it.
    expect(await erased()).toMatchObject({ isErased: false, pending: 0, unreadable: 2 });
    expect(await tickets.get('waiting')).toMatchObject({
      status: 'CANCELLED',
      players: [{ playerId: expect.stringMatching(/^erased-/), skill: 0 }, {}],
    });
    await write(Item?.game);
    expect(await erased()).toEqual(NOTHING_LEFT);
    await expectNothingLeft();
  });

  it('cancels a ticket that a tick has claimed for a match that it never made', async () => {
    const { tickets, matches } = service();
    await tickets.create(withAnn('claimed'), LAYOUT);
    await tickets.claim('claimed', 'never', nowMs);
    expect(await erased()).toEqual(NOTHING_LEFT);
    expect(await tickets.get('claimed')).toMatchObject({ status: 'CANCELLED' });
    expect(await matches.create(match('duel', 'never', ['claimed']), nowMs)).toBe('abandoned');
  });

  it('leaves a match that asks for players alone until its backfill has ended', async () => {
    const { backfills, matches } = service();
    await matched('running', 'COMPLETED');
    await backfills.create(backfillOf('backfill-2', 'running'), undefined);
    expect(await erased()).toMatchObject({ isErased: false, pending: 2 });
    await matches.end('running', nowMs);
    expect(await erased()).toEqual(NOTHING_LEFT);
  });

  it('is bounded in each call, and continues where the previous call ended', async () => {
    const { tickets } = service();
    for (let i = 0; i < 2_500; i++) await tickets.create(ticket('duel', `t-${i}`, 5), LAYOUT);
    await tickets.create(withAnn('waiting'), LAYOUT);
    const slow = service(undefined, 6_000);
    const parts: PlayerErasure[] = [];
    do parts.push(await erasePlayer(slow, ann, parts.at(-1)?.continuation));
    while (parts.at(-1)!.continuation !== undefined);
    expect(parts.length).toBe(3);
    expect(parts.at(-1)).toMatchObject({ changed: 1, isErased: false });
    expect(await erased(slow)).toEqual(NOTHING_LEFT);
    for (const text of ['x', Buffer.from('{"position":"y"}').toString('base64url')])
      await expect(erasePlayer(slow, ann, text)).rejects.toMatchObject({ status: 400 });
    const elsewhere = { position: '{"table":"queues"}', changed: 0, pending: 0 };
    const forged = Buffer.from(JSON.stringify(elsewhere)).toString('base64url');
    await expect(erasePlayer(slow, ann, forged)).rejects.toMatchObject({ status: 400 });
  });

  it('is completed by a repetition after a crash at any write', async () => {
    class Crash extends Error {}
    let crashes = 0;
    for (let at = 0; ; at++) {
      tables = await startTables('memory');
      await matched('played', 'COMPLETED');
      const { tickets, matches } = service();
      await tickets.create(withAnn('waiting'), LAYOUT, false, {
        places: [{ scope: 'duel', holders: new Map() }],
      });
      await matches.create(match('duel', 'with-meetings', ['x']), nowMs, [
        { playerId: ann, met: [['rival', NOW_MS]], expiresAtMs: nowMs + 1_000 },
        { playerId: 'bob', met: [[ann, NOW_MS]], expiresAtMs: nowMs + 1_000 },
      ]);
      let writes = 0;
      const wire: Wire = async (call, send) => {
        if (!/^(Update|Delete|Put)/.test(call.operation)) return send();
        if (writes++ === at) throw new Crash('the function ended');
        return send();
      };
      const crash = await erased(service(wire)).catch((error) => error);
      expect(await erased()).toEqual(NOTHING_LEFT);
      await expectNothingLeft();
      if (!(crash instanceof Crash)) break;
      crashes++;
    }
    expect(crashes).toBeGreaterThan(5);
  });

  it.each([
    ['a cancel', async (s: ReturnType<typeof service>) => void (await cancelTicket(s, 'waiting', nowMs))],
    [
      'a tick that claims its ticket',
      async (s: ReturnType<typeof service>) => void (await s.tickets.claim('waiting', 'm-new', nowMs)),
    ],
    [
      'a tick that writes back the meetings of the others',
      async (s: ReturnType<typeof service>) => {
        const record = {
          playerId: 'bob',
          met: [[ann, NOW_MS]] as [string, number][],
          expiresAtMs: nowMs + 1_000,
        };
        await s.matches.create(match('duel', `late-${pseudonyms}`, ['x']), nowMs, [record]);
      },
    ],
  ])('is not disturbed by %s between any two of its calls', async (_, interrupt) => {
    let isLast = false;
    for (let at = 0; !isLast; at++) {
      tables = await startTables('memory');
      const quiet = service();
      await quiet.tickets.create(withAnn('waiting'), LAYOUT, false, {
        places: [{ scope: 'duel', holders: new Map() }],
      });
      await matched('played', 'COMPLETED');
      let calls = 0;
      const wire: Wire = async (_call, send) => {
        if (calls++ === at) await interrupt(quiet).catch(() => {});
        return send();
      };
      await erasePlayer(service(wire), ann, undefined);
      isLast = calls <= at;
      expect(await erased()).toEqual(NOTHING_LEFT);
      await expectNothingLeft();
    }
  });

  it('is preceded by an export of the same data, without that of others', async () => {
    const { tickets, matches } = service();
    await tickets.create(withAnn('waiting'), LAYOUT, false, {
      places: [{ scope: 'duel', holders: new Map() }],
    });
    await matched('played', 'COMPLETED');
    await matches.assign('played', { address: 'g', tokens: { [ann]: 'token-of-ann', bob: 'token-of-bob' } });
    await matches.create(match('duel', 'with-meetings', ['x']), nowMs, [
      { playerId: ann, met: [['rival', NOW_MS]], expiresAtMs: nowMs + 1_000 },
      { playerId: 'bob', met: [[ann, NOW_MS]], expiresAtMs: nowMs + 1_000 },
    ]);
    await service().cooldowns.add('duel', ann, OFFENCE, 60_000);
    await service().cooldowns.add('duel', 'bob', { ...OFFENCE, matchId: 'left-by-bob' }, 60_000);
    await service().cooldowns.forgive('duel', ann, NOW_MS, 60_000);
    const meeting = { queue: 'duel', met: [{ playerId: 'rival', at: new Date(NOW_MS).toISOString() }] };
    const data = await exportPlayer(service(), ann, undefined);
    expect(data).toMatchObject({
      playerId: ann,
      matches: [{ matchId: 'played', seat: { playerId: ann, role: 'tank' }, token: 'token-of-ann' }],
      // Of the queue, and as each of the two tickets has them.
      meetings: [meeting, meeting, meeting],
      cooldowns: [
        {
          queue: 'duel',
          offences: [{ kind: 'leave', matchId: 'left', at: new Date(NOW_MS).toISOString() }],
          forgivenAt: new Date(NOW_MS).toISOString(),
        },
      ],
    });
    const statuses = data.tickets.map(({ ticketId, status }) => [ticketId, status]).sort();
    expect(statuses).toEqual([
      ['played-a', 'COMPLETED'],
      ['waiting', 'QUEUED'],
    ]);
    for (const one of data.tickets)
      expect(one.players).toEqual([
        expect.objectContaining({
          playerId: ann,
          skill: 1234.5,
          attributes: { clan: 'red-dragons' },
          avoid: ['ex-partner'],
        }),
      ]);
    expect(JSON.stringify(data)).not.toMatch(/token-of-bob|left-by-bob|waiting\.1|played-b/);
    expect(data).not.toHaveProperty('continuation');
  });
});
