import { describe, expect, it } from 'vitest';
import type { Ticket } from '../../lib/engine/types.ts';
import { partyFaults, type RuledParty, type TeamsOfKind } from '../../lib/rules/party-faults.ts';
import { type Rule, type RulesDefinition, typeOf } from '../../lib/rules/rule-types.ts';
import type { Attributes, RuledPlayer } from '../../lib/rules/types.ts';
import { seeded } from '../engine/random-pool.ts';
import { sample } from '../long.ts';
import { rulesCost } from './oracle.ts';
import { randomRules } from './random-rules.ts';

const attributes: Attributes = {
  level: { type: 'number', min: 7, max: 10 },
  patch: { type: 'string' },
  maps: { type: 'strings' },
  brings: { type: 'strings' },
};

/** Values that others may bring: the ends of each range, and what random rules and parties name. */
const VALUES = {
  skill: [1400, 1500, 1600],
  level: [7, 8, 9, 10],
  patch: ['a', 'b', 'c', 'd', 'e'],
  maps: [['x'], ['y'], ['x', 'y'], ['x', 'y', 'z'], ['y', 'z']],
  brings: [['x'], ['y'], ['x', 'y', 'z'], []],
  latencyMs: [{ east: 20 }, { west: 20 }, { east: 20, west: 20 }],
} as const;
type Field = keyof typeof VALUES;

interface Case {
  readonly party: RuledParty;
  readonly definition: RulesDefinition;
  readonly kinds: readonly TeamsOfKind[];
}

const WAITED_MS = 1e6;

function randomCase(random: () => number, rulesMax: number): Case {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const kind = (name: string | undefined, size: number, count: number) => ({
    name,
    size,
    minSize: size,
    count,
  });
  const kinds = pick([
    [kind(undefined, 1, 2)],
    [kind(undefined, 2, 2)],
    [kind(undefined, 2, 2)],
    [kind(undefined, 1, 3)],
    [kind('solo', 1, 1), kind('others', 3, 1)],
    [kind('all', 3, 1)],
    [kind('pair', 2, 2)],
  ]);
  const seats = kinds.reduce((sum, { size, count }) => sum + size * count, 0);
  const largest = Math.max(...kinds.map(({ size }) => size));
  const split = random() < 0.4;
  const size = 1 + Math.floor(random() * (split ? seats : largest));
  const names = kinds.flatMap(({ name, count }) => (name === undefined ? [] : new Array(count).fill(name)));
  const rules = randomRules(random, seats, names.length === 0 ? undefined : names).slice(0, rulesMax);
  const players = Array.from({ length: size }, (_, i): RuledPlayer => {
    const { skill, latencyMs, ...own } = Object.fromEntries(
      Object.entries(VALUES).map(([field, values]) => [field, pick<unknown>(values)]),
    ) as unknown as { skill: number; latencyMs: Record<string, number> };
    return {
      playerId: `p${i}`,
      skill,
      latencyMs: random() < 0.3 ? { east: 200 } : latencyMs,
      attributes: own,
    };
  });
  return { party: { players, ...(split && { split }) }, definition: { attributes, rules }, kinds };
}

/** Brute force: whether some other players, and some division into teams, make a match that the rules permit. */
function canMatch({ party, definition, kinds }: Case): boolean {
  const teams = kinds.flatMap(({ name, size, count }) =>
    Array.from({ length: count }, () => ({ name, size })),
  );
  const seats = teams.reduce((sum, { size }) => sum + size, 0);
  const own: Ticket = { ticketId: 'party', enqueuedAtMs: 0, players: party.players };
  const others = strangers(definition.rules ?? [], party);
  const of = {
    definition,
    nowMs: WAITED_MS,
    met: () => undefined,
    kinds: teams.map(({ name }) => name ?? ''),
  };
  const units = party.split ? party.players.map((player) => [player]) : [party.players];
  const parts: RuledPlayer[][] = teams.map(() => []);
  const filled: Ticket[] = [];

  const holds = () => {
    const rows = parts.map((part, t) => [
      ...(part.length === 0 ? [] : [{ ...own, players: part }]),
      ...filled.filter(({ ticketId }) => ticketId.startsWith(`${t}.`)),
    ]);
    return rulesCost({ ...of, rules: undefined as never, tickets: [] }, rows, [own, ...filled]) !== undefined;
  };
  const fill = (t: number, least: number): boolean => {
    if (t === teams.length) return holds();
    const there = parts[t]!.length + filled.filter(({ ticketId }) => ticketId.startsWith(`${t}.`)).length;
    if (there === teams[t]!.size) return fill(t + 1, 0);
    for (let at = least; at < others.length; at++) {
      filled.push({ ticketId: `${t}.${there}`, enqueuedAtMs: 0, players: [others[at]!] });
      const found = fill(t, at);
      filled.pop();
      if (found) return true;
    }
    return false;
  };
  const place = (unit: number): boolean => {
    if (unit === units.length) return fill(0, 0);
    return parts.some((part, t) => {
      if (part.length + units[unit]!.length > teams[t]!.size) return false;
      part.push(...units[unit]!);
      const found = place(unit + 1);
      part.length -= units[unit]!.length;
      return found;
    });
  };
  expect(seats).toBeLessThanOrEqual(4);
  return place(0);
}

