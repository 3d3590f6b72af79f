import { firstPlace, shapeOf } from '../engine/game-pool.ts';
import type { Player, Ticket } from '../engine/types.ts';
import type { Meetings } from '../rules/met.ts';
import { looserMoments } from '../rules/moments.ts';
import { isCostOnly, type Rule } from '../rules/rule-types.ts';
import { meanSkill } from './policy.ts';
import { gameRulesOf, type QueueRules } from './queue-rules.ts';
import type { WaitingPool } from './waiting-pool.ts';

/** What is different when a search is tried again. */
export interface Change {
  readonly nowMs: number;
  /** The rules that do not apply. */
  readonly without: readonly Rule[];
}

/** A pool of these tickets after a change. */
export type PoolAfter = (tickets: readonly Ticket[], change: Change) => WaitingPool;

/** A search that has found nothing. */
export interface FailedSearch {
  /** What it looks for: `A match is possible`. */
  readonly what: string;
  /** All that ages in it, the tickets among which it searches too. */
  readonly ageing: readonly { readonly enqueuedAtMs: number; readonly players: readonly Player[] }[];
  /** The tickets among which it searches. */
  readonly tickets: readonly Ticket[];
  /** The search: what has to wait until then for what it finds. */
  readonly find: (pool: WaitingPool) => Found | undefined;
}

type Found = readonly Pick<Ticket, 'enqueuedAtMs'>[];

/** The neighbours in skill on each side that a search is tried among; twice the seats of a game where that is more. */
const NEIGHBOURS = 40;
/** The searches that are tried again in one plan. Reasons after that name no rule and no time. */
const SEARCHES_MAX = 2_000;

/**
 * The rules without which a search finds something, and the time from which it does if the same tickets stay. Both are
 * found by searching again: without a rule, and at the moments at which the queue becomes looser. So what is said is true, but
 * not all that is true is said: a search has few neighbours and a node budget.
 */
export class WhatIf {
  readonly #rules: QueueRules;
  readonly #hard: readonly Rule[];
  readonly #nowMs: number;
  readonly #meetings: Meetings;
  readonly #poolAfter: PoolAfter;
  readonly #isOver: () => boolean;
  #searchesLeft = SEARCHES_MAX;

  /** @param isOver whether the time of the plan is over: reasons after that name no rule and no time */
  constructor(
    rules: QueueRules,
    nowMs: number,
    meetings: Meetings,
    poolAfter: PoolAfter,
    isOver: () => boolean,
  ) {
    this.#rules = rules;
    this.#hard = (rules.rules ?? []).filter((rule) => !isCostOnly(rule));
    this.#nowMs = nowMs;
    this.#meetings = meetings;
    this.#poolAfter = poolAfter;
    this.#isOver = isOver;
  }

  /** The tickets nearest to a skill, of tickets in the order of skill. */
  nearest(sorted: readonly Ticket[], skill: number): readonly Ticket[] {
    const { seats } = shapeOf(gameRulesOf(this.#rules));
    const sides = Math.max(NEIGHBOURS, 2 * seats);
    const middle = firstPlace(sorted, (ticket) => meanSkill(ticket) >= skill);
    return sorted.slice(Math.max(0, middle - sides), middle + sides + 1);
  }

  /** What would let the search succeed, as sentences that begin with a space; empty when nothing is found. */
  explain(search: FailedSearch): string {
    const sets = this.#obstructing(search);
    const ways = sets.map((rules) => {
      const names = rules.map(({ name }) => name);
      return names.length === 1
        ? `without the rule ${names[0]}`
        : `without the rules ${listed(names, 'and')}`;
    });
    const mayLoosen = sets.length > 0 || this.#rules.short !== undefined;
    const atMs = mayLoosen ? this.#firstMoment(search) : undefined;
    if (atMs !== undefined) ways.push(`in ${(atMs - this.#nowMs) / 1000} s`);
    return ways.length === 0 ? '' : ` ${search.what} ${listed(ways, 'or')}.`;
  }

  /** Each rule without which the search succeeds; if there is none, a smallest set of rules without which it does. */
  #obstructing(search: FailedSearch): (readonly Rule[])[] {
    const nowMs = this.#nowMs;
    const succeeds = (without: readonly Rule[]) => this.#find(search, { nowMs, without }) !== undefined;
    if (this.#hard.length === 0 || !succeeds(this.#hard)) return [];
    const single = this.#hard.length === 1 ? this.#hard : this.#hard.filter((rule) => succeeds([rule]));
    if (single.length > 0) return single.map((rule) => [rule]);
    let set = this.#hard;
    for (const rule of this.#hard) {
      const fewer = set.filter((one) => one !== rule);
      if (succeeds(fewer)) set = fewer;
    }
    return [set];
  }

  /** The first whole second from now at which the search succeeds, among tickets that all still wait then. */
  #firstMoment(search: FailedSearch): number | undefined {
    const moments = this.#moments(search);
    const findAt = (at: number) => this.#find(search, { nowMs: moments[at], without: [] });
    let high = moments.length - 1;
    let found = high < 0 ? undefined : findAt(high);
    if (!found) return undefined;
    for (let low = -1; high - low > 1; ) {
      const middle = (low + high) >> 1;
      const earlier = findAt(middle);
      if (earlier) [high, found] = [middle, earlier];
      else low = middle;
    }
    const isWaiting = ({ enqueuedAtMs }: Found[number]) => moments[high] < enqueuedAtMs + this.#timeoutMs;
    return found.every(isWaiting) ? moments[high] : undefined;
  }

  /** When the queue becomes looser for the search, ascending, in whole seconds from now. */
  #moments({ ageing }: FailedSearch): number[] {
    const { rules = [], short } = this.#rules;
    const ofShort = short ? ageing.map(({ enqueuedAtMs }) => enqueuedAtMs + 1000 * short.afterSeconds) : [];
    const all = [...ofShort, ...looserMoments(rules, ageing, this.#meetings)];
    const seconds = new Set(all.map((atMs) => Math.ceil((atMs - this.#nowMs) / 1000)));
    return [...seconds]
      .filter((after) => after > 0)
      .sort((a, b) => a - b)
      .map((after) => this.#nowMs + 1000 * after);
  }

  #find({ tickets, find }: FailedSearch, change: Change): Found | undefined {
    if (this.#searchesLeft <= 0 || this.#isOver()) return undefined;
    this.#searchesLeft--;
    return find(this.#poolAfter(tickets, change));
  }

  get #timeoutMs(): number {
    return 1000 * this.#rules.timeoutSeconds;
  }
}

function listed(texts: readonly string[], word: 'and' | 'or'): string {
  return texts.length === 1 ? texts[0] : `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1)}`;
}
