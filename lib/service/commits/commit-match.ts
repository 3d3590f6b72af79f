import { AtMost, allOf } from '../concurrency/in-parallel.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import type { Clock } from '../ports/clock.ts';
import type { MatchStore } from '../ports/match-store.ts';
import type { MeetingRecord } from '../ports/meeting-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import { Journal } from './journal.ts';
import { type SettleDeps, settleMatch } from './settle.ts';

export interface MatchCommitDeps extends SettleDeps {
  readonly matches: MatchStore;
  readonly clock: Clock;
}

/** The maximum of tickets that a tick claims concurrently. The client keeps 50 connections. */
const CLAIMS_AT_ONCE = 48;

/**
 * `committed`: the match exists. `lost-race`: a ticket was not QUEUED any more. `busy`: the store was throttled. In both of
 * these cases the match does not exist, and its other tickets are in the pool again. `too-large`: the same, because no item
 * of the store can hold the match, now or later.
 */
export type CommitOutcome = 'committed' | 'lost-race' | 'busy' | 'too-large';

/**
 * The commits of one tick. A match may have more tickets than a transaction has items, and a transaction costs twice as
 * much as its writes, so a match is committed in steps:
 *
 *     journal    the match and its tickets. A crash before it: nothing has happened
 *     claim      every ticket that is still QUEUED leaves the pool, each by a conditional write. The ticket is
 *                QUEUED for every reader, because its match does not exist. A crash from here on: see below
 *     create     the match is put if it was not abandoned. At this moment it begins to exist, and with it
 *                the status of all of its tickets. A crash after it changes nothing
 *     settle     instead of `create`, if a ticket was not QUEUED or the match is too large: the match is abandoned and the tickets that were
 *                claimed return to the pool, each on the condition that it is still in this match. A claim whose
 *                answer was lost, and which is applied later, is found by `deadline`: see `settle.ts`
 *
 * **After a crash** between claim and create or settle, the tick's lease expires without having been ended. The next tick
 * that needs one of its cells, or the next `dispatch`, reads the journal and abandons every match that does not exist: see
 * `settle.ts`. A match is either created or abandoned, because both are conditional writes of the same item.
 *
 * **A tick that outlives its lease** can form no further match, because its journal is closed. It may claim tickets for a
 * match that was abandoned meanwhile. Its `create` then fails and it returns them. If it crashes before, `deadline` finds
 * them when it looks at the abandoned match once more.
 *
 * **When the result of a call is unknown**, the tick settles the match itself. If that fails too, it does not end its lease,
 * as after a crash.
 */
export class MatchCommits {
  readonly #deps: MatchCommitDeps;
  readonly #record: QueueRecord;
  readonly #journal: Journal;
  readonly #claims = new AtMost(CLAIMS_AT_ONCE);
  /** Matches that may have claimed tickets and are neither created nor abandoned. */
  readonly #unsettled = new Set<string>();

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

  /** @param tickets those of the match */
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
    const claimed = await this.#claim(match.matchId, tickets, nowMs);
    const isComplete = claimed.length === tickets.length;
    const created = isComplete ? await this.#deps.matches.create(match, nowMs, meetings) : undefined;
    if (created === 'created') return 'committed';
    await settleMatch(this.#deps, this.#record, match, this.#deps.clock.now());
    return created === 'too-large' ? created : 'lost-race';
  }

  /** Claims tickets until one of them is not QUEUED. Returns those that were claimed. */
  async #claim(
    matchId: string,
    tickets: readonly StoredTicket[],
    nowMs: number,
  ): Promise<readonly StoredTicket[]> {
    let isLost = false;
    const claims = await allOf(
      tickets.map((ticket) =>
        this.#claims.run(async () => {
          if (isLost) return [];
          try {
            if (await this.#deps.tickets.claim(ticket.ticketId, matchId, nowMs)) return [ticket];
          } catch (error) {
            isLost = true;
            throw error;
          }
          isLost = true;
          return [];
        }),
      ),
    );
    return claims.flat();
  }
}
