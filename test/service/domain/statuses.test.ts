import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backfillStore } from '../../../lib/aws/backfill-store.ts';
import { matchStore } from '../../../lib/aws/match-store.ts';
import { ratingStore } from '../../../lib/aws/rating-store.ts';
import { toChange } from '../../../lib/aws/stream.ts';
import { ticketStore } from '../../../lib/aws/ticket-store.ts';
import { LADDER_DEFAULTS } from '../../../lib/contract/ladder.ts';
import { isFinal, TICKET_STATUSES } from '../../../lib/contract/ticket.ts';
import {
  ANSWERS,
  BACKFILL,
  identifyingAttributes,
  isChangeOf,
  isPossible,
  MATCH,
  NONE,
  SEEN_IN_MATCH,
  type StatusMachine,
  type StoredMatchStatus,
  TICKET,
} from '../../../lib/service/domain/statuses.ts';
import type { StoredBackfill } from '../../../lib/service/domain/stored-backfill.ts';
import type { StoredMatch } from '../../../lib/service/domain/stored-match.ts';
import { toEvent } from '../../../lib/service/events/publish.ts';
import { withMatchStatus } from '../../../lib/service/tickets/ticket-status.ts';
import { type EmulatedTables, startTables } from '../../aws/emulated-tables.ts';
import { bucketLayout, match, NOW_MS, notAccepted, ticket, unplaced, why } from '../../aws/samples.ts';

const LAYOUT = bucketLayout(1);
const LATER_MS = NOW_MS + 60_000;

let tables: EmulatedTables;
let client: DynamoDBDocumentClient;
let tickets: ReturnType<typeof ticketStore>;
let matches: ReturnType<typeof matchStore>;
let backfills: ReturnType<typeof backfillStore>;
let ratings: ReturnType<typeof ratingStore>;
let changesOf: Record<'tickets' | 'matches', () => ReturnType<ReturnType<EmulatedTables['stream']>>>;
beforeAll(async () => {
  tables = await startTables('memory');
  client = tables.client();
  tickets = ticketStore(client, tables.names);
  matches = matchStore(client, tables.names);
  backfills = backfillStore(client, tables.names);
  ratings = ratingStore(client, tables.names);
  changesOf = { tickets: tables.stream('tickets'), matches: tables.stream('matches') };
});

const result = {
  at: new Date(LATER_MS).toISOString(),
  ladder: { name: 'l', ...LADDER_DEFAULTS },
  ranks: [1, 2],
};

let count = 0;
let id: string;
beforeEach(() => {
  id = `i${++count}`;
});

/** What a test knows about one kind of items: how they come into a status, and the writes of their store. */
interface Kind {
  readonly machine: StatusMachine<string, string>;
  readonly attribute: 'status' | 'state';
  readonly table: 'tickets' | 'matches';
  readonly key: () => Record<string, string>;
  readonly become: (status: string) => Promise<unknown>;
  readonly write: (name: string, status: string) => Promise<unknown>;
}

const asMatch = (status: string): StoredMatch =>
  match('q', id, ['a', 'b'], {
    status: status as StoredMatch['status'],
    deadline: new Date(LATER_MS).toISOString(),
  });

const asBackfill = (backfillId: string): StoredBackfill => ({
  backfillId,
  matchId: id,
  queue: 'q',
  status: 'QUEUED',
  enqueuedAt: new Date(NOW_MS).toISOString(),
  timesOutAt: new Date(LATER_MS).toISOString(),
  players: [{ playerId: 'p', skill: 1, team: 0 }],
});

const filled = (status: string) => ({
  match: { ...asMatch(status), roster: 2, newTicketIds: [], backfillId: `b${id}` } as never,
  before: undefined,
});

const MATCHES: Kind = {
  machine: MATCH,
  attribute: 'status',
  table: 'matches',
  key: () => ({ matchId: id }),
  become: (status) =>
    status === 'ABANDONED'
      ? matches.abandon('q', { matchId: id, ticketIds: ['a'] }, NOW_MS)
      : matches.create(asMatch(status), NOW_MS),
  write: async (name, status) => {
    const writes: Record<keyof typeof MATCH.transitions, () => Promise<unknown>> = {
      create: () => matches.create(asMatch('PLACING'), LATER_MS),
      abandon: () => matches.abandon('q', { matchId: id, ticketIds: ['late'] }, LATER_MS),
      advance: () => matches.advance(id, 'REQUIRES_ACCEPTANCE', 'PLACING', {}),
      dissolve: () =>
        matches.dissolve(asMatch('REQUIRES_ACCEPTANCE'), ['a'], notAccepted('declined'), LATER_MS),
      dissolvePlacing: () => matches.dissolve(asMatch('PLACING'), ['a'], notAccepted('left'), LATER_MS),
      assign: () => matches.assign(id, { address: 'game.example' }),
      fail: () => matches.advance(id, 'PLACING', 'FAILED', unplaced('late')),
      requeue: () => matches.requeue(id, unplaced('late'), LATER_MS),
      ticketsReturned: () => matches.ticketsReturned(id),
      askForPlayers: () => backfills.create(asBackfill(`b${id}`), undefined),
      backfill: async () => {
        // The match names the backfill, where it may.
        await backfills.create(asBackfill(`b${id}`), undefined);
        return backfills.fill(asBackfill(`b${id}`), filled(status), LATER_MS, []);
      },
      result: () => matches.result({ matchId: id }, result),
      rate: () =>
        ratings.rate({
          match: { matchId: id, teams: [] },
          ladder: 'l',
          atMs: LATER_MS,
          rated: [],
          players: [],
        }),
      end: () => matches.end(id, LATER_MS),
    };
    return writes[name as keyof typeof writes]();
  },
};

