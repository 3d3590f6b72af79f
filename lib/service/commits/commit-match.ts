import { allOf, TaskLimit } from '../concurrency/in-parallel.ts';
import { tieKey } from '../domain/buckets.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import type { Clock } from '../ports/clock.ts';
import type { MatchStore } from '../ports/match-store.ts';
import type { MeetingRecord } from '../ports/meeting-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import { Journal } from './journal.ts';
import { type SettleDeps, settleMatch } from './settle.ts';
import { removeStale } from './stale-entries.ts';

export interface MatchCommitDeps extends SettleDeps {
  readonly matches: MatchStore;
  readonly clock: Clock;
}

/** The maximum of tickets that a tick claims concurrently. The client keeps 50 connections. */
const CLAIMS_AT_ONCE = 48;

/**
 * `committed`: the match exists. Otherwise it does not exist, and each ticket that was claimed for it is in the pool again.
 * `lost-race`: a ticket was no longer QUEUED. `busy`: the store was throttled. `too-large`: no item of the store can hold the
 * match, now or later.
 */
export type CommitOutcome = 'committed' | 'lost-race' | 'busy' | 'too-large';

/**
 * The commits of one tick. A match may have more tickets than a transaction has items, and a transaction costs twice as
 * much as its writes, so a match is committed in steps:
 *
 *     journal    the match and its tickets. A crash before it: nothing has happened
 *     claim      every ticket that is still QUEUED leaves the pool, each by a conditional write. Its stored
 *                status is MATCHED, but every reader sees QUEUED until the match exists. A crash from here on: see below
 *     create     the match is put if it was not abandoned. At this moment it begins to exist, and with it
 *                the status of all of its tickets. A crash after it changes nothing
 *     leave      the entries of its linked tickets are removed. A crash before it: the ticks of their queues remove them
 *     settle     instead of `create`, if a ticket was not QUEUED or the match is too large: the match is abandoned, and
 *                the claimed tickets return to the pool, each on the condition that it is still in this match.
 *                A claim that is applied after its response was lost is found by `deadline`: see `settle.ts`
 *
 * **Linked tickets** wait in several queues, whose ticks may claim them at the same time. A game claims its linked tickets first,
 * one after another, in an order that is the same for all ticks. So one of several games with the same tickets
 * always gets all of them, and the others lose before they have claimed much.
 *
 * **After a crash** between claim and create or settle, the tick's lease expires without having been ended. The next tick
 * that needs one of its cells, or the next `dispatch`, reads the journal and abandons every match that does not exist: see
 * `settle.ts`. A match is either created or abandoned, because both are conditional writes of the same item.
 *
 * **A tick that outlives its lease** can form no further match, because its journal is closed. It may claim tickets for a
 * match that was abandoned since. Its `create` then fails, and it returns them. If it crashes before that, `deadline` finds
 * them when it checks the abandoned match again.
 *
 * **When the result of a call is unknown**, the tick settles the match itself. If that fails too, it lets its lease
 * expire, so the match is settled as after a crash.
 */
export class MatchCommits {
  readonly #deps: MatchCommitDeps;
  readonly #record: QueueRecord;
  readonly #journal: Journal;
  readonly #claims = new TaskLimit(CLAIMS_AT_ONCE);
  /** Matches that may have claimed tickets and are neither created nor abandoned. */
  readonly #unsettled = new Set<string>();
  readonly #lost = new Map<string, StoredTicket>();
  readonly #elsewhere = new Map<string, number>();

  /** @param owner the owner of the tick's lease */
  constructor(deps: MatchCommitDeps, record: QueueRecord, owner: string) {
    this.#deps = deps;
    this.#record = record;
    this.#journal = new Journal(deps, record.definition.name, owner);
  }

  /** Whether every match is created or its tickets are released, so that the lease may be ended. */
  get areSettled(): boolean {
    return this.#unsettled.size === 0;
  }

  /** The linked tickets that other ticks have claimed first, by id. */
  get lost(): ReadonlyMap<string, StoredTicket> {
    return this.#lost;
  }

  /** The number of tickets that a match of this tick has taken from each other queue. */
  get elsewhere(): ReadonlyMap<string, number> {
    return this.#elsewhere;
  }

