import { gameJson } from '../../contract/match.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { Why } from '../../contract/reason-code.ts';
import type { Game, Ticket } from '../../engine/types.ts';
import { type Filling, isFilling, type Released } from '../../policies/plan.ts';
import { recentSeconds } from '../../rules/moments.ts';
import { backfilledMatch } from '../backfills/backfilled-match.ts';
import type { OpenBackfill } from '../backfills/open-backfills.ts';
import type { CommitOutcome } from '../commits/commit-match.ts';
import { meetingRecords } from '../commits/meeting-records.ts';
import { PLAYER_LEFT, type PresenceDeps, vanishedTickets } from '../commits/vanished-tickets.ts';
import { allOf } from '../concurrency/in-parallel.ts';
import { firstStatus } from '../domain/match-status.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import type { BackfilledMatch, BackfillStore } from '../ports/backfill-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { MeetingRecord } from '../ports/meeting-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { ExpectedOdds, type ExpectedOddsDeps } from '../ratings/expected-odds.ts';
import type { RangeRead } from './read-range.ts';
import type { LeasedTick } from './tick-lease.ts';

export interface GameCommitDeps extends PresenceDeps, ExpectedOddsDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly tickets: Pick<TicketStore, 'end' | 'getMany'>;
  readonly backfills: BackfillStore;
  readonly newId: () => string;
}

/** A game and the outcome of its commit. `player-left`: one of its players has left, so there is no match. */
export interface GameCommit {
  readonly game: Released;
  readonly match: StoredMatch;
  readonly outcome: CommitOutcome | 'player-left';
}

const TOO_LARGE: Why = {
  reason: 'its match has more data than can be stored: send fewer or shorter attributes',
  reasonCode: 'MATCH_TOO_LARGE',
};

/** Commits the games that a tick releases, as new matches or into running ones. */
export class GameCommits {
  readonly #deps: GameCommitDeps;
  readonly #tick: LeasedTick;
  readonly #nowMs: number;
  readonly #recentSeconds: number;
  readonly #open: ReadonlyMap<string, OpenBackfill>;
  readonly #stored: readonly StoredTicket[];
  readonly #searched: ReadonlyMap<string, Ticket>;
  readonly #odds: ExpectedOdds;
  #storedById: ReadonlyMap<string, StoredTicket> | undefined;

  constructor(deps: GameCommitDeps, tick: LeasedTick, read: RangeRead, open: readonly OpenBackfill[]) {
    this.#deps = deps;
    this.#tick = tick;
    this.#nowMs = read.readAtMs;
    this.#recentSeconds = recentSeconds(tick.definition);
    this.#open = new Map(open.map((one) => [one.backfill.backfillId, one]));
    this.#stored = read.stored;
    this.#odds = new ExpectedOdds(deps, tick.definition.ladder, read.readAtMs);
    this.#searched = new Map(read.tickets.map((ticket) => [ticket.ticketId, ticket]));
  }

