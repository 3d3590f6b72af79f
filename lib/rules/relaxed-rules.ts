import { CustomCalls } from './custom/calls.ts';
import { codeInUse } from './custom/code.ts';
import { stepsOf } from './levels.ts';
import { kindsOf } from './measures.ts';
import { meetingsOf } from './met.ts';
import type { RuledGame, RuledTicket } from './rule-type.ts';
import { isCostOnly, type Rule, type RulesDefinition, typeOf } from './rule-types.ts';
import type { RuledPlayer } from './types.ts';

/** The part of a game that says who plays in which team. */
interface TeamsOfGame {
  /** In the order of the queue's teams. */
  readonly teams: readonly (readonly { readonly playerId: string; readonly ticketId: string }[])[];
}

/** Rules, and the teams that they are about. */
export interface RulesOfTeams extends RulesDefinition {
  readonly teams?: Parameters<typeof kindsOf>[0];
}

/** The rules of a queue that can relax: they forbid games, and have steps. */
export function relaxableRules({ rules = [] }: RulesDefinition): readonly Rule[] {
  return rules.filter((rule) => stepsOf(rule).length > 0 && !isCostOnly(rule));
}

/**
 * The names of the rules that had to relax for a game: as written, without the steps of `relax`, they forbid it.
 * @param tickets those of the game
 */
export function relaxedRules(
  definition: RulesOfTeams,
  { teams }: TeamsOfGame,
  tickets: readonly RuledTicket[],
  nowMs: number,
): string[] {
  const relaxable = relaxableRules(definition);
  if (relaxable.length === 0) return [];
  const players = tickets.flatMap((ticket) => ticket.players);
  const byId = new Map(players.map((player) => [player.playerId, player]));
  const enqueued = new Map(tickets.map(({ ticketId, enqueuedAtMs }) => [ticketId, enqueuedAtMs]));
  const game: RuledGame = {
    teams: teams.map((seats) =>
      ticketsOf(seats, byId).map((ticket) => ({ ...ticket, enqueuedAtMs: enqueued.get(ticket.ticketId) })),
    ),
    kinds: kindsOf(definition.teams),
  };
  const moment = { attributes: definition.attributes ?? {}, nowMs };
  const calls = codeInUse() && new CustomCalls(moment);
  const context = { ...moment, meetings: meetingsOf(players), calls };
  return relaxable
    .filter((rule) => !typeOf(rule).evaluate(rule, game, context).holds)
    .map(({ name }) => name);
}

/** The tickets in a team; of a divided party the players that are in it. */
function ticketsOf(
  seats: TeamsOfGame['teams'][number],
  byId: ReadonlyMap<string, RuledPlayer>,
): RuledTicket[] {
  const people = seats.filter(({ playerId }) => byId.has(playerId));
  return Array.from(
    Map.groupBy(people, ({ ticketId }) => ticketId),
    ([ticketId, own]) => ({ ticketId, players: own.map(({ playerId }) => byId.get(playerId)!) }),
  );
}
