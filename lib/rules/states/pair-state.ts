import { freshness, type RecentRule } from '../by-type/recent.ts';
import { levelsOf } from '../levels.ts';
import type { Meetings } from '../met.ts';
import type { Rule } from '../rule-types.ts';
import { type EnteredTicket, type IndexedRule, Levels, type StateGroup } from './state-group.ts';

/** What pairs of tickets depend on. */
export interface Pairs {
  readonly tickets: readonly EnteredTicket[];
  /** Rules that always hold too: pairs that they forbid need no count. */
  readonly others: readonly StateGroup[];
  readonly meetings: Meetings;
  readonly nowMs: number;
  readonly depthMax: number;
}

/**
 * The states of pairs that may not be in one game, or that have a cost there: avoided players, and `recent` over the game.
 * @param avoids whether any player avoids others
 */
export function pairStates(
  rules: readonly IndexedRule<RecentOne>[],
  avoids: boolean,
  pairs: Pairs,
): StateGroup[] {
  const ticketsOf = ticketsByPlayer(pairs.tickets);
  const fixed = rules.filter(({ rule }) => rule.cost === undefined && rule.relax === undefined);
  const others = rules.filter((rule) => !fixed.includes(rule));
  return [
    ...(avoids || fixed.length > 0 ? [new ForbiddenPairs(fixed, ticketsOf, pairs)] : []),
    ...others.map((rule) => new RecentState(rule, ticketsOf, pairs)),
  ];
}

type RecentOne = Rule & RecentRule;

/** Pairs that are always forbidden. Each ticket that joins raises a count at its partners, so a test is one look-up. */
class ForbiddenPairs implements StateGroup {
  /** By ticket: the tickets that it may not play with, and how many joined tickets forbid it. */
  readonly #partners: readonly Int32Array[];
  readonly #blocked: Uint16Array;
  /** The joined tickets. */
  readonly #joined: number[] = [];

  constructor(
    fixed: readonly IndexedRule<RecentOne>[],
    ticketsOf: ReadonlyMap<string, readonly number[]>,
    { tickets, others, meetings, nowMs }: Pairs,
  ) {
    // A pair that is forbidden twice is counted twice.
    const partners = tickets.map((): number[] => []);
    const forbid = (a: number, b: number) => {
      if (a === b) return;
      partners[a].push(b);
      partners[b].push(a);
    };
    tickets.forEach(({ players }, ticket) => {
      for (const { playerId, avoid } of players) {
        for (const other of avoid ?? [])
          for (const theirs of ticketsOf.get(other) ?? []) forbid(ticket, theirs);
        if (fixed.length === 0) continue;
        for (const [other, metAtMs] of meetings.of(playerId) ?? []) {
          if (fixed.every(({ rule }) => freshness(metAtMs, nowMs, rule.seconds) === 0)) continue;
          for (const theirs of ticketsOf.get(other) ?? []) forbid(ticket, theirs);
        }
      }
    });
    this.#partners = partners.map((own, ticket) => Int32Array.from(matesAmong(ticket, own, others)));
    this.#blocked = new Uint16Array(tickets.length);
  }

  start(): void {
    // A pool has many more tickets than a search has joined.
    while (this.#joined.length > 0) this.leave(this.#joined.at(-1)!);
  }

  admits(ticket: number): boolean {
    return this.#blocked[ticket] === 0;
  }

  join(ticket: number): void {
    const partners = this.#partners[ticket];
    for (let i = 0; i < partners.length; i++) this.#blocked[partners[i]]++;
    this.#joined.push(ticket);
  }

  leave(ticket: number): void {
    const partners = this.#partners[ticket];
    for (let i = 0; i < partners.length; i++) this.#blocked[partners[i]]--;
    this.#joined.pop();
  }
}

/** Those of some tickets that may be in one game with a ticket under these rules. */
function matesAmong(ticket: number, of: number[], rules: readonly StateGroup[]): number[] {
  let mates = of;
  for (const rule of rules) {
    rule.start();
    if (mates.length === 0 || !rule.admits(ticket)) return [];
    rule.join(ticket);
    mates = mates.filter((other) => rule.admits(other));
    rule.leave(ticket);
  }
  return mates;
}

/** The tickets of each player, by number. */
function ticketsByPlayer(tickets: readonly EnteredTicket[]): Map<string, number[]> {
  const all = new Map<string, number[]>();
  tickets.forEach(({ players }, ticket) => {
    for (const { playerId } of players) {
      const own = all.get(playerId);
      if (own) own.push(ticket);
      else all.set(playerId, [ticket]);
    }
  });
  return all;
}

/** A `recent` rule with a cost or with limits that depend on age. */
class RecentState implements StateGroup {
  readonly hasCosts: boolean;
  readonly #cost: number;
  /** By ticket: the tickets that its players met, the seconds since the last time, and the sum of the freshness of all pairs. */
  readonly #partners: readonly Int32Array[];
  readonly #secondsSince: readonly Float64Array[];
  readonly #fresh: readonly Float64Array[];
  readonly #levels: Levels;
  /** By level: the time in which players may not meet again; 0 when the rule is off. */
  readonly #apart: Float64Array;
  /** By ticket: the least time since it met a joined ticket, and its cost with the joined tickets. */
  readonly #nearest: Float64Array;
  readonly #costs: Float64Array;
  /** By depth: the least time among the joined tickets, and their cost. */
  readonly #least: Float64Array;
  readonly #sums: Float64Array;
  /** The values of `nearest` and `costs` before the last joins. */
  readonly #undo: number[] = [];
  readonly #joined: number[] = [];

