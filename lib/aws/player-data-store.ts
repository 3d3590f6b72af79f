import { DeleteCommand, type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { Problem } from '../contract/problem.ts';
import type { RuledPlayer } from '../rules/types.ts';
import { reasonWithout } from '../service/domain/erased-name.ts';
import { homeOf, viewsOf } from '../service/domain/linked-ticket.ts';
import type { StoredMatch } from '../service/domain/stored-match.ts';
import type { StoredResult } from '../service/domain/stored-rating.ts';
import type { TicketInQueue } from '../service/domain/stored-ticket.ts';
import { Unreadable } from '../service/domain/unreadable.ts';
import type { Named, PlayerDataStore, StoredItem } from '../service/ports/player-data-store.ts';
import { isAnswers } from './answers.ts';
import { backfillRequestOf, isBackfill, toBackfill } from './backfill-store.ts';
import { changeItem, deletionOf, isAsRead } from './change-item.ts';
import { packGame } from './compact-game.ts';
import { packId } from './compact-id.ts';
import { packPlayers } from './compact-players.ts';
import { cooldownOf } from './cooldown-store.ts';
import { conditionally } from './dynamo.ts';
import { gameOf, isAbandoned, toMatch } from './match-item.ts';
import { meetingsOf } from './meeting-store.ts';
import { isPlace, placeOf } from './places.ts';
import { playerOfSlots } from './poll-slots.ts';
import { ratingItemsOf, toRating } from './rating-store.ts';
import { linkAttributes, toTicket } from './ticket-item.ts';

/**
 * The tables that name players, in the order in which they are read. The player is part of the key of ratings, so a query finds
 * them. They are last: a result that is rated concurrently no longer finds the player in its match.
 */
const TABLES = ['tickets', 'matches', 'ranges', 'ratings'] as const;
/** The partition keys of the scanned tables. */
const KEYS = { tickets: 'ticketId', matches: 'matchId', ranges: 'item' } as const;
/** The maximum of items in a page. A page also ends at a megabyte. */
const PAGE_ITEMS = 1_000;

type Table = (typeof TABLES)[number];
type ScannedTable = Exclude<Table, 'ratings'>;

/**
 * The data about players in all tables. No index lists it by player: an index would cost a write for every ticket, and requests
 * for the data of one player are rare.
 *
 * A rewrite of an item is conditional on the attributes that it changes: `players` of a ticket or a backfill, `game` and
 * `assignment` of a match (and its `backfillId`, `status`, `result`, `rated` and `erasures`), `heldBy` of a place, `met` of
 * meetings, `offences` of a cooldown.
 */
export function playerDataStore(
  client: DynamoDBDocumentClient,
  names: Readonly<Record<Table, string>>,
): PlayerDataStore {
  return {
    async page(playerId, from) {
      const { table, key } = positionOf(from);
      if (table === 'ratings')
        return { named: await ratingsOf(client, names.ratings, playerId), next: undefined };
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName: names[table],
          ConsistentRead: true,
          Limit: PAGE_ITEMS,
          ...(key !== undefined && { ExclusiveStartKey: { [KEYS[table]]: key } }),
        }),
      );
      const texts = [playerId, packId(playerId)];
      const named = Items.filter((item) => mayName(item, texts)).flatMap((attributes) => {
        const key = { [KEYS[table]]: String(attributes[KEYS[table]]) };
        return namedBy(table, playerId, { table: names[table], key, attributes }) ?? [];
      });
      const next = LastEvaluatedKey
        ? { table, key: String(LastEvaluatedKey[KEYS[table]]) }
        : { table: TABLES[TABLES.indexOf(table) + 1] };
      return { named, next: next.table === undefined ? undefined : JSON.stringify(next) };
    },

    async blank(playerId, named, pseudonym) {
      const { table, key, attributes } = named.item;
      const { sets, removes = [], guards } = rewriting(playerId, named, pseudonym);
      const guarded = [...new Set([...guards, ...Object.keys(sets ?? {})])];
      const areAsRead = guarded.map((name) => isAsRead(name, attributes[name]));
      const change = { table, key, if: areAsRead };
      if (sets !== undefined)
        return (await changeItem(client, { ...change, set: sets, remove: removes })).met;
      return (await conditionally(() => client.send(new DeleteCommand(deletionOf(change))))).met;
    },
  };
}

