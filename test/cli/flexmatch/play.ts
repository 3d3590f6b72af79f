import { expect } from 'vitest';
import { blockListOf } from '../../../lib/cli/flexmatch/by-type/collection.ts';
import { importRuleSet } from '../../../lib/cli/flexmatch/import-rule-set.ts';
import { flexMatchRuleSet } from '../../../lib/cli/flexmatch/rule-set.ts';
import type { ImportOptions, Source } from '../../../lib/cli/flexmatch/source.ts';
import { checkQueueDefinition } from '../../../lib/contract/queue-definition.ts';
import type { Game, Ticket } from '../../../lib/engine/types.ts';
import { planTick } from '../../../lib/policies/plan.ts';
import type { AttributeValue, RuledPlayer } from '../../../lib/rules/types.ts';
import { misfits } from '../../../lib/service/tickets/misfits.ts';
import { brokenRules, type FlexPlayer, type FlexRuleSet, type FlexTeams } from './interpreter.ts';

/** A ticket of FlexMatch. */
interface FlexTicket {
  readonly ticketId: string;
  readonly enqueuedAtMs: number;
  readonly players: readonly FlexPlayer[];
}

interface Played {
  readonly matches: number;
  /** Rounds after which no match is possible among those who are left, and those that were too large to try all. */
  readonly exhausted: number;
  readonly untried: number;
}

const NOW_MS = 1_000_000;

/**
 * Plays the import of a rule set with random tickets. Throws if a match breaks the original, or if those who are left could still
 * form one although the import is the same: all of their divisions into teams are tried where they are few.
 */
export function play(
  ruleSet: FlexRuleSet,
  random: () => number,
  rounds: number,
  options: ImportOptions = {},
): Played {
  const { definition, source, lines } = importRuleSet(flexMatchRuleSet.parse(ruleSet), options);
  const isSame = lines.every(({ outcome }) => outcome === 'same');
  const queue = checkQueueDefinition({ ...definition, timeoutSeconds: 3600 }, 'The import');
  let matches = 0;
  let exhausted = 0;
  let untried = 0;
  for (let round = 0; round < rounds; round++) {
    const flex = randomTickets(ruleSet, source, random);
    const tickets = flex.map((one) => ours(one, source));
    for (const { players } of tickets)
      expect(misfits({ players: players as RuledPlayer[] }, queue)).toEqual([]);
    const plan = planTick({ rules: queue, tickets, nowMs: NOW_MS });
    const byId = new Map(flex.map((ticket) => [ticket.ticketId, ticket]));
    for (const match of plan.matches) {
      matches++;
      const members = match.ticketIds.map((id) => byId.get(id)!);
      expect(broken(ruleSet, teamsOf(match, ruleSet, members), members)).toEqual([]);
      for (const id of match.ticketIds) byId.delete(id);
    }
    const left = [...byId.values()];
    const possible = left.length > MOST_TRIED || !isSame ? undefined : anyMatch(ruleSet, left);
    if (possible === undefined) untried++;
    else {
      const found = possible && { ruleSet, possible, waiting: plan.waiting };
      expect(found, 'a match is possible among those who wait').toBe(false);
      exhausted++;
    }
  }
  return { matches, exhausted, untried };
}

/** With so many tickets in two teams there are 6,561 divisions. */
const MOST_TRIED = 8;

function broken(ruleSet: FlexRuleSet, teams: FlexTeams, members: readonly FlexTicket[]): string[] {
  const ages = members.map(({ enqueuedAtMs }) => (NOW_MS - enqueuedAtMs) / 1000);
  const isOldest = ruleSet.algorithm?.expansionAgeSelection === 'oldest';
  return brokenRules(ruleSet, teams, isOldest ? Math.max(...ages) : Math.min(...ages));
}

/** The names of the teams in the order of a match. */
function namesOf({ teams }: FlexRuleSet): string[] {
  return teams.flatMap(({ name, quantity = 1 }) =>
    quantity === 1 ? [name] : Array.from({ length: quantity }, (_, i) => `${name}-${i + 1}`),
  );
}

function teamsOf({ teams }: Game, ruleSet: FlexRuleSet, members: readonly FlexTicket[]): FlexTeams {
  const players = new Map(members.flatMap((ticket) => ticket.players.map((one) => [one.playerId, one])));
  const names = namesOf(ruleSet);
  return Object.fromEntries(
    teams.map((team, t) => [names[t]!, team.map(({ playerId }) => players.get(playerId)!)]),
  );
}

