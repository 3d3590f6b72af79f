import type { QueueDefinition } from '../contract/queue-definition.ts';
import { seatsOf } from '../contract/team-kinds.ts';
import type { Game, Ticket } from '../engine/types.ts';
import type { Backfill, Filling } from '../policies/plan.ts';
import { seatProblems } from '../service/backfills/seat-problems.ts';
import { type BackfillMeasures, BackfillMeter } from './backfill-measures.ts';
import type { RandomSource } from './random.ts';

/** How long matches last, and how many of their players leave before the end. */
export interface MatchCourse {
  /** Seconds from the release of a match to its end, > 0; the same for all matches. */
  readonly matchSeconds: number;
  /**
   * The chance that a player leaves a match before it ends, in [0, 1). Players leave one by one at a constant rate, so one
   * who joins late is less likely to leave.
   */
  readonly leavers: number;
  /** Seconds after which each player leaves depend on this source and the player's id alone, not on the match. */
  readonly random: RandomSource;
}

/** A player of a running match. */
interface Present {
  readonly player: Backfill['players'][number];
  readonly leavesAtMs: number;
}

interface RunningMatch {
  readonly number: number;
  readonly beganAtMs: number;
  readonly endsAtMs: number;
  readonly region: string | undefined;
  present: Present[];
  /** Since when each empty seat has been empty, ascending. */
  emptySinceMs: number[];
  /** The newest backfill, while it is open. */
  backfill: Backfill | undefined;
  /** The number of backfills so far. */
  asked: number;
}

/**
 * The matches that are being played in a simulation: their players leave, their servers ask for others, and they end.
 *
 * A server asks when a match begins with empty seats or bots, when a player leaves, when newcomers leave seats empty, and when
 * a backfill times out, as long as a player is there. Each request replaces the one before it. A queue without `backfill`
 * asks for no players, and its seats stay empty until the match ends.
 */
export class RunningMatches {
  readonly #definition: QueueDefinition;
  readonly #course: MatchCourse;
  readonly #seats: number;
  readonly #leavesPerMs: number;
  readonly #meter: BackfillMeter;
  readonly #matches = new Set<RunningMatch>();
  /** The match of each open backfill. */
  readonly #asking = new Map<string, RunningMatch>();
  #begun = 0;

  /** @param skillUnit the resolution of imbalances */
  constructor(definition: QueueDefinition, course: MatchCourse, skillUnit: number) {
    this.#definition = definition;
    this.#course = course;
    this.#seats = seatsOf(definition);
    this.#leavesPerMs = -Math.log(1 - course.leavers) / (1000 * course.matchSeconds);
    this.#meter = new BackfillMeter(skillUnit);
  }

  /** The open backfills, in the order in which their matches began. */
  get open(): readonly Backfill[] {
    return [...this.#asking.values()].sort((a, b) => a.number - b.number).map(({ backfill }) => backfill!);
  }

  /** Lets players leave and matches end, up to this moment. */
  advance(nowMs: number): void {
    const timeoutMs = 1000 * this.#definition.timeoutSeconds;
    for (const match of this.#matches) {
      while (this.#matches.has(match)) {
        const atMs = nextOf(match, timeoutMs);
        if (atMs > nowMs) break;
        this.#happen(match, atMs);
      }
    }
  }

  /** A match begins with the players of a released game. Bots take no seat: a player may replace them. */
  begin(game: Game, tickets: readonly Ticket[], nowMs: number): void {
    const match: RunningMatch = {
      number: ++this.#begun,
      beganAtMs: nowMs,
      endsAtMs: nowMs + 1000 * this.#course.matchSeconds,
      region: game.ruling?.region,
      present: [],
      emptySinceMs: [],
      backfill: undefined,
      asked: 0,
    };
    match.present = this.#seated(game.teams, tickets, [], nowMs);
    match.emptySinceMs = new Array<number>(this.#seats - match.present.length).fill(nowMs);
    this.#matches.add(match);
    this.#ask(match, nowMs);
  }

  /** Newcomers take seats of the match that asked for them. */
  fill(filling: Filling, tickets: readonly Ticket[], nowMs: number): void {
    const match = this.#asking.get(filling.backfillId)!;
    this.#close(match);
    const before = match.present.length;
    match.present = this.#seated(filling.teams, tickets, match.present, nowMs);
    const newcomers = match.present.length - before;
    for (const sinceMs of match.emptySinceMs.splice(0, newcomers))
      this.#meter.filled((nowMs - sinceMs) / 1000);
    this.#meter.joined(filling, tickets, nowMs);
    this.#ask(match, nowMs);
  }

  /** The measures up to this moment. */
  read(nowMs: number): BackfillMeasures {
    const running = [...this.#matches].map(({ beganAtMs, emptySinceMs }) => ({
      seatSeconds: (this.#seats * (nowMs - beganAtMs)) / 1000,
      emptySeconds: emptySinceMs.map((sinceMs) => (nowMs - sinceMs) / 1000),
    }));
    return this.#meter.read(running);
  }

  #happen(match: RunningMatch, atMs: number): void {
    if (atMs === match.endsAtMs) {
      this.#end(match, atMs);
      return;
    }
    const stay = match.present.filter(({ leavesAtMs }) => leavesAtMs > atMs);
    const left = match.present.length - stay.length;
    if (left === 0) this.#meter.counts.timedOut++;
    match.present = stay;
    match.emptySinceMs.push(...new Array<number>(left).fill(atMs));
    this.#meter.counts.leavers += left;
    this.#close(match);
    if (stay.length === 0) this.#end(match, atMs);
    else this.#ask(match, atMs);
  }