  constructor(
    indexed: IndexedRule<RecentOne>,
    ticketsOf: ReadonlyMap<string, readonly number[]>,
    { tickets, others, meetings, nowMs, depthMax }: Pairs,
  ) {
    const { rule } = indexed;
    const levels = levelsOf(rule) as readonly (RecentOne | undefined)[];
    this.#cost = rule.cost ?? 0;
    this.hasCosts = this.#cost > 0;
    this.#apart = Float64Array.from(levels, (level) => level?.seconds ?? 0);
    // Only the cost at the loosest level is certain.
    const loosest = this.#apart[levels.length - 1];
    const met = tickets.map(({ players }, ticket) => {
      const pairs = new Map<number, { since: number; fresh: number }>();
      for (const { playerId } of players) {
        for (const [other, metAtMs] of meetings.of(playerId) ?? []) {
          const since = Math.max(0, nowMs - metAtMs) / 1000;
          if (since >= rule.seconds) continue;
          for (const theirs of ticketsOf.get(other) ?? []) {
            if (theirs === ticket) continue;
            const pair = pairs.get(theirs) ?? { since, fresh: 0 };
            pairs.set(theirs, {
              since: Math.min(pair.since, since),
              fresh: pair.fresh + freshness(metAtMs, nowMs, loosest),
            });
          }
        }
      }
      return matesAmong(ticket, [...pairs.keys()], others).map((mate) => [mate, pairs.get(mate)!] as const);
    });
    this.#partners = met.map((pairs) => Int32Array.from(pairs, ([partner]) => partner));
    this.#secondsSince = met.map((pairs) => Float64Array.from(pairs, ([, { since }]) => since));
    this.#fresh = met.map((pairs) => Float64Array.from(pairs, ([, { fresh }]) => this.#cost * fresh));
    this.#levels = new Levels(indexed, tickets, depthMax);
    this.#nearest = new Float64Array(tickets.length);
    this.#costs = new Float64Array(tickets.length);
    this.#least = new Float64Array(depthMax + 1);
    this.#sums = new Float64Array(depthMax + 1);
    this.#nearest.fill(Number.POSITIVE_INFINITY);
    this.#least[0] = Number.POSITIVE_INFINITY;
  }

  start(): void {
    while (this.#joined.length > 0) this.leave(this.#joined.at(-1)!);
  }

  admits(ticket: number): boolean {
    if (this.#cost > 0) return true;
    const least = Math.min(this.#least[this.#levels.depth], this.#nearest[ticket]);
    return least >= this.#apart[this.#levels.with(ticket)];
  }

  join(ticket: number): void {
    const { depth } = this.#levels;
    this.#levels.join(ticket);
    this.#joined.push(ticket);
    this.#least[depth + 1] = Math.min(this.#least[depth], this.#nearest[ticket]);
    this.#sums[depth + 1] = this.#sums[depth] + this.#costs[ticket];
    const partners = this.#partners[ticket];
    for (let i = 0; i < partners.length; i++) {
      const partner = partners[i];
      this.#undo.push(this.#nearest[partner], this.#costs[partner]);
      this.#nearest[partner] = Math.min(this.#nearest[partner], this.#secondsSince[ticket][i]);
      this.#costs[partner] += this.#fresh[ticket][i];
    }
  }

  leave(ticket: number): void {
    this.#levels.depth--;
    this.#joined.pop();
    const partners = this.#partners[ticket];
    for (let i = partners.length - 1; i >= 0; i--) {
      this.#costs[partners[i]] = this.#undo.pop()!;
      this.#nearest[partners[i]] = this.#undo.pop()!;
    }
  }

  cost(): number {
    return this.#sums[this.#levels.depth];
  }

  costWith(ticket: number): number {
    return this.#sums[this.#levels.depth] + this.#costs[ticket];
  }
}