/** A match of some of these tickets, or false. */
function anyMatch(ruleSet: FlexRuleSet, tickets: readonly FlexTicket[]): FlexTeams | false {
  const names = namesOf(ruleSet);
  const teams: Record<string, FlexPlayer[]> = Object.fromEntries(names.map((name) => [name, []]));
  const chosen: FlexTicket[] = [];
  const visit = (at: number): FlexTeams | false => {
    if (at === tickets.length) {
      const isWhole = names.every((name) => teams[name]!.length > 0);
      return isWhole && broken(ruleSet, teams, chosen).length === 0 && structuredClone(teams);
    }
    const without = visit(at + 1);
    if (without) return without;
    const { players } = tickets[at]!;
    chosen.push(tickets[at]!);
    for (const name of names) {
      teams[name]!.push(...players);
      const found = visit(at + 1);
      teams[name]!.splice(-players.length);
      if (found) return found;
    }
    chosen.pop();
    return false;
  };
  return visit(0);
}

function randomTickets(ruleSet: FlexRuleSet, source: Source, random: () => number): FlexTicket[] {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const partyMax = Math.max(...source.teams.map(({ most }) => most));
  const wanted = 2 + Math.floor(random() * Math.min(14, source.seats + 4));
  const texts = pick([
    ['duel', 'raid'],
    ['duel', 'raid', 'race', 'hunt', 'siege'],
  ]);
  const tickets: FlexTicket[] = [];
  for (let players = 0; players < wanted; ) {
    const ticketId = `t${String(tickets.length).padStart(2, '0')}`;
    const size = random() < 0.25 ? Math.min(partyMax, 2) : 1;
    tickets.push({
      ticketId,
      enqueuedAtMs: NOW_MS - 1000 * pick([0, 0, 3, 8, 12, 17, 25, 40]),
      players: Array.from({ length: size }, (_, i) => ({
        playerId: `${ticketId}.${i}`,
        party: ticketId,
        attributes: randomAttributes(ruleSet, source, random, ticketId, texts),
        latencyMs: { east: 20 + Math.floor(80 * random()), west: 20 + Math.floor(80 * random()) },
      })),
    });
    players += size;
  }
  return tickets;
}

function randomAttributes(
  ruleSet: FlexRuleSet,
  source: Source,
  random: () => number,
  ticketId: string,
  texts: readonly string[],
) {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const blocked = (source.set.rules ?? []).map((rule) => blockListOf(rule, source));
  const attributes: Record<string, AttributeValue> = {};
  for (const { name, type } of ruleSet.playerAttributes ?? []) {
    if (type === 'number') attributes[name] = Math.floor(12 * random());
    else if (type === 'string') attributes[name] = pick(texts);
    else if (blocked.includes(name)) {
      // A ticket that blocks itself is never matched.
      const other = `t0${Math.floor(9 * random())}`;
      attributes[name] = random() < 0.2 && other !== ticketId ? [`${other}.0`] : [];
    } else if (type === 'string_list')
      attributes[name] = pick([
        ['duel'],
        ['medic'],
        ['duel', 'medic'],
        ['raid', 'duel'],
        ['medic', 'raid', 'duel'],
      ]);
  }
  return attributes;
}

/** The ticket that the queue gets. */
function ours({ ticketId, enqueuedAtMs, players }: FlexTicket, source: Source): Ticket {
  const blocked = (source.set.rules ?? []).map((rule) => blockListOf(rule, source));
  return {
    ticketId,
    enqueuedAtMs,
    players: players.map(({ playerId, attributes, latencyMs }): RuledPlayer => {
      const own = Object.entries(attributes as Record<string, AttributeValue>);
      const avoid = own.flatMap(([name, value]) => (blocked.includes(name) ? (value as string[]) : []));
      const others = own.filter(([name]) => name !== source.skill && !blocked.includes(name));
      const skill = source.skill === undefined ? 0 : Number(attributes[source.skill]);
      return {
        playerId,
        skill: skill + source.skillOffset,
        attributes: Object.fromEntries(others.map(([name, value]) => [source.nameOf(name), value])),
        latencyMs,
        ...(avoid.length > 0 && { avoid }),
      };
    }),
  };
}
