import type { Constraints, Facet, Ruling, TeamMember, Ticket } from '../engine/types.ts';
import { CustomCalls, type CustomFailures } from './custom/calls.ts';
import { codeInUse, missingFunctions } from './custom/code.ts';
import { facetsOf, type RuleFacet } from './facets.ts';
import { type LeveledRule, levelAt, levelsOf, type Steps, stepsOf } from './levels.ts';
import { ticketsOf } from './measures.ts';
import { noMeetings } from './met.ts';
import { AVOIDED, EXCLUDED } from './reasons.ts';
import type { RuledGame } from './rule-type.ts';
import { isCostOnly, type RelaxBy, type Rule, type RulesDefinition, typeOf } from './rule-types.ts';
import { betweenMates, groupsOf, type StateSettings } from './states/groups.ts';
import { RangeState } from './states/range-state.ts';
import { SetState } from './states/set-state.ts';
import {
  type EnteredTicket,
  type IndexedRule,
  keepAdmitted,
  type StatedRule,
  type StateGroup,
} from './states/state-group.ts';
import type { RuledPlayer } from './types.ts';

/** The rules of a queue, the moment of a search, and the facts that the rules need. */
interface RuleSettings extends StateSettings {
  readonly rules: readonly Rule[];
  readonly relaxBy: RelaxBy;
  /** Pools of at least this many tickets are cut into facets where a rule separates them. */
  readonly facetsFrom: number;
}

/**
 * Without `meetings` no two players have met; without `facetsFrom` facets begin at 64 tickets. `failures` notes the calls of custom
 * rules that fail.
 */
export type SearchMoment = Pick<RuleSettings, 'nowMs' | 'seats' | 'seatsMin' | 'outOfTime'> &
  Partial<Pick<RuleSettings, 'kinds' | 'teams' | 'teamSize' | 'meetings' | 'facetsFrom'>> & {
    readonly failures?: CustomFailures;
  };

/**
 * The rules of a queue for the searches of one pool at one moment; undefined when the queue has no rules and no player
 * avoids another.
 * @throws Error that names a function which a custom rule needs and the code does not have
 */
export function compileRules(
  { attributes = {}, rules = [], relaxBy = 'each' }: RulesDefinition,
  moment: SearchMoment,
  hasAvoid: boolean,
): (() => Constraints) | undefined {
  if (rules.length === 0 && !hasAvoid) return undefined;
  const [missing] = missingFunctions(rules, codeInUse()?.names);
  if (missing !== undefined) throw new Error(missing.detail);
  const calls = new CustomCalls({ attributes, nowMs: moment.nowMs }, moment.failures);
  const defaults = { meetings: noMeetings, facetsFrom: 64 };
  return () => new RuleStates({ ...defaults, ...moment, calls, attributes, rules, relaxBy });
}

/** The rules of a queue at one moment, in the form in which the engine searches with them. */
export class RuleStates implements Constraints {
  readonly judgesGames: boolean;
  readonly judgesTeams: boolean;
  leastInTeams = 0;
  readonly #settings: RuleSettings;
  readonly #numbers = new Map<Ticket, number>();
  readonly #tickets: Ticket[] = [];
  /** By ticket and rule: the level of its own age. */
  readonly #levels: Uint8Array[] = [];
  /** By rule: when it relaxes. */
  readonly #steps: readonly Steps[];
  readonly #relaxes: boolean;
  /** The levels of every ticket when no rule relaxes. */
  readonly #strictest: Uint8Array;
  /** By rule: its levels of relaxation. */
  readonly #allLevels: readonly (readonly LeveledRule[])[];
  #compiled: Compiled | undefined;
  /** The rules of teams, for the players of one team; made when they are first asked. */
  #mates: readonly StateGroup[] | undefined;
  /** The ticket that has joined for `refusal`. */
  #refusing: number | undefined;