  #end(match: RunningMatch, atMs: number): void {
    this.#close(match);
    this.#matches.delete(match);
    for (const sinceMs of match.emptySinceMs) this.#meter.unfilled((atMs - sinceMs) / 1000);
    this.#meter.seatSeconds += (this.#seats * (atMs - match.beganAtMs)) / 1000;
  }

  #ask(match: RunningMatch, nowMs: number): void {
    const players = match.present.map(({ player }) => player);
    if (this.#definition.backfill === undefined || match.emptySinceMs.length === 0) return;
    if (seatProblems(players, this.#definition).length > 0) return;
    match.asked++;
    const backfillId = `b${match.number}.${match.asked}`;
    const { region } = match;
    match.backfill = {
      backfillId,
      requestedAtMs: nowMs,
      players,
      ...(region !== undefined && { region }),
    };
    this.#asking.set(backfillId, match);
    this.#meter.counts.requests++;
  }

  #close(match: RunningMatch): void {
    if (match.backfill === undefined) return;
    this.#asking.delete(match.backfill.backfillId);
    match.backfill = undefined;
  }

  /** The players in their teams: those who were there before, and those of the tickets. */
  #seated(
    teams: Game['teams'],
    tickets: readonly Ticket[],
    before: readonly Present[],
    nowMs: number,
  ): Present[] {
    const known = new Map(before.map((present) => [present.player.playerId, present]));
    const players = new Map(
      tickets.flatMap((ticket) => ticket.players.map((player) => [player.playerId, player])),
    );
    return teams.flatMap((seats, team) =>
      seats.flatMap(({ playerId, ticketId, role, bot }): Present[] => {
        const there = known.get(playerId);
        const player = there?.player ?? players.get(playerId);
        if (bot || player === undefined) return [];
        const leavesAtMs = there?.leavesAtMs ?? nowMs + this.#stayMs(playerId);
        const own = { ...player, ticketId, team, ...(role !== undefined && { roles: [role] }) };
        return [{ player: own, leavesAtMs }];
      }),
    );
  }

  #stayMs(playerId: string): number {
    if (this.#leavesPerMs === 0) return Number.POSITIVE_INFINITY;
    return Math.ceil(this.#course.random.fork(playerId).exponential(this.#leavesPerMs));
  }
}

/** When a player leaves next, the backfill times out or the match ends, whichever is first. */
function nextOf({ endsAtMs, present, backfill }: RunningMatch, timeoutMs: number): number {
  let next = endsAtMs;
  for (const { leavesAtMs } of present) next = Math.min(next, leavesAtMs);
  return backfill === undefined ? next : Math.min(next, backfill.requestedAtMs + timeoutMs);
}
