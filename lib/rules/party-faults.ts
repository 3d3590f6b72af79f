import { NUMBER_LIMITS } from '../vocabulary/number-limits.ts';
import { levelsOf } from './levels.ts';
import { noMeetings } from './met.ts';
import { isCostOnly, type Rule, type RulesDefinition, typeOf } from './rule-types.ts';
import { groupsOf } from './states/groups.ts';
import type { EnteredTicket } from './states/state-group.ts';
import type { Attributes, AttributeValue, RuledPlayer } from './types.ts';
import { attributeOf, SKILL } from './values.ts';

/** The players of a ticket, who play on one team, or with `split` on several. */
export interface RuledParty {
  readonly players: readonly RuledPlayer[];
  readonly split?: boolean | undefined;
}

/** Teams of one kind in a match. */
export interface TeamsOfKind {
  readonly name: string | undefined;
  readonly size: number;
  /** The minimum of people on the team. */
  readonly minSize: number;
  readonly count: number;
}

interface PartyRules extends RulesDefinition {
  readonly skillScale?: 'raw' | 'percentile' | undefined;
}

/**
 * Why no match under the rules can contain this party: its own players violate a rule, even after the last step of its relaxation.
 * The states with which a search turns back decide it, so a party that a search could match has no fault. `recent` never refuses a
 * party, and rules of percentiles do not, because percentiles change.
 *
 * @param kinds the teams of a match, in which the players have seats
 */
export function partyFaults(
  party: RuledParty,
  { attributes = {}, rules = [], skillScale }: PartyRules,
  kinds: readonly TeamsOfKind[],
): string[] {
  const loosest = rules.flatMap((rule): Rule[] => {
    const last = levelsOf(rule).at(-1);
    const isOfPercentiles = skillScale === 'percentile' && typeOf(rule).attributes(rule).includes(SKILL);
    return last === undefined || isOfPercentiles ? [] : [{ ...last, relax: undefined }];
  });
  if (loosest.length === 0) return [];
  const found = forbidding(party, loosest, attributes, kinds);
  const together = party.split ? 'in the teams of one match' : 'on one team';
  return found.map(({ rule, isOfTeams }) => {
    const { name, relax: _, ...body } = rule;
    const where = isOfTeams ? together : 'in one match';
    return `Expected players who can play ${where} under the rule ${name} (${short(body)} at its loosest), got ${valuesRead(rule, party.players, attributes)}`;
  });
}

interface Forbidding {
  readonly rule: Rule;
  readonly isOfTeams: boolean;
}

/** The rules that forbid every match with this party. */
function forbidding(
  { players, split }: RuledParty,
  rules: readonly Rule[],
  attributes: Attributes,
  kinds: readonly TeamsOfKind[],
): readonly Forbidding[] {
  const context = { attributes, meetings: noMeetings, nowMs: 0 };
  const others = rules.some(({ type }) => type === 'compare' || type === 'anyOf') ? extremes(attributes) : [];
  /** Those of the rules that no game with these players meets. */
  const broken = (tried: readonly Rule[], part: readonly RuledPlayer[], seats: number, seatsMin: number) => {
    const forbid = (some: readonly Rule[]) => {
      const indexed = some.map((rule) => ({ rule, index: 0 }));
      const tickets = [entered(part), ...others];
      return groupsOf(indexed, tickets, false, { ...context, seats, seatsMin }).some(({ state, forbids }) => {
        state.start();
        return forbids && !state.admits(0);
      });
    };
    return forbid(tried) ? tried.filter((rule) => forbid([rule])) : [];
  };
  const sum = (of: (kind: TeamsOfKind) => number) =>
    kinds.reduce((all, kind) => all + kind.count * of(kind), 0);
  const seats = sum(({ size }) => size);
  const seatsMin = sum(({ minSize }) => minSize);
  const inMatch = broken(rules, players, seats, seatsMin);
  if (inMatch.length > 0) return inMatch.map((rule) => ({ rule, isOfTeams: false }));

  const hard = rules.filter((rule) => !isCostOnly(rule));
  const mates = kinds.map(({ name }) =>
    hard.flatMap((rule) => (typeOf(rule).betweenMates(rule, name) as Rule | undefined) ?? []),
  );
  const isFull = players.length === seats;
  const ofTeams = hard.filter((rule) => isFull || typeOf(rule).judgesTeamsAlone(rule));
  if (ofTeams.length === 0 && mates.every(({ length }) => length === 0)) return [];
  const judge: JudgeTeams = (teams, { kind, part }) => {
    const { size, minSize } = kinds[kind]!;
    const complete = teams.filter((team) => team.part.length === kinds[team.kind]!.size);
    const game = {
      teams: complete.map((team) => [entered(team.part)]),
      tickets: [entered(players)],
      kinds: complete.map((team) => kinds[team.kind]!.name ?? ''),
    };
    const isWhole = complete.length === teams.length;
    const failing = (complete.length === 0 ? [] : ofTeams).filter(
      (rule) =>
        (isWhole || typeOf(rule).judgesTeamsAlone(rule)) && !typeOf(rule).evaluate(rule, game, context).holds,
    );
    return [...broken(mates[kind]!, part, size, minSize), ...failing].map(({ name }) => name);
  };
  const units = split ? players.map((one) => [one]) : [players];
  const names = undivided(units, kinds, judge);
  return hard.filter(({ name }) => names.has(name)).map((rule) => ({ rule, isOfTeams: true }));
}

