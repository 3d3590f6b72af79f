import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { Game } from '../../engine/types.ts';
import { isFilling } from '../../policies/plan.ts';
import { relaxedRules } from '../../rules/relaxed-rules.ts';
import type { OpenBackfill } from '../backfills/open-backfills.ts';
import type { TalliedMatch } from '../domain/match-tally.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { BackfillReport, RecentMatch } from '../domain/tick-report.ts';
import type { GameCommit } from './commit-game.ts';
import type { RangeRead } from './read-range.ts';
import type { RangeSearch } from './search-range.ts';

/** The figures of a search. */
export interface SearchSummary {
  /** The matches committed. */
  readonly matches: readonly StoredMatch[];
  /** The tickets of the range that were committed, to new or running matches. */
  readonly matchedIds: ReadonlySet<string>;
  readonly recent: readonly RecentMatch[];
  /** The matches committed by region and rule; empty in a queue without rules. */
  readonly tallied: readonly TalliedMatch[];
  /** The number of tickets that were read and are still waiting, and the longest of their waits. */
  readonly waiting: number;
  readonly oldestWaitMs: number;
  /** Matches that were planned but not committed, because a ticket was taken or the store was busy. */
  readonly lostRaces: number;
  readonly busy: number;
  /** The filled and the open backfills; absent in a queue without backfills. */
  readonly backfills?: BackfillReport | undefined;
}

/** Counts committed matches and tickets that are still waiting. */
export function summarise(
  definition: QueueDefinition,
  { tickets, readAtMs: nowMs }: RangeRead,
  { plan, commits, open }: RangeSearch,
): SearchSummary {
  const byId = new Map(tickets.map((ticket) => [ticket.ticketId, ticket]));
  const waitMs = (ticketId: string) => Math.max(0, nowMs - (byId.get(ticketId)?.enqueuedAtMs ?? nowMs));
  const tallied = (game: Game): TalliedMatch => ({
    waitsMs: game.ticketIds.map(waitMs),
    region: game.ruling?.region,
    costs: costsOf(game),
    relaxed: relaxedRules(
      definition,
      game,
      game.ticketIds.flatMap((ticketId) => byId.get(ticketId) ?? []),
      nowMs,
    ),
  });
  const committed = commits.filter(({ outcome }) => outcome === 'committed');
  const games = committed.flatMap(({ game, match }) => (isFilling(game) ? [] : [{ game, match }]));
  return {
    matches: games.map(({ match }) => match),
    matchedIds: new Set(committed.flatMap(({ game }) => game.ticketIds)),
    recent: games.map(({ game }) => ({ imbalance: game.imbalance, waitsMs: game.ticketIds.map(waitMs) })),
    tallied: definition.rules === undefined ? [] : games.map(({ game }) => tallied(game)),
    waiting: plan.waiting.length,
    // The plan lists the longest wait first.
    oldestWaitMs: plan.waiting.length > 0 ? waitMs(plan.waiting[0]!.ticketId) : 0,
    lostRaces: commits.filter(({ outcome }) => outcome === 'lost-race').length,
    busy: commits.filter(({ outcome }) => outcome === 'busy').length,
    ...(definition.backfill && { backfills: backfillReport(open, committed, nowMs) }),
  };
}

/** The filled and the open backfills of a range. */
function backfillReport(
  open: readonly OpenBackfill[],
  committed: readonly GameCommit[],
  nowMs: number,
): BackfillReport {
  const newcomers = new Map(
    committed.flatMap(({ game, match }): [string, number][] => {
      if (!isFilling(game)) return [];
      const { teams, newTicketIds = [] } = match;
      const seats = teams.flatMap(({ players }) => players);
      const joined = seats.filter(({ ticketId = '' }) => newTicketIds.includes(ticketId));
      return [[game.backfillId, joined.length]];
    }),
  );
  const waitMs = ({ backfill }: OpenBackfill) => Math.max(0, nowMs - Date.parse(backfill.enqueuedAt));
  const left = open.filter(({ backfill }) => !newcomers.has(backfill.backfillId));
  return {
    open: left.length,
    oldestWaitMs: Math.max(0, ...left.map(waitMs)),
    filled: open.flatMap((one) => {
      const players = newcomers.get(one.backfill.backfillId);
      return players === undefined ? [] : [{ waitMs: waitMs(one), players }];
    }),
  };
}

/** The costs of the rules in a game, by name. */
function costsOf({ ruling }: Game): Record<string, number> {
  const entries = Object.entries(ruling?.rules ?? {});
  return Object.fromEntries(
    entries.flatMap(([name, { cost }]) => (cost === undefined ? [] : [[name, cost]])),
  );
}
