import { attributeSizeFault } from '../../contract/match-size.ts';
import { inPlaceableRegions, placeableRegions } from '../../contract/placeable-regions.ts';
import type { FieldProblem } from '../../contract/problem.ts';
import { LIMITS, type QueueDefinition } from '../../contract/queue-definition.ts';
import { type TeamKindView as Kind, teamKindsOf } from '../../contract/team-kinds.ts';
import { partyFaults } from '../../rules/party-faults.ts';
import { playerFaults, type SomePlayer } from '../../rules/player-faults.ts';
import type { RuledPlayer as Player } from '../../rules/types.ts';
import { placeScope } from './one-place.ts';

/** The part of a party that is checked against a queue. */
interface Party {
  readonly players: readonly Player[];
  readonly split?: boolean | undefined;
  readonly replaces?: string | undefined;
}

/**
 * Why a party can never play in this queue; empty when it can.
 * @param variants the variants of an experiment on the queue. The party has to fit one of the definitions
 */
export function misfits(
  party: Party,
  definition: QueueDefinition,
  variants: readonly QueueDefinition[] = [],
): FieldProblem[] {
  const kinds = teamKindsOf(definition);
  const problems = playerProblems(party.players, definition);
  const tooLarge = sizeFault(party, kinds) ?? placesFault(party, definition);
  if (tooLarge !== undefined) problems.unshift({ pointer: '#/players', detail: tooLarge });
  if (problems.length > 0) return problems;
  const unseated = seatFault(party, kinds);
  if (unseated !== undefined) return [{ pointer: '#/players', detail: unseated }];
  // Bots fill seats at the time-out of a ticket, and a running match may continue with empty ones.
  const mayLack = definition.fill === 'bots' || definition.backfill !== undefined;
  const teams = mayLack ? kinds.map((kind) => ({ ...kind, minSize: 0 })) : kinds;
  const reaching = { ...party, players: inPlaceableRegions(party.players, definition) };
  if (variants.some((one) => partyFaults(reaching, one, teams).length === 0)) return [];
  return partyFaults(reaching, definition, teams).map((detail) => ({ pointer: '#/players', detail }));
}

function placesFault({ players, replaces }: Party, definition: QueueDefinition): string | undefined {
  const max = LIMITS.onePlacePartyMax - (replaces === undefined ? 0 : 1);
  if (placeScope(definition) === undefined || players.length <= max) return undefined;
  const which = replaces === undefined ? 'a ticket' : 'a ticket that replaces another,';
  return `Expected at most ${max} players in ${which} of a queue with onePlace, got ${players.length}`;
}

/** Duplicate players, unknown roles and teams, and values that violate the attributes and rules of the queue. */
export function playerProblems(
  players: readonly ReadablePlayer[],
  definition: QueueDefinition,
): FieldProblem[] {
  const { name } = definition;
  const kinds = teamKindsOf(definition);
  const roleNames = [...new Set(kinds.flatMap(({ roles }) => Object.keys(roles ?? {})))];
  const teamNames = kinds.flatMap((kind) => kind.name ?? []);
  const problems: FieldProblem[] = [];
  const seen = new Set<string>();
  const regions = placeableRegions(definition);
  for (const [i, { playerId, roles, teams, latencyMs }] of players.entries()) {
    const reached = Object.keys(latencyMs ?? {});
    if (regions && reached.length > 0 && !reached.some((region) => regions.includes(region)))
      problems.push({
        pointer: `#/players/${i}/latencyMs`,
        detail: `Expected the latency to at least one region in which the provisioner of queue ${name} can place matches (${regions.join(', ')}), got only ${reached.join(', ')}`,
      });
    if (playerId !== undefined && seen.has(playerId)) {
      problems.push({
        pointer: `#/players/${i}/playerId`,
        detail: `Expected each player once in a ticket, got ${playerId} again`,
      });
    }
    if (playerId !== undefined) seen.add(playerId);
    const named = [
      { kind: 'role', asked: roles, known: roleNames, none: 'none: this queue has no roles' },
      { kind: 'team', asked: teams, known: teamNames, none: 'none: its teams have no names' },
    ];
    for (const { kind, asked = [], known, none } of named)
      for (const [j, one] of asked.entries())
        if (!known.includes(one))
          problems.push({
            pointer: `#/players/${i}/${kind}s/${j}`,
            detail: `Expected a ${kind} of queue ${name} (${known.join(', ') || none}), got ${one}`,
          });
  }
  for (const [i, { attributes }] of players.entries()) {
    const detail = attributes && attributeSizeFault(attributes, definition);
    if (detail !== undefined) problems.push({ pointer: `#/players/${i}/attributes`, detail });
  }
  problems.push(
    ...playerFaults(players, definition).map(({ path, message }) => ({
      pointer: `#/players/${path.join('/')}`,
      detail: message,
    })),
  );
  return problems;
}