const ANSWERED: Kind = {
  machine: ANSWERS,
  attribute: 'status',
  table: 'matches',
  key: () => ({ matchId: `answers#${id}` }),
  become: (status) =>
    matches.answer(
      asMatch('REQUIRES_ACCEPTANCE'),
      ({ OPEN: 'accept', DECLINED: 'decline', EXPIRED: 'expire' } as const)[status as 'OPEN'],
      status === 'EXPIRED' ? [] : [0],
      NOW_MS,
    ),
  write: (name) =>
    matches.answer(
      asMatch('REQUIRES_ACCEPTANCE'),
      name as keyof typeof ANSWERS.transitions,
      name === 'expire' ? [] : [1],
      LATER_MS,
    ),
};

const TICKETS: Kind = {
  machine: TICKET,
  attribute: 'status',
  table: 'tickets',
  key: () => ({ ticketId: id }),
  become: async (status) => {
    const own = status === 'MATCHED' ? 'QUEUED' : status;
    const inMatch = own === 'REQUIRES_ACCEPTANCE' || own === 'PLACING';
    await tickets.create({ ...ticket('q', id, 1), status: own as 'QUEUED' }, LAYOUT, true);
    if (status === 'MATCHED') await tickets.claim(id, `m${id}`, NOW_MS);
    if (inMatch) await storedByVersion01();
  },
  write: async (name) => {
    const stored = ticket('q', id, 1);
    const writes: Record<keyof typeof TICKET.transitions, () => Promise<unknown>> = {
      create: () => tickets.create({ ...stored, enqueuedAt: new Date(LATER_MS).toISOString() }, LAYOUT, true),
      claim: () => tickets.claim(id, 'another', LATER_MS),
      join: () => joined(),
      unclaim: () => tickets.release(stored, `m${id}`, LAYOUT, false, NOW_MS),
      release: () => tickets.release(stored, `m${id}`, LAYOUT, true, NOW_MS),
      requeue: () => tickets.requeue(stored, `m${id}`, LAYOUT, NOW_MS),
      failWithMatch: () => tickets.failWithMatch(id, `m${id}`, why('why'), LATER_MS),
      cancel: () => tickets.end(id, 'CANCELLED', why('why'), LATER_MS),
      cancelFreed: () => tickets.end(id, 'CANCELLED', why('why'), LATER_MS, `m${id}`),
      cancelWithMatch: () => tickets.cancelWithMatch(id, `m${id}`, why('why'), LATER_MS),
      timeOut: () => tickets.end(id, 'TIMED_OUT', why('why'), LATER_MS),
    };
    return writes[name as keyof typeof writes]();
  },
};

/** Version 0.1 stored the match's first status in the ticket. */
async function storedByVersion01(): Promise<void> {
  await client.send(
    new UpdateCommand({
      TableName: tables.names.tickets,
      Key: { ticketId: id },
      UpdateExpression: 'SET matchId = :matchId REMOVE #pool',
      ExpressionAttributeNames: { '#pool': 'pool' },
      ExpressionAttributeValues: { ':matchId': `m${id}` },
    }),
  );
}

/** A running match whose backfill takes the ticket. */
async function joined(): Promise<unknown> {
  const running = match('q', `r${id}`, ['x']);
  const backfill = { ...asBackfill(`b${id}`), matchId: running.matchId };
  await matches.create(running, NOW_MS);
  await backfills.create(backfill, undefined);
  const next = { ...running, roster: 2, newTicketIds: [id] };
  return backfills.fill(backfill, { match: next, before: undefined }, LATER_MS, []);
}