/** A player for each combination of the values that the rules read. */
function strangers(rules: readonly Rule[], { players }: RuledParty): RuledPlayer[] {
  const read = new Set(
    rules.flatMap((rule) => (rule.type === 'latency' ? ['latencyMs'] : typeOf(rule).attributes(rule))),
  );
  let all: Record<string, unknown>[] = [{}];
  const values: Record<string, readonly unknown[]> = {
    ...VALUES,
    // A rule may read the mean of a party.
    skill: [...VALUES.skill, mean(players.map(({ skill }) => skill))],
    level: [...VALUES.level, mean(players.map(({ attributes: own }) => own!.level as number))],
  };
  for (const [field, some] of Object.entries(values)) {
    const tried = read.has(field) ? [...new Set(some)] : [some[0]];
    all = all.flatMap((one) => tried.map((value) => ({ ...one, [field]: value })));
  }
  return all.map(({ skill, latencyMs, ...own }, i) => ({
    playerId: `s${i}`,
    skill: skill as number,
    latencyMs: latencyMs as Record<string, number>,
    attributes: own as Record<Exclude<Field, 'skill' | 'latencyMs'>, never>,
  }));
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** How many companies of others brute force tries. */
function companies({ party, definition, kinds }: Case): number {
  const seats = kinds.reduce((sum, { size, count }) => sum + size * count, 0);
  return strangers(definition.rules ?? [], party).length ** (seats - party.players.length);
}

/** Types whose violations by a part of the teams no state proves. */
function isPartly({ kinds, party, definition: { rules = [] } }: Case): boolean {
  const seats = kinds.reduce((sum, { size, count }) => sum + size * count, 0);
  const isFull = party.players.length === seats;
  return !isFull && rules.some((rule) => JSON.stringify(rule).match(/"balance"|"compare".*"team"/));
}

describe('a party whose own players violate a rule', () => {
  it('is refused exactly if brute force finds no players who complete a match', () => {
    const counts = { refused: 0, fine: 0 };
    for (let seed = 1; seed <= sample(120, 3000); seed++) {
      const of = randomCase(seeded(seed), 1);
      const faults = partyFaults(of.party, of.definition, of.kinds);
      const possible = canMatch(of);
      const text = () => `seed ${seed}: ${JSON.stringify({ of, faults })}`;
      if (faults.length > 0) expect(possible, text()).toBe(false);
      else if (!isPartly(of)) expect(possible, text()).toBe(true);
      counts[possible ? 'fine' : 'refused']++;
    }
    expect(counts.refused).toBeGreaterThan(sample(10, 15));
    expect(counts.fine).toBeGreaterThan(sample(60, 100));
  });

  it('is never refused under several rules when a match is possible', () => {
    let refused = 0;
    for (let seed = 10_001; seed <= 10_000 + sample(40, 1000); seed++) {
      const of = randomCase(seeded(seed), 3);
      const faults = partyFaults(of.party, of.definition, of.kinds);
      if (faults.length === 0 || companies(of) > sample(20_000, 1_000_000)) continue;
      refused++;
      expect(canMatch(of), `seed ${seed}: ${JSON.stringify({ of, faults })}`).toBe(false);
    }
    expect(refused).toBeGreaterThan(sample(4, 10));
  });
});
