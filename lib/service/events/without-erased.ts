import type { MusterEvent } from '../../contract/events.ts';
import type { TicketView } from '../../contract/ticket.ts';
import { reasonWithout } from '../domain/erased-name.ts';
import type { ErasedPlayers } from '../ports/erased-players.ts';

/** An event younger than this is posted unchanged. Milliseconds. */
export const LATE_MS = 60_000;

/** A match may name a player for this long after the player's erasure began; then it is placed, and a repeated erasure finds it. */
const ERASING_MS = 2 * 3_600_000;
/**
 * The maximum of names that are looked up for an event. If it has more, the avoid lists of its players are removed. One read is
 * 100 names.
 */
const NAMES_MAX = 500;

/** The id of an erased player in an event. */
const ERASED = 'erased';

/**
 * An event without the players who were erased while it waited for its receiver, which may take days. Their ids become `erased`,
 * and their other fields are removed. An event that is posted within a minute costs nothing. A later one costs at most one read a
 * second, and further ones only if players were erased later than two hours before the event.
 */
export async function withoutErased(
  erased: Pick<ErasedPlayers, 'findErased' | 'lastAtMs'>,
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
  const erasedIds = await erased.findErased(
    match.teams.flatMap(({ players }) => players.map((seat) => seat.playerId)),
  );
  if (erasedIds.size === 0) return event;
  const teams = match.teams.map((team) => ({
    ...team,
    players: team.players.map(({ attributes, ...seat }) =>
      erasedIds.has(seat.playerId)
        ? { ...seat, playerId: ERASED }
        : { ...seat, ...(attributes && { attributes }) },
    ),
  }));
  const tokens = Object.entries(match.assignment?.tokens ?? {}).filter(
    ([playerId]) => !erasedIds.has(playerId),
  );
  const assignment = match.assignment && {
    ...match.assignment,
    ...(match.assignment.tokens && { tokens: Object.fromEntries(tokens) }),
  };
  const rename = <P extends { readonly playerId: string }>(one: P): P =>
    erasedIds.has(one.playerId) ? { ...one, playerId: ERASED } : one;
  const { result, ratings, reason } = match;
  return {
    ...event,
    match: {
      ...match,
      teams,
      ...(reason !== undefined && { reason: reasonWithout(reason, erasedIds) }),
      ...(assignment && { assignment }),
      ...(result?.players && { result: { ...result, players: result.players.map(rename) } }),
      ...(ratings && { ratings: ratings.filter(({ playerId }) => !erasedIds.has(playerId)) }),
    },
  };
}

async function ticketWithoutErased(
  erased: Pick<ErasedPlayers, 'findErased'>,
  ticket: TicketView,
): Promise<TicketView> {
  const { players, reason } = ticket;
  const own = players.map(({ playerId }) => playerId);
  const named = [...new Set([...own, ...players.flatMap(({ avoid = [] }) => avoid)])];
  const areMany = named.length > NAMES_MAX;
  const erasedIds = await erased.findErased(areMany ? own : named);
  if (erasedIds.size === 0 && !areMany) return ticket;
  const left = players.map(({ avoid, ...player }) =>
    erasedIds.has(player.playerId)
      ? { playerId: ERASED, skill: 0 }
      : { ...player, ...(avoid && !areMany && { avoid: avoid.filter((other) => !erasedIds.has(other)) }) },
  );
  // A name that was not looked up may be that of an erased player.
  const removedNames = areMany
    ? named.filter((name) => erasedIds.has(name) || !own.includes(name))
    : erasedIds;
  return {
    ...ticket,
    players: left,
    ...(reason !== undefined && { reason: reasonWithout(reason, removedNames) }),
  };
}