const BACKFILLS: Kind = {
  machine: BACKFILL,
  attribute: 'state',
  table: 'tickets',
  key: () => ({ ticketId: `backfill#b${id}` }),
  become: async (status) => {
    await matches.create(asMatch('COMPLETED'), NOW_MS);
    await backfills.create(asBackfill(`b${id}`), undefined);
    if (status === 'COMPLETED') await backfills.fill(asBackfill(`b${id}`), filled('COMPLETED'), NOW_MS, []);
    else if (status !== 'QUEUED') await backfills.end(`b${id}`, status as 'CANCELLED', 'why', NOW_MS);
  },
  write: async (name, status) => {
    if (status === NONE && name === 'create') await matches.create(asMatch('COMPLETED'), NOW_MS);
    const writes: Record<keyof typeof BACKFILL.transitions, () => Promise<unknown>> = {
      create: () =>
        backfills.create(
          { ...asBackfill(`b${id}`), enqueuedAt: new Date(LATER_MS).toISOString() },
          undefined,
        ),
      fill: () => backfills.fill(asBackfill(`b${id}`), filled('COMPLETED'), LATER_MS, []),
      cancel: () => backfills.end(`b${id}`, 'CANCELLED', 'again', LATER_MS),
      timeOut: () => backfills.end(`b${id}`, 'TIMED_OUT', 'again', LATER_MS),
    };
    return writes[name as keyof typeof writes]();
  },
};

const itemOf = async ({ table, key }: Kind) => {
  const { Item } = await client.send(
    new GetCommand({ TableName: tables.names[table], Key: key(), ConsistentRead: true }),
  );
  return Item;
};
const everyPair = ({ machine }: Kind) =>
  [NONE, ...machine.statuses].flatMap((status) =>
    Object.keys(machine.transitions).map((name): [string, string] => [name, status]),
  );

describe.each([
  { what: 'match', kind: MATCHES },
  { what: 'answers', kind: ANSWERED },
  { what: 'ticket', kind: TICKETS },
  { what: 'backfill', kind: BACKFILLS },
] as const)('the stored $what', ({ what, kind }) => {
  const { machine } = kind;

  it.each(everyPair(kind))('on %s in status %s moves as the table of statuses says', async (name, status) => {
    const transition = machine.transitions[name]!;
    if (status !== NONE) await kind.become(status);
    const before = await itemOf(kind);
    expect(before?.[kind.attribute] ?? NONE, 'the status before').toBe(status);
    await changesOf[kind.table]();
    await kind.write(name, status);
    const after = await itemOf(kind);
    if (!isPossible(transition, status)) {
      // DynamoDB creates no item for a write whose condition fails.
      expect(after).toEqual(before);
      return;
    }
    expect(after).not.toEqual(before);
    expect(transition.to).toContain(after![kind.attribute]);
    if (transition.to.includes(status)) expect(after![kind.attribute]).toBe(status);
    const records = await changesOf[kind.table]();
    const events = records.flatMap((record) => {
      const change = toChange(record);
      return change === undefined ? [] : [toEvent(change)?.type];
    });
    const last = events.at(-1);
    expect(last, 'the event that is published').toBe(transition.event);
  });

  it('leaves a final status on no transition', () => {
    const left = new Set(
      Object.values(machine.transitions).flatMap(({ from, to }) =>
        from.filter((status) => !to.includes(status)),
      ),
    );
    const final = machine.statuses.filter((status) => !left.has(status));
    const expected = {
      match: ['COMPLETED', 'FAILED', 'ABANDONED'],
      answers: ['DECLINED', 'EXPIRED'],
      ticket: ['CANCELLED', 'TIMED_OUT', 'FAILED'],
      backfill: ['COMPLETED', 'CANCELLED', 'TIMED_OUT'],
    };
    expect(final).toEqual(expected[what]);
    if (what === 'ticket')
      // Clients see COMPLETED, of the match.
      expect(['COMPLETED', ...final]).toEqual(TICKET_STATUSES.filter(isFinal));
  });
});

it.each([
  ['match', MATCH],
  ['ticket', TICKET],
] as [string, StatusMachine<string, string>][])(
  'no change of a %s could be that of two writes, one of them with an event',
  (_what, machine) => {
    const subsets: string[][] = [[]];
    for (const name of identifyingAttributes(machine))
      subsets.push(...subsets.map((names) => [...names, name]));
    const found = new Set<string>();
    for (const from of [NONE, ...machine.statuses])
      for (const to of machine.statuses)
        for (const changed of subsets) {
          const names = Object.entries(machine.transitions)
            .filter(([, transition]) => isChangeOf(transition, { from, to, changed }))
            .map(([name]) => name);
          if (!names.some((name) => machine.transitions[name]!.event !== undefined)) continue;
          expect(names, `from ${from} to ${to} with ${changed}`).toHaveLength(1);
          found.add(names[0]!);
        }
    const announced = Object.entries(machine.transitions).filter(([, { event }]) => event !== undefined);
    expect([...found].sort()).toEqual(announced.map(([name]) => name).sort());
  },
);

describe('what clients see of a ticket', () => {
  it.each([NONE, ...MATCH.statuses])('whose match is %s is what the table says', async (status) => {
    const stored = { ...ticket('q', id, 1), status: 'MATCHED' as const, matchId: `m${id}` };
    const found =
      status === NONE || status === 'ABANDONED' ? undefined : { ...asMatch(status), ticketIds: [id] };
    const seen = await withMatchStatus(
      { tickets: { get: async () => stored }, matches: { get: async () => found } },
      stored,
    );
    expect(seen.status).toBe(SEEN_IN_MATCH[status as StoredMatchStatus]);
  });
});
