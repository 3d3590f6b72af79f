import { getOrCreate } from '../../vocabulary/get-or-create.ts';
import { freshness, type RecentRule } from '../by-type/recent.ts';
import { levelsOf } from '../levels.ts';
import type { Meetings } from '../met.ts';
import type { Rule } from '../rule-types.ts';
import { type EnteredTicket, type IndexedRule, Levels, type StateGroup } from './state-group.ts';

/** What pairs of tickets depend on. */
export interface Pairs {
  readonly tickets: readonly EnteredTicket[];
  /** Rules that always hold too: pairs that they forbid are not kept. */
  readonly others: readonly StateGroup[];
  readonly meetings: Meetings;
  readonly nowMs: number;
  readonly depthMax: number;
}

export type RecentOne = Rule & RecentRule;

/** A rule for players who avoid others, as if they had met for ever: no rule of the queue, so all tickets have its first level. */
export const AVOIDANCE: IndexedRule<RecentOne> = {
  rule: { name: '', type: 'recent', seconds: Number.POSITIVE_INFINITY },
  index: -1,
};

/** A `recent` rule, or the players who avoid each other. */
export class PairState implements StateGroup {
  /** By ticket: the tickets that its players met, the seconds since the last time, and the sum of the freshness of all pairs. */
  readonly #partners: readonly Int32Array[];
  readonly #secondsSince: readonly Float64Array[];
  readonly #fresh: readonly Float64Array[];
  readonly #levels: Levels;
  /** By level: the time in which players may not meet again; 0 when the rule is off. */
  readonly #seconds: Float64Array;
  /** By ticket: the least time since it met a joined ticket, and its freshness with the joined tickets. */
  readonly #nearest: Float64Array;
  readonly #freshness: Float64Array;
  /** Whether every pair is forbidden at all levels. Then counts are enough: by ticket, the joined tickets that forbid it. */
  readonly #isFixed: boolean;
  readonly #blocked: Uint16Array;
  /** By depth: the least time among the joined tickets, and their freshness. */
  readonly #least: Float64Array;
  readonly #sums: Float64Array;
  /** The values of `nearest` and `freshness` before the last joins. */
  readonly #undo: number[] = [];
  readonly #joined: number[] = [];