const position = z.object({ table: z.enum(TABLES), key: z.string().exactOptional() });

function positionOf(from: string | undefined): z.output<typeof position> {
  if (from === undefined) return { table: TABLES[0] };
  try {
    return position.parse(JSON.parse(from));
  } catch {
    throw new Problem(400, 'Expected the continuation of the previous response, got another text.');
  }
}

/** Whether the text of an item contains the id, packed or not. Most items do not, and are not parsed. */
function mayName(item: Readonly<Record<string, unknown>>, texts: readonly string[]): boolean {
  return Object.values(item).some(
    (value) => typeof value === 'string' && texts.some((text) => value.includes(text)),
  );
}

/** The ratings of a player, on every ladder. */
async function ratingsOf(client: DynamoDBDocumentClient, table: string, playerId: string): Promise<Named[]> {
  const items = await ratingItemsOf(client, table, playerId);
  return items.map((attributes): Named => {
    const item = { table, key: { playerId, ladder: String(attributes.ladder) }, attributes };
    try {
      return { kind: 'rating', item, ladder: String(attributes.ladder), rating: toRating(attributes) };
    } catch (error) {
      if (error instanceof Unreadable) return { kind: 'unreadable', item, why: error.message };
      throw error;
    }
  });
}

function namedBy(table: ScannedTable, playerId: string, item: StoredItem): Named | undefined {
  try {
    if (table === 'matches') return matchNaming(playerId, item);
    if (table === 'ranges') return rangeNaming(playerId, item);
    return ticketNaming(playerId, item);
  } catch (error) {
    if (error instanceof Unreadable) return { kind: 'unreadable', item, why: error.message };
    throw error;
  }
}

function ticketNaming(playerId: string, item: StoredItem): Named | undefined {
  const { attributes } = item;
  if (isPlace(attributes)) {
    const place = placeOf(attributes);
    return place?.playerId === playerId
      ? { kind: 'place', item, queue: place.queue, ticketId: place.ticketId }
      : undefined;
  }
  if (isBackfill(attributes)) {
    const backfill = toBackfill(attributes);
    const is = relationTo(playerId, backfill.players);
    return is && { kind: 'backfill', item, backfill, is };
  }
  const ticket = toTicket(attributes);
  const is = relationTo(
    playerId,
    viewsOf(ticket).flatMap(({ players }) => players),
  );
  return is && { kind: 'ticket', item, ticket, is };
}

/** Whether a player is one of these players, or is named by one of them. */
function relationTo(playerId: string, players: readonly RuledPlayer[]): 'about' | 'mention' | undefined {
  if (players.some((player) => player.playerId === playerId)) return 'about';
  const isNamed = players.some(
    ({ avoid, met }) => avoid?.includes(playerId) || met?.some(([other]) => other === playerId),
  );
  return isNamed ? 'mention' : undefined;
}

function matchNaming(playerId: string, item: StoredItem): Named | undefined {
  if (isAbandoned(item.attributes) || isAnswers(item.attributes)) return undefined;
  const match = toMatch(item.attributes);
  const isSeated = match.teams.some(({ players }) => players.some((seat) => seat.playerId === playerId));
  const hasToken = Object.hasOwn(match.assignment?.tokens ?? {}, playerId);
  return isSeated || hasToken ? { kind: 'match', item, match } : undefined;
}

function rangeNaming(playerId: string, item: StoredItem): Named | undefined {
  if (playerOfSlots(item.attributes) === playerId) return { kind: 'polls', item };
  const cooldown = cooldownOf(item.attributes);
  if (cooldown !== undefined)
    return cooldown.playerId === playerId ? { kind: 'cooldown', item, ...cooldown } : undefined;
  const found = meetingsOf(item.attributes);
  if (found === undefined) return undefined;
  const { queue, met } = found;
  if (found.playerId === playerId) return { kind: 'meetings', item, queue, met, is: 'about' };
  return met.some(([other]) => other === playerId)
    ? { kind: 'meetings', item, queue, met, is: 'mention' }
    : undefined;
}

/** The sort key of the pool reveals the skill, so it is removed from items that have ended and left the pool. */
const OUT_OF_POOL = { removes: ['poolOrder'] };

