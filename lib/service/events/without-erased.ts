import type { MusterEvent } from '../../contract/events.ts';
import type { TicketView } from '../../contract/ticket.ts';
import { reasonWithout } from '../domain/erased-name.ts';
import type { ErasedPlayers } from '../ports/erased-players.ts';

/** A younger event is posted unchanged, because it has hardly waited. Milliseconds. */
export const LATE_MS = 60_000;

/**
 * A match may still name a player for this long after the player's erasure; by then it is placed. The erasure is repeated until it
 * finds nothing more.
 */
const ERASING_MS = 2 * 3_600_000;
/** The names that are looked up for an event. One with more loses the avoid lists of its players: 100 names are one read. */
const NAMES_MAX = 500;

/** The id of an erased player in an event. */
const ERASED = 'erased';

/**
 * An event without the players who were erased since it happened, because a webhook may wait for days for its receiver. Their ids
 * become `erased`, and their other fields are removed. A webhook that is posted within a minute costs nothing. A later one costs a
 * read in a second, and more only if players were erased at most two hours before the event, or since.
 */
export async function withoutErased(
  erased: Pick<ErasedPlayers, 'among' | 'lastAtMs'>,
  event: MusterEvent,
  nowMs: number,
): Promise<MusterEvent> {
  const eventMs = Date.parse(event.time);
  if (nowMs - eventMs < LATE_MS || (await erased.lastAtMs(nowMs)) + ERASING_MS < eventMs) return event;
  if ('ticket' in event) {
    const ticket = await ticketWithoutErased(erased, event.ticket);
    return ticket === event.ticket ? event : { ...event, ticket };
  }
  const { match } = event;
  const gone = await erased.among(match.teams.flatMap(({ players }) => players.map((seat) => seat.playerId)));
  if (gone.size === 0) return event;
  const teams = match.teams.map((team) => ({
    ...team,
    players: team.players.map(({ attributes, ...seat }) =>
      gone.has(seat.playerId)
        ? { ...seat, playerId: ERASED }
        : { ...seat, ...(attributes && { attributes }) },
    ),
  }));
  const tokens = Object.entries(match.assignment?.tokens ?? {}).filter(([playerId]) => !gone.has(playerId));
  const assignment = match.assignment && {
    ...match.assignment,
    ...(match.assignment.tokens && { tokens: Object.fromEntries(tokens) }),
  };
  const rename = <P extends { readonly playerId: string }>(one: P): P =>
    gone.has(one.playerId) ? { ...one, playerId: ERASED } : one;
  const { result, ratings, reason } = match;
  return {
    ...event,
    match: {
      ...match,
      teams,
      ...(reason !== undefined && { reason: reasonWithout(reason, gone) }),
      ...(assignment && { assignment }),
      ...(result?.players && { result: { ...result, players: result.players.map(rename) } }),
      ...(ratings && { ratings: ratings.filter(({ playerId }) => !gone.has(playerId)) }),
    },
  };
}

async function ticketWithoutErased(
  erased: Pick<ErasedPlayers, 'among'>,
  ticket: TicketView,
): Promise<TicketView> {
  const { players, reason } = ticket;
  const own = players.map(({ playerId }) => playerId);
  const named = [...new Set([...own, ...players.flatMap(({ avoid = [] }) => avoid)])];
  const areMany = named.length > NAMES_MAX;
  const gone = await erased.among(areMany ? own : named);
  if (gone.size === 0 && !areMany) return ticket;
  const left = players.map(({ avoid, ...player }) =>
    gone.has(player.playerId)
      ? { playerId: ERASED, skill: 0 }
      : { ...player, ...(avoid && !areMany && { avoid: avoid.filter((other) => !gone.has(other)) }) },
  );
  // A name that was not looked up may be that of an erased player.
  const unsaid = areMany ? named.filter((name) => gone.has(name) || !own.includes(name)) : gone;
  return {
    ...ticket,
    players: left,
    ...(reason !== undefined && { reason: reasonWithout(reason, unsaid) }),
  };
}
