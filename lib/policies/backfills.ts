import {
  type BackfillPool,
  type Filling,
  firstPlace,
  type RunningGame,
  shapeOf,
} from '../engine/game-pool.ts';
import type { Ticket } from '../engine/types.ts';
import type { RuledPlayer } from '../rules/types.ts';
import { isBestGameAbove } from './neighbour-game.ts';
import { type Candidate, meanSkill, type Policy, type PoolFacts, type Verdict } from './policy.ts';
import type { BackfillPriority } from './queue-rules.ts';
import type { WaitingPool } from './waiting-pool.ts';
import type { WhatIf } from './what-if.ts';

/** A match that is being played and asks for players into its empty seats. */
export interface Backfill extends RunningGame {
  readonly players: readonly (RuledPlayer & RunningGame['players'][number])[];
  /** Where the match is played: newcomers have to reach this region. @default any region that a `latency` rule permits */
  readonly region?: string | undefined;
}

/** `before new games` and then `after` them. */
type Turn = 'before' | 'after';

/** Reasons of tickets look at this many running matches, the longest wait first. */
const WAYS_IN_MAX = 3;

/** The share of its time-out after which a ticket or a backfill has waited so long that age decides. */
const DUE_AT = 1 / 2;

/**
 * The backfills of one tick. They are filled in two turns:
 *
 * - *Before* new games: with priority `high` every backfill; with `normal` those that are due, because they have waited for
 *   half of their time-out, and those that win their newcomers: what the newcomers add to the imbalance of the running match
 *   is no more than the imbalance of the best new game that each of them could be in now with its neighbours.
 * - *After* new games: every backfill gets the players that are left. With `low` that is its only turn.
 *
 * Within a turn those that are due come first, the longest wait first, then the others in the order of what their newcomers
 * add. The release policy judges each filling by that amount, as it judges the imbalance of a game.
 *
 * New games do not starve either: with `low` and `normal`, a ticket that is due keeps the players around it for its new game,
 * as many as a game has seats, from all backfills that have waited less than it. So of tickets and backfills that are due,
 * the one that has waited longest is served first.
 *
 * A backfill never starts a game. Whatever keeps it from being filled, the new games of the tick are those without it.
 */
export class Backfills {
  /** The fillings that have been released. */
  readonly filled: Filling[] = [];
  readonly #waiting: WaitingPool;
  /** Prepared when it is first searched. */
  #prepared: BackfillPool | undefined;
  readonly #policy: Policy;
  readonly #facts: PoolFacts;
  readonly #nowMs: number;
  readonly #priority: BackfillPriority;
  readonly #whatIf: WhatIf;
  readonly #open = new Map<string, Backfill>();
  readonly #held = new Map<string, string>();
  /** By ticket: when the longest-waiting ticket was enqueued that keeps it for a new game. */
  #keptSince: ReadonlyMap<string, number> = new Map();

  constructor(
    backfills: readonly Backfill[],
    waiting: WaitingPool,
    policy: Policy,
    facts: PoolFacts,
    nowMs: number,
    priority: BackfillPriority,
    whatIf: WhatIf,
  ) {
    this.#waiting = waiting;
    this.#policy = policy;
    this.#facts = facts;
    this.#nowMs = nowMs;
    this.#priority = priority;
    this.#whatIf = whatIf;
    for (const backfill of backfills) this.#open.set(backfill.backfillId, backfill);
  }