  /**
   * Commits a game. In a queue with `presence`, there is no commit if one of its players has left.
   *
   *     check    one read of the presence records of the game's tickets
   *     end      the tickets of players who have left. The others are unchanged, and the next tick finds them. A crash before it:
   *              the next tick repeats it
   *     commit   see `commits/commit-match.ts`
   */
  async commit(game: Released): Promise<GameCommit> {
    const { record } = this.#tick;
    const nowMs = this.#deps.clock.now();
    const enqueuedMs = (ticketId: string) => this.#searched.get(ticketId)!.enqueuedAtMs;
    const vanished = await vanishedTickets(this.#deps, record, game.ticketIds, enqueuedMs, nowMs);
    const isLeft = vanished.size > 0;
    for (const ticketId of vanished) await this.#deps.tickets.end(ticketId, 'CANCELLED', PLAYER_LEFT, nowMs);
    return isFilling(game) ? this.#fill(game, isLeft) : this.#create(game, isLeft);
  }

  async #create(game: Game, isLeft: boolean): Promise<GameCommit> {
    const made = toMatch(game, this.#tick.definition, this.#deps.newId(), this.#nowMs);
    if (isLeft) return { game, match: made, outcome: 'player-left' };
    const match = await this.#odds.of(made);
    const met = this.#meetings(game);
    const tickets = game.ticketIds.map((ticketId) => this.#storedTicket(ticketId));
    return { game, match, outcome: await this.#tick.commits.commit(match, tickets, this.#nowMs, met) };
  }

  async #fill(game: Filling, isLeft: boolean): Promise<GameCommit> {
    const asked = this.#open.get(game.backfillId)!;
    if (isLeft) return { game, match: backfilledMatch(asked, game).match, outcome: 'player-left' };
    const filled = await this.#backfilled(asked, game);
    const met = this.#meetings(game);
    const { backfills, tickets } = this.#deps;
    const linked = game.ticketIds.flatMap((ticketId) => {
      const ticket = this.#storedTicket(ticketId);
      return ticket.linked === undefined ? [] : ticket;
    });
    const outcome = await backfills.fill(asked.backfill, filled, this.#nowMs, met, linked);
    if (outcome === 'lost-race') await allOf(linked.map((one) => this.#tick.commits.recordLost(one)));
    if (outcome === 'committed' && linked.length > 0) {
      const joined = await tickets.getMany(linked.map(({ ticketId }) => ticketId));
      await this.#tick.commits.leave([...joined.values()]);
    }
    return { game, match: filled.match, outcome };
  }

  /** In a match with a ladder, records when newcomers have joined, and computes the odds of the new teams. */
  async #backfilled(asked: OpenBackfill, game: Filling): Promise<BackfilledMatch> {
    const filled = backfilledMatch(asked, game);
    const { expected: _, ...match } = filled.match;
    if (match.ladder === undefined) return filled;
    const at = new Date(this.#nowMs).toISOString();
    const joined = { ...match.joined, ...Object.fromEntries(game.ticketIds.map((one) => [one, at])) };
    const { expected } = await this.#odds.of(match);
    return { ...filled, match: { ...match, joined, ...(expected && { expected }) } };
  }

  /**
   * Cancels the largest ticket of a new match that no item can hold, or the backfill of a running one. Otherwise the next tick
   * would form the same match again. Posted tickets are checked for their size, so this concerns only tickets that are older than
   * a limit.
   * @returns the ids of the cancelled tickets and backfills
   */
  async endTooLarge(commits: readonly GameCommit[]): Promise<string[]> {
    const ended: string[] = [];
    for (const { game, outcome } of commits) {
      if (outcome !== 'too-large') continue;
      if (isFilling(game)) {
        await this.#deps.backfills.end(game.backfillId, 'CANCELLED', TOO_LARGE.reason, this.#nowMs);
        ended.push(game.backfillId);
        continue;
      }
      const sizes = game.ticketIds.map((ticketId) => {
        return { ticketId, letters: JSON.stringify(this.#storedTicket(ticketId).players).length };
      });
      const { ticketId } = sizes.reduce((most, one) => (one.letters > most.letters ? one : most));
      await this.#deps.tickets.end(ticketId, 'CANCELLED', TOO_LARGE, this.#nowMs);
      ended.push(ticketId);
    }
    return ended;
  }

  #meetings(game: Released): MeetingRecord[] {
    const seconds = this.#recentSeconds;
    return seconds > 0 ? meetingRecords(game, this.#searched, seconds, this.#nowMs) : [];
  }

  #storedTicket(ticketId: string): StoredTicket {
    this.#storedById ??= new Map(this.#stored.map((ticket) => [ticket.ticketId, ticket]));
    return this.#storedById.get(ticketId)!;
  }
}

/** The match of a game, in its first status. */
function toMatch(game: Game, definition: QueueDefinition, matchId: string, nowMs: number): StoredMatch {
  return {
    matchId,
    queue: definition.name,
    ...firstStatus(definition, nowMs),
    createdAt: new Date(nowMs).toISOString(),
    ...gameJson(game),
    ticketIds: game.ticketIds,
  };
}