  constructor(indexed: IndexedRule<RecentOne>, pairs: Pairs) {
    const { tickets, others, depthMax } = pairs;
    const { rule } = indexed;
    const levels = levelsOf(rule) as readonly (RecentOne | undefined)[];
    this.#seconds = Float64Array.from(levels, (level) => level?.seconds ?? 0);
    const met =
      indexed === AVOIDANCE ? avoiding(pairs) : meeting(rule, this.#seconds[levels.length - 1], pairs);
    const mates = met.map((own, ticket) =>
      matesAmong(ticket, [...own.keys()], others).map((mate) => [mate, own.get(mate)!] as const),
    );
    this.#partners = mates.map((own) => Int32Array.from(own, ([partner]) => partner));
    this.#secondsSince = mates.map((own) => Float64Array.from(own, ([, { since }]) => since));
    this.#fresh = mates.map((own) => Float64Array.from(own, ([, { fresh }]) => fresh));
    this.#levels = new Levels(indexed, pairs);
    this.#isFixed = levels.length === 1 && rule.cost === undefined;
    this.#blocked = new Uint16Array(tickets.length);
    this.#nearest = new Float64Array(tickets.length).fill(Number.POSITIVE_INFINITY);
    this.#freshness = new Float64Array(tickets.length);
    this.#least = new Float64Array(depthMax + 1).fill(Number.POSITIVE_INFINITY, 0, 1);
    this.#sums = new Float64Array(depthMax + 1);
  }

  start(): void {
    while (this.#joined.length > 0) this.leave(this.#joined.at(-1)!);
  }

  admits(ticket: number): boolean {
    if (this.#isFixed) return this.#blocked[ticket] === 0 && this.#least[this.#levels.depth] > 0;
    const least = Math.min(this.#least[this.#levels.depth], this.#nearest[ticket]);
    return least >= this.#seconds[this.#levels.with(ticket)];
  }

  join(ticket: number): void {
    const { depth } = this.#levels;
    this.#levels.join(ticket);
    this.#joined.push(ticket);
    if (this.#isFixed) {
      this.#least[depth + 1] = this.#blocked[ticket] > 0 ? 0 : this.#least[depth];
      const partners = this.#partners[ticket];
      for (let i = 0; i < partners.length; i++) this.#blocked[partners[i]]++;
      return;
    }
    this.#least[depth + 1] = Math.min(this.#least[depth], this.#nearest[ticket]);
    this.#sums[depth + 1] = this.#sums[depth] + this.#freshness[ticket];
    const partners = this.#partners[ticket];
    for (let i = 0; i < partners.length; i++) {
      const partner = partners[i];
      this.#undo.push(this.#nearest[partner], this.#freshness[partner]);
      this.#nearest[partner] = Math.min(this.#nearest[partner], this.#secondsSince[ticket][i]);
      this.#freshness[partner] += this.#fresh[ticket][i];
    }
  }

  leave(ticket: number): void {
    this.#levels.depth--;
    this.#joined.pop();
    const partners = this.#partners[ticket];
    if (this.#isFixed) {
      for (let i = 0; i < partners.length; i++) this.#blocked[partners[i]]--;
      return;
    }
    for (let i = partners.length - 1; i >= 0; i--) {
      this.#freshness[partners[i]] = this.#undo.pop()!;
      this.#nearest[partners[i]] = this.#undo.pop()!;
    }
  }

  hasNarrowed(): boolean {
    const { depth, isStricter } = this.#levels;
    const last = this.#joined[this.#joined.length - 1];
    return isStricter || this.#partners[last].length > 0 || this.#least[depth] < this.#least[depth - 1];
  }

  units(): number {
    return this.#sums[this.#levels.depth];
  }
}

/** Two tickets whose players have met: the seconds since the last time, and the sum of the freshness of all pairs of players. */
interface Met {
  readonly since: number;
  readonly fresh: number;
}

/** By ticket: those whose players one of its players avoids, or that avoid it. */
function avoiding({ tickets }: Pairs): Map<number, Met>[] {
  const ticketsOf = ticketsByPlayer(tickets);
  const all = tickets.map(() => new Map<number, Met>());
  tickets.forEach(({ players }, ticket) => {
    for (const theirs of players.flatMap(({ avoid = [] }) =>
      avoid.flatMap((other) => ticketsOf.get(other) ?? []),
    )) {
      if (theirs === ticket) continue;
      all[ticket].set(theirs, { since: 0, fresh: 0 });
      all[theirs].set(ticket, { since: 0, fresh: 0 });
    }
  });
  return all;
}

/** By ticket: those that it met in the time of the rule. Only the cost at the loosest level is certain. @param loosest its seconds */
function meeting(
  { seconds }: RecentRule,
  loosest: number,
  { tickets, meetings, nowMs }: Pairs,
): Map<number, Met>[] {
  const ticketsOf = ticketsByPlayer(tickets);
  return tickets.map(({ players }, ticket) => {
    const own = new Map<number, Met>();
    for (const { playerId } of players) {
      for (const [other, metAtMs] of meetings.of(playerId) ?? []) {
        const since = Math.max(0, nowMs - metAtMs) / 1000;
        if (since >= seconds) continue;
        for (const theirs of ticketsOf.get(other) ?? []) {
          if (theirs === ticket) continue;
          const known = own.get(theirs) ?? { since, fresh: 0 };
          own.set(theirs, {
            since: Math.min(known.since, since),
            fresh: known.fresh + freshness(metAtMs, nowMs, loosest),
          });
        }
      }
    }
    return own;
  });
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
    for (const { playerId } of players) getOrCreate(all, playerId, () => []).push(ticket);
  });
  return all;
}