  get #pool(): BackfillPool {
    this.#prepared ??= this.#waiting.backfillPool([...this.#open.values()].map(inItsRegion));
    return this.#prepared;
  }

  /** Fills seats and takes the newcomers out of the waiting tickets. Each filling is yielded as soon as it is released. */
  *fill(turn: Turn, outOfTime: () => boolean): Generator<Filling, void> {
    if ((turn === 'before' && this.#priority === 'low') || outOfTime()) return;
    for (const ticket of this.#waiting.bySkill)
      if (!this.#waiting.isWaiting(ticket)) this.#pool.remove(ticket.ticketId);
    this.#keptSince = this.#priority === 'high' ? new Map() : this.#keptTickets();
    const line: Filling[] = [];
    for (const { backfillId } of this.#open.values()) {
      if (outOfTime()) return;
      const filling = this.#best(backfillId);
      if (filling) line.push(filling);
    }
    line.sort((a, b) => this.#compare(a, b));
    for (let next = line.shift(); next && !outOfTime(); next = line.shift()) {
      if (next.ticketIds.some((ticketId) => !this.#waiting.has(ticketId))) {
        const again = this.#best(next.backfillId);
        // Fewer tickets are left, so it is not better than before.
        const isAfter = (one: Filling) => again !== undefined && this.#compare(one, again) >= 0;
        if (again) line.splice(firstPlace(line, isAfter), 0, again);
        continue;
      }
      if (turn === 'before' && !this.#goesFirst(next)) continue;
      const candidate = this.#candidateOf(next);
      const verdict = this.#judge(candidate);
      if (!verdict.release) {
        this.#held.set(next.backfillId, verdict.reason);
        continue;
      }
      for (const ticket of candidate.tickets.slice(1)) {
        this.#waiting.drop(ticket);
        this.#pool.remove(ticket.ticketId);
      }
      this.#open.delete(next.backfillId);
      this.filled.push(next);
      yield next;
    }
  }

  /** The backfills that are not filled, longest wait first, with the reason. */
  unfilled(reasons: boolean): { backfillId: string; reason: string }[] {
    return this.#byAge().map(({ backfillId }) => ({
      backfillId,
      reason: reasons ? this.#reason(backfillId) : '',
    }));
  }

  /** How a waiting ticket could join one of the running matches, as sentences that begin with a space; else empty. */
  wayIn(ticket: Ticket): string {
    for (const backfill of this.#byAge().slice(0, WAYS_IN_MAX)) {
      const way = this.#wayTo(backfill, `It can join the running match ${backfill.backfillId}`, [ticket]);
      if (way !== '') return way;
    }
    return '';
  }

  #byAge(): Backfill[] {
    return [...this.#open.values()].sort(
      (a, b) => a.requestedAtMs - b.requestedAtMs || (a.backfillId < b.backfillId ? -1 : 1),
    );
  }

  /** What would let some of these tickets fill seats. */
  #wayTo(backfill: Backfill, what: string, tickets: readonly Ticket[]): string {
    const { backfillId, requestedAtMs, players } = backfill;
    const there = { enqueuedAtMs: requestedAtMs, players };
    const find = (pool: WaitingPool) => {
      const filling = pool.backfillPool([inItsRegion(backfill)]).fill(backfillId);
      return filling && [there, ...filling.ticketIds.map((ticketId) => pool.ticket(ticketId)!)];
    };
    return this.#whatIf.explain({ what, ageing: [there, ...tickets], tickets, find });
  }

  #obstacle(backfillId: string): string | undefined {
    const obstacle = this.#pool.obstacle(backfillId);
    if (obstacle === undefined) return undefined;
    const backfill = this.#open.get(backfillId)!;
    const tickets = this.#whatIf.nearest(this.#waiting.waiting, meanSkill(backfill));
    return obstacle + this.#wayTo(backfill, 'Seats can be filled', tickets);
  }

  #reason(backfillId: string): string {
    return (
      this.#obstacle(backfillId) ??
      this.#held.get(backfillId) ??
      (this.#best(backfillId)
        ? 'The seats can be filled, but new matches take precedence for these players.'
        : 'The players who could fill the seats are kept for tickets that have waited longer.')
    );
  }

  #best(backfillId: string): Filling | undefined {
    const { requestedAtMs } = this.#open.get(backfillId)!;
    return this.#pool.fill(backfillId, (ticketId) => {
      const since = this.#keptSince.get(ticketId);
      return since === undefined || requestedAtMs <= since;
    });
  }

  #isDue(sinceMs: number): boolean {
    return this.#nowMs - sinceMs >= DUE_AT * this.#facts.timeoutMs;
  }

  #compare(a: Filling, b: Filling): number {
    const [x, y] = [a, b].map(({ backfillId }) => this.#open.get(backfillId)!.requestedAtMs);
    const due = Number(this.#isDue(y)) - Number(this.#isDue(x));
    return (
      due ||
      (this.#isDue(x) ? x - y : 0) ||
      a.increment - b.increment ||
      (a.backfillId < b.backfillId ? -1 : 1)
    );
  }

  #goesFirst({ backfillId, increment, ticketIds }: Filling): boolean {
    if (this.#priority === 'high' || this.#isDue(this.#open.get(backfillId)!.requestedAtMs)) return true;
    const { rules } = this.#facts;
    return ticketIds.every((ticketId) =>
      isBestGameAbove(this.#waiting, rules, this.#waiting.ticket(ticketId)!, increment),
    );
  }

  #judge(candidate: Candidate): Verdict {
    const { release, releaseFilling = release } = this.#policy;
    return releaseFilling.call(this.#policy, candidate, this.#facts, this.#nowMs);
  }

  /** A filling as policies see it: those who are there are one ticket of equal players, which adds nothing by itself. */
  #candidateOf(filling: Filling): Candidate {
    const { backfillId, increment, teams, teamGap, skillSpread, ticketIds, optimal } = filling;
    const { players, requestedAtMs } = this.#open.get(backfillId)!;
    const skill = players.reduce((sum, player) => sum + player.skill, 0) / players.length;
    const there: Ticket = {
      ticketId: backfillId,
      enqueuedAtMs: requestedAtMs,
      players: players.map(({ playerId }) => ({ playerId, skill })),
    };
    const game = { teams, ticketIds, imbalance: increment, teamGap, skillSpread };
    return {
      game: { ...game, priority: increment, lowerBound: increment, optimal },
      tickets: [there, ...ticketIds.map((ticketId) => this.#waiting.ticket(ticketId)!)],
    };
  }

  /** The players that due tickets keep for their new games: the nearest in skill that may play with them. */
  #keptTickets(): Map<string, number> {
    const { seats } = shapeOf(this.#facts.rules);
    const kept = new Map<string, number>();
    for (const ticket of this.#waiting.byAge) {
      if (!this.#isDue(ticket.enqueuedAtMs) || this.#waiting.isOver()) break;
      if (!this.#waiting.isWaiting(ticket)) continue;
      let players = ticket.players.length;
      for (const mate of this.#waiting.near(ticket)) {
        if (players >= seats) break;
        players += mate.players.length;
        if (!kept.has(mate.ticketId)) kept.set(mate.ticketId, ticket.enqueuedAtMs);
      }
    }
    return kept;
  }
}

/** Those who are there reach no other region than the one of the match, so that rules choose this one. */
function inItsRegion(backfill: Backfill): RunningGame {
  const { region, players } = backfill;
  if (region === undefined) return backfill;
  return {
    ...backfill,
    players: players.map((player) => ({
      ...player,
      latencyMs: { [region]: player.latencyMs?.[region] ?? 0 },
    })),
  };
}