/** A team with those of the party who play on it. */
interface Team {
  readonly kind: number;
  part: readonly RuledPlayer[];
}

/** The names of the rules that forbid the teams, of which the last placement has changed one. */
type JudgeTeams = (teams: readonly Team[], changed: Team) => readonly string[];

/** The maximum of placements that are tried. A split party that needs more is not refused. */
const PLACEMENTS_MAX = 500;

/**
 * The names of the rules that leave no division of the units into the teams; none when there is a division.
 * @param units players who play on the same team
 */
function undivided(
  units: readonly (readonly RuledPlayer[])[],
  kinds: readonly TeamsOfKind[],
  judge: JudgeTeams,
): ReadonlySet<string> {
  const teams = kinds.flatMap(({ count }, kind) =>
    Array.from({ length: count }, (): Team => ({ kind, part: [] })),
  );
  const forbidding = new Set<string>();
  let left = PLACEMENTS_MAX;
  const isPlaced = (at: number): boolean => {
    if (at === units.length) return true;
    const unit = units[at]!;
    // Empty teams of a kind are alike.
    const tried = new Set<number>();
    for (const team of teams) {
      const { kind, part } = team;
      const { name, size } = kinds[kind]!;
      const accepts = unit.every(({ teams: own }) => name === undefined || (own?.includes(name) ?? true));
      if (tried.has(kind) || !accepts || part.length + unit.length > size) continue;
      if (part.length === 0) tried.add(kind);
      if (left-- === 0) return true;
      team.part = [...part, ...unit];
      const broken = judge(teams, team);
      for (const name of broken) forbidding.add(name);
      if (broken.length === 0 && isPlaced(at + 1)) return true;
      team.part = part;
    }
    return false;
  };
  return isPlaced(0) ? new Set() : forbidding;
}

/** Tickets with the least and the greatest values that others can bring, on which the reach of a comparison depends. */
function extremes(attributes: Attributes): EnteredTicket[] {
  const { valueMax } = NUMBER_LIMITS;
  return [-1, 1].map((sign) => {
    const values = Object.entries(attributes).map(([name, attribute]): [string, AttributeValue] => {
      if (attribute.type !== 'number') return [name, attribute.type === 'string' ? '' : []];
      return [name, (sign < 0 ? attribute.min : attribute.max) ?? sign * valueMax];
    });
    const skill = sign < 0 ? 0 : valueMax;
    return entered([{ playerId: '', skill, attributes: Object.fromEntries(values) }]);
  });
}

function entered(players: readonly RuledPlayer[]): EnteredTicket {
  return { ticketId: '', players, levels: [0] };
}

/** The values of the players that a rule reads. */
function valuesRead(rule: Rule, players: readonly RuledPlayer[], attributes: Attributes): string {
  const names = [...new Set(typeOf(rule).attributes(rule))];
  if (names.length === 0) return `latencyMs ${short(players.map(({ latencyMs }) => latencyMs))}`;
  return names
    .map((name) => `${name} ${short(players.map((player) => attributeOf(player, name, attributes)))}`)
    .join(' and ');
}

const QUOTED_LETTERS = 300;

function short(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > QUOTED_LETTERS ? `${text.slice(0, QUOTED_LETTERS)}…` : text;
}