interface Rewriting {
  /** The new values of attributes; undefined: the item is removed. */
  readonly sets?: Readonly<Record<string, unknown>>;
  readonly removes?: readonly string[];
  /** The attributes that must be as they were read, in addition to those in `sets`. */
  readonly guards: readonly string[];
}

function rewriting(playerId: string, named: Named, pseudonym: string): Rewriting {
  switch (named.kind) {
    case 'ticket': {
      const { ticket } = named;
      const without = <T extends TicketInQueue>(one: T) => ({
        ...one,
        players: withoutPlayer(playerId, one.players, pseudonym),
      });
      const { players, split } = without(homeOf(ticket));
      const { views } = linkAttributes({
        ...ticket,
        ...(ticket.views && { views: ticket.views.map(without) }),
      });
      return {
        sets: {
          players: packPlayers(players, split),
          ...(views !== undefined && { views }),
          ...reasonFor(playerId, ticket),
        },
        ...(named.is === 'about' && OUT_OF_POOL),
        guards: ['status'],
      };
    }
    case 'backfill': {
      const players = withoutPlayer(playerId, named.backfill.players, pseudonym);
      return {
        sets: { players: JSON.stringify(backfillRequestOf({ ...named.backfill, players })) },
        ...(named.is === 'about' && OUT_OF_POOL),
        guards: ['state'],
      };
    }
    case 'match':
      return matchWithout(playerId, named.match, pseudonym);
    case 'place':
      return { guards: ['heldBy'] };
    case 'cooldown':
      return { guards: ['offences', 'forgivenAtMs'] };
    case 'polls':
      return { guards: ['expiresAt'] };
    case 'rating':
      return { guards: ['writeId'] };
    case 'meetings': {
      if (named.is === 'about') return { guards: ['met'] };
      return { sets: { met: JSON.stringify(named.met.filter(([other]) => other !== playerId)) }, guards: [] };
    }
    case 'unreadable':
      throw new Error('Expected an item that can be read');
  }
}

/** The reason of an item without the player's name. */
function reasonFor(playerId: string, { reason }: { readonly reason?: string | undefined }) {
  return reason === undefined ? {} : { reason: reasonWithout(reason, [playerId]) };
}

function withoutPlayer<P extends RuledPlayer>(
  playerId: string,
  players: readonly P[],
  pseudonym: string,
): P[] {
  return players.map((player): P => {
    if (player.playerId === playerId) {
      const { team, ticketId } = player as { team?: number; ticketId?: string };
      const place = { ...(team !== undefined && { team }), ...(ticketId !== undefined && { ticketId }) };
      return { playerId: pseudonym, skill: 0, ...place } as unknown as P;
    }
    const { avoid, met, ...rest } = player;
    return {
      ...rest,
      ...(avoid && { avoid: avoid.filter((other) => other !== playerId) }),
      ...(met && { met: met.filter(([other]) => other !== playerId) }),
    } as unknown as P;
  });
}

function matchWithout(playerId: string, match: StoredMatch, pseudonym: string): Rewriting {
  const teams = match.teams.map((team) => ({
    ...team,
    players: team.players.map(({ attributes, ...seat }) =>
      seat.playerId === playerId
        ? { ...seat, playerId: pseudonym }
        : { ...seat, ...(attributes && { attributes }) },
    ),
  }));
  const { assignment, result, erasures = 0 } = match;
  const tokens = Object.entries(assignment?.tokens ?? {}).filter(([name]) => name !== playerId);
  return {
    sets: {
      game: packGame(gameOf({ ...match, teams })),
      erasures: erasures + 1,
      ...reasonFor(playerId, match),
      ...(assignment && {
        assignment: JSON.stringify({
          ...assignment,
          ...(assignment.tokens && { tokens: Object.fromEntries(tokens) }),
        }),
      }),
      ...(result && { result: JSON.stringify(resultWithout(playerId, result, pseudonym)) }),
    },
    // A tick that fills a backfill writes the game that it has read.
    guards: ['status', 'backfillId', 'assignment', 'result', 'rated'],
  };
}

function resultWithout(
  playerId: string,
  { weights, ...result }: StoredResult,
  pseudonym: string,
): StoredResult {
  if (weights === undefined) return result;
  return {
    ...result,
    weights: weights.map(([id, weight]) => [id === playerId ? pseudonym : id, weight]),
  };
}
