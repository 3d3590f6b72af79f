import type { Ticket } from '../../../lib/engine/types.ts';
import type { Rule } from '../../../lib/rules/rule-types.ts';
import type { AttributeValue, RuledPlayer } from '../../../lib/rules/types.ts';
import type { Met } from '../oracle.ts';

export type Players = readonly RuledPlayer[];

/**
 * The case of a type of rule in the oracle: what the rule means, told without the project's code, and random rules of the type.
 */
export interface OracleType<R> {
  /** The units that a cost multiplies, and whether the limit of the rule is broken. */
  ask(rule: R, game: AskedGame): Answer;
  /** A random rule without name, cost and relaxation; omitted where `anyOf` may not combine the type. */
  random?(tools: Tools): R;
  /** A random rule with a name, and some with a cost or a relaxation. */
  randomNamed(name: string, tools: Tools): Rule;
}

export interface Answer {
  readonly amount: number;
  readonly fails: boolean;
}

/** A whole game as the oracle asks about it. */
export interface AskedGame {
  readonly teams: readonly (readonly Ticket[])[];
  /** The tickets, each whole; a team has only those players of a divided party who play on it. */
  readonly members: readonly Ticket[];
  readonly everybody: Players;
  readonly perTeam: readonly Players[];
  readonly nowMs: number;
  readonly met: Met;
  /** Undefined for a bot, which has a skill alone. */
  attributeOf(player: RuledPlayer, name: string): AttributeValue | undefined;
  /** The values of the players who have one. */
  valuesOf(players: Players, name: string): AttributeValue[];
  /** The players of each team of a kind, and the tickets. */
  ofKind(kind: string): readonly Players[];
  teamsOfKind(kind: string): readonly (readonly Ticket[])[];
}

/** Random choices for a definition. */
export interface Tools {
  readonly kinds: readonly string[] | undefined;
  /** The players of a game. */
  readonly players: number;
  random(): number;
  pick<T>(from: readonly T[]): T;
  chance(probability: number): boolean;
  ticksOf(scale: number): number;
  /** Sometimes a relaxation with these steps. */
  relaxOf(steps: () => object[]): object;
  /** Sometimes a cost. */
  soft(): { cost?: number };
  /** Sometimes each team for itself, or those of a kind. */
  scope(): { scope?: 'team'; team?: string };
  /** A rule that `anyOf` may combine, sometimes one that relaxes. */
  inner(): object;
}

export function zeroHolds(amount: number): Answer {
  return { amount, fails: amount > 0 };
}

/** The sum of an amount over the game, or over its teams or those of a kind. */
export function total(
  { scope, team }: { readonly scope?: string | undefined; readonly team?: string | undefined },
  { everybody, perTeam, ofKind }: AskedGame,
  amountOf: (players: Players) => number,
): number {
  const groups = team !== undefined ? ofKind(team) : scope === 'team' ? perTeam : [everybody];
  return groups.reduce((sum, players) => sum + amountOf(players), 0);
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

/** A named rule, sometimes with a cost, sometimes off after a while. */
export function sometimesOff(name: string, body: object, { soft, relaxOf }: Tools): Rule {
  return { name, ...body, ...soft(), ...relaxOf(() => [{ off: true }]) } as Rule;
}

/** A named rule with a `max`, sometimes with a cost beside or instead of it, sometimes looser after a while. */
export function sometimesLooser(
  name: string,
  body: { readonly max?: number | undefined },
  { soft, chance, relaxOf, pick }: Tools,
): Rule {
  const max = body.max!;
  const costed = soft();
  if (costed.cost !== undefined && chance(0.5)) return { name, ...body, max: undefined, ...costed } as Rule;
  const relax = relaxOf(() => [{ max: max + 3 }, pick([{ off: true }, { max: max + 8 }])]);
  return { name, ...body, ...costed, ...relax } as Rule;
}