/** The readable part of a player. */
interface ReadablePlayer extends SomePlayer {
  readonly roles?: readonly string[] | undefined;
  readonly teams?: readonly string[] | undefined;
}

function sizeFault({ players, split }: Party, kinds: readonly Kind[]): string | undefined {
  const seats = kinds.reduce((sum, { size, count }) => sum + size * count, 0);
  const most = split ? seats : Math.max(...kinds.map(({ size }) => size));
  if (players.length <= most) return undefined;
  const what = split
    ? 'the seats of a match'
    : kinds[0]!.name === undefined
      ? 'teamSize'
      : 'the largest team';
  return `Expected at most ${most} players (${what}), got ${players.length}`;
}

/** Why not every player can have a seat in one team or, when the party may be divided, in a match. */
function seatFault({ players, split }: Party, kinds: readonly Kind[]): string | undefined {
  const accepts = (player: Player, { name }: Kind) =>
    name === undefined || (player.teams?.includes(name) ?? true);
  if (kinds.length === 1 && kinds[0]!.roles === undefined) return undefined;
  if (split) {
    const seats = kinds.flatMap((kind) => seatsOf(kind, kind.count));
    const isSeated = seatable(
      players,
      seats,
      (player, seat) => accepts(player, seat.kind) && plays(player, seat),
    );
    return isSeated
      ? undefined
      : 'Expected a party whose players can all have a seat in a match, got teams and roles that leave too few seats for them';
  }
  const taking = kinds.filter(
    (kind) => kind.size >= players.length && players.every((player) => accepts(player, kind)),
  );
  if (taking.length === 0) {
    return `Expected a party of which all players accept one team with room for ${players.length}, got players with no such team in common: send "split": true or single tickets to divide them`;
  }
  if (taking.some((kind) => kind.roles === undefined || seatable(players, seatsOf(kind, 1), plays)))
    return undefined;
  return 'Expected a party whose players can all have a seat in one team, got roles that leave too few seats for them';
}

interface Seat {
  readonly kind: Kind;
  readonly role: string | undefined;
}

function seatsOf(kind: Kind, teams: number): Seat[] {
  const roles: [string | undefined, number][] = kind.roles
    ? Object.entries(kind.roles)
    : [[undefined, kind.size]];
  return roles.flatMap(([role, count]) => Array.from({ length: teams * count }, () => ({ kind, role })));
}

function plays({ roles }: Player, { role }: Seat): boolean {
  return role === undefined || (roles?.includes(role) ?? true);
}

/** Whether every player can have a seat, by bipartite matching with augmenting paths. */
function seatable(
  players: readonly Player[],
  seats: readonly Seat[],
  fits: (player: Player, seat: Seat) => boolean,
): boolean {
  const holders: (number | undefined)[] = seats.map(() => undefined);
  const findSeat = (player: number, tried: Set<number>): boolean =>
    seats.some((of, seat) => {
      if (tried.has(seat) || !fits(players[player]!, of)) return false;
      tried.add(seat);
      const holder = holders[seat];
      if (holder !== undefined && !findSeat(holder, tried)) return false;
      holders[seat] = player;
      return true;
    });
  return players.every((_, player) => findSeat(player, new Set()));
}
