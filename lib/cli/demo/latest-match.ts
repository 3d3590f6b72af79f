import type { SeenMatch, Server } from './game-backend.ts';
import { nameOf } from './player-names.ts';

/**
 * Describes a match: the teams, how even it is, and what is proved about it.
 *
 * @param server where it is played; undefined while that is not known
 * @returns lines: a heading, the teams in one line or three, the server, and the verdict
 */
export function latestMatch(match: SeenMatch, server?: Server): string[] {
  const teams = match.teams.map(({ players }) => teamText(players, match));
  const head = `latest match: ${match.queue}, ${sizesText(match)}, after ${waitsText(match)} s of waiting`;
  const isDuel = teams.length === 2 && match.teams.every(({ players }) => players.length === 1);
  const shown = teams.slice(0, TEAMS_SHOWN).map((team) => `  ${team}`);
  if (teams.length > TEAMS_SHOWN) shown.push(`  ${teams.length - TEAMS_SHOWN} more teams`);
  const players = isDuel
    ? [`  ${teams[0]} against ${teams[1]}`]
    : shown.flatMap((team, at) => (at === 0 ? [team] : ['    against', team]));
  const place =
    server === undefined
      ? []
      : [`  on ${server.address}:${server.port}, known after ${(server.tookMs / 1_000).toFixed(1)} s`];
  return [head, ...players, ...place, `  ${evenness(match)}; ${proof(match)}`];
}

/** The maximum of teams that fit on a screen. */
const TEAMS_SHOWN = 4;

/** "5 against 5", "3 teams of 4", "1 against 4". */
function sizesText({ teams }: SeenMatch): string {
  const sizes = teams.map(({ players }) => players.length);
  const isEqual = sizes.every((size) => size === sizes[0]);
  return isEqual && sizes.length > 2 ? `${sizes.length} teams of ${sizes[0]}` : sizes.join(' against ');
}

/** The parties in the order of the team, with their members joined by `+`. */
function teamText(players: SeenMatch['teams'][number]['players'], { skills }: SeenMatch): string {
  // A bot has no ticket, and is a party of its own.
  const parties = Map.groupBy(players, (player) => player.ticketId ?? player);
  const texts = [...parties.values()].map((party) =>
    party.map(({ playerId, ticketId, role }) => {
      const name = ticketId === undefined ? 'bot' : nameOf(playerId);
      return [name, skills.get(playerId), role].filter((part) => part !== undefined).join(' ');
    }),
  );
  return texts.map((party) => party.join(' + ')).join(', ');
}

function waitsText({ waitsMs: [least, greatest] }: SeenMatch): string {
  const [from, to] = [least, greatest].map((ms) => (ms / 1_000).toFixed(1));
  return from === to ? from! : `${from} to ${to}`;
}

function evenness({ teams, teamGap }: SeenMatch): string {
  if (teams.length === 1) return 'all on one team';
  const who = teams[0]!.players.length === 1 ? 'players' : 'teams';
  const gap = rounded(teamGap);
  return gap === 0 ? `the ${who} are equal` : `the ${who} are ${gap} ${gap === 1 ? 'point' : 'points'} apart`;
}

function proof({ certifiedGap }: SeenMatch): string {
  return certifiedGap === 0
    ? 'proved: no possible match was better'
    : `no possible match was better by more than ${rounded(certifiedGap) || certifiedGap.toPrecision(1)}`;
}

function rounded(value: number): number {
  return Number(value.toFixed(value < 10 ? 1 : 0));
}
