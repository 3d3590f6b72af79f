import type { MusterEvent } from '../../contract/events.ts';
import type { ErasedPlayers } from '../ports/erased-players.ts';

/** A younger event is posted as it is: it has hardly waited. Milliseconds. */
export const LATE_MS = 60_000;

/** The id of an erased player in an event. */
const ERASED = 'erased';

/**
 * An event without the players who were erased since it happened, as a webhook may wait for days for its receiver. Their
 * ids are `erased`, and nothing else of them stays. Only events older than a minute are looked at, so a prompt webhook
 * costs nothing.
 */
export async function withoutErased(
  erased: Pick<ErasedPlayers, 'among'>,
  event: MusterEvent,
  nowMs: number,
): Promise<MusterEvent> {
  if (nowMs - Date.parse(event.time) < LATE_MS) return event;
  if ('ticket' in event) {
    const { players } = event.ticket;
    const named = players.flatMap(({ playerId, avoid = [] }) => [playerId, ...avoid]);
    const gone = await erased.among(named);
    if (gone.size === 0) return event;
    const left = players.map((player) =>
      gone.has(player.playerId)
        ? { playerId: ERASED, skill: 0 }
        : { ...player, ...(player.avoid && { avoid: player.avoid.filter((other) => !gone.has(other)) }) },
    );
    return { ...event, ticket: { ...event.ticket, players: left } };
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
  const { result, ratings } = match;
  return {
    ...event,
    match: {
      ...match,
      teams,
      ...(assignment && { assignment }),
      ...(result?.players && { result: { ...result, players: result.players.map(rename) } }),
      ...(ratings && { ratings: ratings.filter(({ playerId }) => !gone.has(playerId)) }),
    },
  };
}