  /** Removes the entries of linked tickets that have a match of this queue. @param tickets in their match */
  async leave(tickets: readonly StoredTicket[]): Promise<void> {
    for (const { queue } of tickets.flatMap(({ views = [] }) => views))
      if (queue !== this.#record.definition.name)
        this.#elsewhere.set(queue, (this.#elsewhere.get(queue) ?? 0) + 1);
    await allOf(tickets.map((ticket) => this.#deps.tickets.removeEntries(ticket)));
  }

  /**
   * Records a linked ticket that another tick has claimed, and removes its entry if it is stale. @param ticket its current state,
   * if known
   */
  async recordLost(read: StoredTicket, ticket?: StoredTicket): Promise<void> {
    this.#lost.set(read.ticketId, read);
    const found = ticket && new Map([[ticket.ticketId, ticket]]);
    if (read.entry !== undefined) await removeStale(this.#deps, [read], this.#deps.clock.now(), found);
  }

  /** @param tickets the tickets of the match */
  async commit(
    match: StoredMatch,
    tickets: readonly StoredTicket[],
    nowMs: number,
    meetings: readonly MeetingRecord[] = [],
  ): Promise<CommitOutcome> {
    try {
      if ((await this.#journal.add(match)) === 'closed') return 'lost-race';
    } catch (error) {
      if (error instanceof StoreBusy) return 'busy';
      throw error;
    }
    this.#unsettled.add(match.matchId);
    let outcome: CommitOutcome;
    try {
      outcome = await this.#form(match, tickets, nowMs, meetings);
    } catch (error) {
      const settled = await settleMatch(this.#deps, this.#record, match, this.#deps.clock.now());
      this.#unsettled.delete(match.matchId);
      if (!(error instanceof StoreBusy)) throw error;
      return settled === 'exists' ? 'committed' : 'busy';
    }
    this.#unsettled.delete(match.matchId);
    return outcome;
  }

  async #form(
    match: StoredMatch,
    tickets: readonly StoredTicket[],
    nowMs: number,
    meetings: readonly MeetingRecord[],
  ): Promise<CommitOutcome> {
    const linked = await this.#claimLinked(match.matchId, tickets, nowMs);
    const isComplete = linked !== undefined && (await this.#claim(match.matchId, tickets, nowMs));
    const created = isComplete ? await this.#deps.matches.create(match, nowMs, meetings) : undefined;
    if (created === 'created') {
      await this.leave(linked ?? []);
      return 'committed';
    }
    await settleMatch(this.#deps, this.#record, match, this.#deps.clock.now());
    return created === 'too-large' ? created : 'lost-race';
  }

  /** Claims the linked tickets until another tick has one of them. Returns them, unless one is lost. */
  async #claimLinked(
    matchId: string,
    tickets: readonly StoredTicket[],
    nowMs: number,
  ): Promise<readonly StoredTicket[] | undefined> {
    const claimed: StoredTicket[] = [];
    const linked = tickets.filter((ticket) => ticket.linked !== undefined);
    for (const one of linked.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))) {
      const result = await this.#deps.tickets.claimLinked(one, matchId, nowMs);
      if (!result.claimed) {
        await this.recordLost(one, result.ticket);
        return undefined;
      }
      claimed.push(result.ticket!);
    }
    return claimed;
  }

  /** Claims the other tickets until one of them is not QUEUED. Returns whether all were claimed. */
  async #claim(matchId: string, tickets: readonly StoredTicket[], nowMs: number): Promise<boolean> {
    let isLost = false;
    const ordinary = tickets.filter(({ linked }) => linked === undefined);
    await allOf(
      ordinary.map((ticket) =>
        this.#claims.run(async () => {
          if (isLost) return;
          try {
            if (!(await this.#deps.tickets.claim(ticket.ticketId, matchId, nowMs))) isLost = true;
          } catch (error) {
            isLost = true;
            throw error;
          }
        }),
      ),
    );
    return !isLost;
  }
}

/** The order in which all ticks claim linked tickets: by a hash, then by the id. */
const orderOf = ({ ticketId }: StoredTicket) => `${tieKey(ticketId)} ${ticketId}`;