  constructor(settings: RuleSettings) {
    this.#settings = settings;
    const { rules, relaxBy, seats, seatsMin } = settings;
    this.#allLevels = rules.map(levelsOf);
    this.#steps = rules.map(stepsOf);
    this.#relaxes = this.#steps.some(({ length }) => length > 0);
    this.#strictest = new Uint8Array(rules.length);
    this.judgesTeams = rules.some((rule) => typeOf(rule).dependsOnTeams(rule));
    this.judgesGames =
      this.judgesTeams ||
      rules.some(isFinal) ||
      // A search counts on the seats that are left, and a game may start without them.
      (seatsMin < seats && rules.some((rule) => rule.type === 'count' && rule.atLeast !== undefined)) ||
      (relaxBy === 'oldest' && this.#relaxes);
  }

  enter(ticket: Ticket): number {
    const known = this.#numbers.get(ticket);
    if (known !== undefined) return known;
    const number = this.#tickets.length;
    const { nowMs } = this.#settings;
    this.#numbers.set(ticket, number);
    this.#tickets.push(ticket);
    this.#levels.push(this.#relaxes ? levelsAt(nowMs - ticket.enqueuedAtMs, this.#steps) : this.#strictest);
    this.#compiled = this.#mates = this.#refusing = undefined;
    return number;
  }

  facets(tickets: readonly number[]): readonly Facet[] | undefined {
    const { sets, ranges } = this.#states();
    if (tickets.length < this.#settings.facetsFrom || sets.length + ranges.length === 0) return undefined;
    const sizeOf = (ticket: number) => this.#tickets[ticket]!.players.length;
    const holdsGame = (facet: Facet) =>
      facet.tickets.reduce((players, ticket) => players + sizeOf(ticket), 0) >= this.#settings.seatsMin;
    return facetsOf(tickets, sets, ranges)?.filter(holdsGame);
  }

  start(facet?: Facet): void {
    this.#refusing = undefined;
    const { groups, sets } = this.#states();
    for (const group of groups) group.start();
    if (facet) for (const { set, value } of (facet as RuleFacet).restrictions) sets[set].restrict(value);
  }

  admits(ticket: number): boolean {
    const { forbidding } = this.#compiled ?? this.#states();
    for (let i = 0; i < forbidding.length; i++) if (!forbidding[i].admits(ticket)) return false;
    return true;
  }

  keep(tickets: Int32Array, from: number, to: number, kept: Int32Array): number {
    const { forbidding } = this.#compiled ?? this.#states();
    let count = 0;
    for (let at = from; at < to; at++) kept[count++] = at;
    for (let i = 0; i < forbidding.length && count > 0; i++)
      count = keepAdmitted(forbidding[i], tickets, kept, count);
    return count;
  }

  join(ticket: number): void {
    const { groups } = this.#compiled ?? this.#states();
    for (let i = 0; i < groups.length; i++) groups[i].join(ticket);
  }

  leave(ticket: number): void {
    const { groups } = this.#compiled ?? this.#states();
    for (let i = 0; i < groups.length; i++) groups[i].leave(ticket);
  }

  hasNarrowed(): boolean {
    const { forbidding } = this.#compiled ?? this.#states();
    for (let i = 0; i < forbidding.length; i++) if (forbidding[i].hasNarrowed?.() ?? true) return true;
    return false;
  }

  get hasCosts(): boolean {
    return this.#states().costly.length > 0;
  }

  cost(): number {
    let sum = 0;
    for (const { state, price } of this.#states().costly) sum += price * state.units();
    return sum;
  }

  costWith(ticket: number): number {
    let sum = 0;
    for (const { state, price } of this.#states().costly) {
      state.join(ticket);
      sum += price * state.units();
      state.leave(ticket);
    }
    return sum;
  }

  costMax(): number {
    let most = 0;
    const { rules, seats, attributes } = this.#settings;
    const players = this.#tickets.flatMap((ticket) => ticket.players) as readonly RuledPlayer[];
    for (const rule of rules) {
      if (rule.cost !== undefined)
        most += rule.cost * typeOf(rule).unitsMax(rule, players, seats, attributes);
    }
    return most;
  }

  judge(teams: readonly (readonly TeamMember[])[], isFound = false): Ruling | undefined {
    const { rules } = this.#settings;
    const { game, members } = this.#gameOf(teams);
    this.leastInTeams = Number.POSITIVE_INFINITY;
    if (hasAvoided(game)) return undefined;
    let cost = 0;
    let leastInTeams = 0;
    let region: string | undefined;
    const byName: Record<string, { cost?: number; values?: readonly string[] }> = {};
    for (let r = 0; r < rules.length; r++) {
      const leveled = this.#leveledFor(members, r);
      if (leveled === undefined) {
        // A match is played in the best region, even if its latencies no longer matter.
        if (rules[r].type === 'latency')
          region = typeOf(rules[r]).evaluate(rules[r], game, this.#settings).region;
        continue;
      }
      const verdict = typeOf(leveled).evaluate(leveled, game, this.#settings);
      const isOfTeams = verdict.isOfTeams ?? typeOf(leveled).dependsOnTeams(leveled);
      // A function that is not pure does not take back a match that it has permitted.
      const mayRefuse = !isCostOnly(leveled) && !(isFound && leveled.type === 'custom');
      if (!verdict.holds && mayRefuse) {
        if (isOfTeams) this.leastInTeams = leastInTeams;
        return undefined;
      }
      if (verdict.region !== undefined) region = verdict.region;
      const own =
        leveled.cost === undefined || verdict.units === Number.POSITIVE_INFINITY
          ? undefined
          : leveled.cost * verdict.units;
      cost += own ?? 0;
      if (!isOfTeams) leastInTeams += own ?? 0;
      if (own === undefined && verdict.values === undefined) continue;
      byName[leveled.name] = {
        ...(own !== undefined && { cost: own }),
        ...(verdict.values !== undefined && { values: verdict.values }),
      };
    }
    this.leastInTeams = leastInTeams;
    return { cost, ...(region !== undefined && { region }), rules: byName };
  }

  shortfall(teams: readonly (readonly TeamMember[])[]): number {
    const { game, members } = this.#gameOf(teams);
    let sum = hasAvoided(game) ? unmeasured : 0;
    for (let r = 0; r < this.#settings.rules.length; r++) {
      const leveled = this.#leveledFor(members, r);
      if (leveled === undefined || isCostOnly(leveled)) continue;
      const { holds, units, lacking = units } = typeOf(leveled).evaluate(leveled, game, this.#settings);
      if (!holds && typeOf(leveled).isOfSizes(leveled)) return Number.POSITIVE_INFINITY;
      if (!holds) sum += Math.min(unmeasured, Math.max(Number.MIN_VALUE, lacking));
    }
    return sum;
  }

  /** The rule with the limits of a game of these tickets; undefined when it is off. */
  #leveledFor(members: readonly number[], r: number): LeveledRule {
    const { relaxBy } = this.#settings;
    const all = this.#allLevels[r];
    let level = relaxBy === 'oldest' ? 0 : all.length - 1;
    for (const member of members) {
      const own = this.#levels[member][r];
      level = relaxBy === 'oldest' ? Math.max(level, own) : Math.min(level, own);
    }
    return all[level];
  }

  nonMates(tickets: readonly number[]): ArrayLike<number> | undefined {
    this.#mates ??= this.#groupsOf(this.#settings.rules.map(indexed).flatMap(betweenMates)).map(
      ({ state }) => state,
    );
    const mates = this.#mates;
    if (mates.length === 0) return undefined;
    const nonMates = new Int32Array(tickets.length);
    tickets.forEach((ticket, at) => {
      for (const group of mates) {
        group.start();
        if (!group.admits(ticket)) continue;
        group.join(ticket);
        for (let other = 0; other < at; other++) {
          if (group.admits(tickets[other])) continue;
          nonMates[at] |= 1 << other;
          nonMates[other] |= 1 << at;
        }
        group.leave(ticket);
      }
    });
    return nonMates;
  }

  refusal(a: number, b: number): string | undefined {
    if (hasAvoided({ teams: [[this.#tickets[a], this.#tickets[b]]] })) return AVOIDED;
    if (this.#refusing !== a) {
      this.start();
      if (!this.admits(a)) return EXCLUDED;
      this.join(a);
      this.#refusing = a;
    }
    return this.admits(b) ? undefined : EXCLUDED;
  }

  /** A whole game in the form that rules evaluate, and its tickets. */
  #gameOf(teams: readonly (readonly TeamMember[])[]): { game: RuledGame; members: readonly number[] } {
    const { kinds } = this.#settings;
    const isDivided = teams.some((team) => team.some((member) => typeof member === 'object'));
    if (!isDivided) {
      const whole = teams as readonly (readonly number[])[];
      const game = { teams: whole.map((team) => team.map((number) => this.#tickets[number])), kinds };
      return { game, members: whole.flat() };
    }
    const members = [
      ...new Set(teams.flat().map((member) => (typeof member === 'number' ? member : member.ticket))),
    ];
    const partOf = (member: TeamMember) => {
      if (typeof member === 'number') return this.#tickets[member];
      const ticket = this.#tickets[member.ticket];
      return { ...ticket, players: member.players.map((i) => ticket.players[i]) };
    };
    const game = {
      teams: teams.map((team) => team.map(partOf)),
      tickets: members.map((number) => this.#tickets[number]),
      kinds,
    };
    return { game, members };
  }

  #states(): Compiled {
    this.#compiled ??= this.#compile();
    return this.#compiled;
  }

  #compile(): Compiled {
    const stated = this.#groupsOf(this.#settings.rules.map(indexed));
    const forbidding = stated.flatMap(({ state, forbids }) => (forbids ? state : []));
    return {
      groups: stated.map(({ state }) => state),
      forbidding,
      ranges: forbidding.filter((group) => group instanceof RangeState),
      sets: forbidding.filter((group) => group instanceof SetState),
      costly: stated.filter(({ price }) => price > 0) as Compiled['costly'],
    };
  }

  #groupsOf(some: readonly IndexedRule[]): StatedRule[] {
    const { rules, relaxBy } = this.#settings;
    // With the oldest ticket's limits for all, a search knows only the loosest limits that any game may have.
    const loosest = Uint8Array.from(rules, (_, r) =>
      this.#levels.reduce((most, levels) => Math.max(most, levels[r]), 0),
    );
    const levels = relaxBy === 'oldest' ? this.#levels.map(() => loosest) : this.#levels;
    const tickets = this.#tickets.map(
      ({ ticketId, players, enqueuedAtMs }, number): EnteredTicket => ({
        ticketId,
        players,
        enqueuedAtMs,
        levels: levels[number],
      }),
    );
    const avoids = tickets.some(({ players }) => players.some(({ avoid }) => avoid !== undefined));
    return groupsOf(some, tickets, avoids, this.#settings);
  }
}

function indexed(rule: Rule, index: number): IndexedRule {
  return { rule, index };
}

/** By rule: the level of a ticket of this age. */
function levelsAt(ageMs: number, steps: readonly Steps[]): Uint8Array {
  const levels = new Uint8Array(steps.length);
  for (let r = 0; r < steps.length; r++) levels[r] = levelAt(ageMs, steps[r]);
  return levels;
}

interface Compiled {
  readonly groups: readonly StateGroup[];
  readonly forbidding: readonly StateGroup[];
  readonly ranges: readonly RangeState[];
  readonly sets: readonly SetState[];
  readonly costly: readonly { readonly state: Required<StateGroup>; readonly price: number }[];
}

/** Whether only a whole game determines if the rule holds, or what it costs. */
function isFinal(rule: Rule): boolean {
  return typeOf(rule).dependsOnTeams(rule) || typeOf(rule).isFinal(rule);
}

function hasAvoided(game: RuledGame): boolean {
  const tickets = ticketsOf(game);
  const hasAvoid = tickets.some(({ players }) => players.some(({ avoid }) => avoid !== undefined));
  if (!hasAvoid) return false;
  return tickets.some((ticket) => {
    const others = new Set(
      tickets.flatMap((one) => (one === ticket ? [] : one.players.map(({ playerId }) => playerId))),
    );
    return ticket.players.some(({ avoid }) => avoid?.some((other) => others.has(other)));
  });
}

/** The shortfall of a rule that cannot say by how much it is broken. */
const unmeasured = 1e6;
