import { isDeepStrictEqual } from 'node:util';
import type { MusterEvent } from '../../lib/contract/events.ts';
import { isFinal, type TicketStatus } from '../../lib/contract/ticket.ts';
import type { StoredMatch } from '../../lib/service/domain/stored-match.ts';
import type { StoredTicket } from '../../lib/service/domain/stored-ticket.ts';
import { type Change, toEvent } from '../../lib/service/events/publish.ts';

/** The state after everything has ended. */
export interface Outcome {
  /** The ids of all tickets that the API accepted. */
  readonly accepted: readonly string[];
  readonly tickets: ReadonlyMap<string, StoredTicket>;
  readonly matches: ReadonlyMap<string, StoredMatch>;
  /** Every write to both tables, in the order of each item's writes. */
  readonly changes: readonly Change[];
  /** Every event that the bus accepted, including repeated ones. */
  readonly events: readonly MusterEvent[];
  /** Ids of changes that became dead letters of the streams and have no event. */
  readonly deadLetters?: ReadonlySet<string>;
}

/** Checks the invariants of the service. Returns a message for each violation. */
export function violations(outcome: Outcome): string[] {
  return [
    ...ofTickets(outcome),
    ...ofReplacements(outcome),
    ...ofMatches(outcome),
    ...ofRosters(outcome),
    ...ofHistory(outcome.changes),
    ...ofEvents(outcome),
  ];
}

/** No ticket is lost; every one is in exactly one final status. */
function ofTickets({ accepted, tickets, matches, changes }: Outcome): string[] {
  return accepted.flatMap((ticketId) => {
    const ticket = tickets.get(ticketId);
    if (ticket === undefined) return [`ticket ${ticketId} is lost`];
    const match = ticket.matchId === undefined ? undefined : matches.get(ticket.matchId);
    const found: string[] = [];
    if (ticket.matchId !== undefined && match === undefined)
      found.push(`ticket ${ticketId} points to match ${ticket.matchId}, which does not exist`);
    const rosters = match === undefined ? [] : rostersOf(match.matchId, changes);
    if (match !== undefined && ![match, ...rosters].some(({ ticketIds }) => ticketIds.includes(ticketId)))
      found.push(`ticket ${ticketId} points to match ${match.matchId}, which does not have it`);
    if (match !== undefined && ticket.status === 'CANCELLED' && match.status !== 'FAILED')
      found.push(`ticket ${ticketId} is CANCELLED, its match ${match.matchId} ${match.status}`);
    if (match !== undefined && ticket.status === 'FAILED' && match.status !== 'FAILED')
      found.push(`ticket ${ticketId} is FAILED, its match ${match.matchId} ${match.status}`);
    if (ticket.status === 'FAILED' && ticket.failures !== 2)
      found.push(`ticket ${ticketId} is FAILED after ${ticket.failures ?? 0} earlier failures`);
    if ((ticket.failures ?? 0) > 2) found.push(`ticket ${ticketId} has returned ${ticket.failures} times`);
    if (
      ticket.status === 'MATCHED' &&
      (match?.cancelled !== undefined || (match?.requeued && match.ticketIds.includes(ticketId)))
    )
      found.push(`ticket ${ticketId} was not returned from match ${match.matchId}, which was dissolved`);
    const status = match === undefined || hasEnded(ticket.status) ? ticket.status : match.status;
    if (!hasEnded(status)) found.push(`ticket ${ticketId} is still ${status}`);
    return found;
  });
}

/** A replaced ticket is CANCELLED, outside of every match, and exactly the one that replaced it has its wait. */
function ofReplacements({ tickets }: Outcome): string[] {
  return [...tickets.values()].flatMap(({ ticketId, status, matchId, replaces, replacedBy, enqueuedAt }) => {
    const found: string[] = [];
    if (replacedBy !== undefined && (status !== 'CANCELLED' || matchId !== undefined))
      found.push(`ticket ${ticketId} was replaced by ${replacedBy} and is ${status}`);
    if (replacedBy !== undefined && tickets.get(replacedBy)?.replaces !== ticketId)
      found.push(`ticket ${ticketId} was replaced by ${replacedBy}, which does not replace it`);
    const old = replaces === undefined ? undefined : tickets.get(replaces);
    if (replaces !== undefined && (old?.replacedBy !== ticketId || old.enqueuedAt !== enqueuedAt))
      found.push(
        `ticket ${ticketId} replaces ${replaces}, which was not cancelled for it or waited otherwise`,
      );
    return found;
  });
}

/** No ticket is in two matches; every match has its tickets, all of their players, and each party in one team. */
function ofMatches({ tickets, matches, changes }: Outcome): string[] {
  const matchOf = new Map<string, string>();
  const dissolved = new Set(
    changes
      .filter(
        ({ before, after }) =>
          after.status === 'FAILED' &&
          (before?.status === 'REQUIRES_ACCEPTANCE' || ('requeued' in after && after.requeued)),
      )
      .map(({ after }) => after.matchId),
  );
  return [...matches.values()].flatMap((match) => {
    const found: string[] = [];
    // A dissolved match has returned its tickets to the pool.
    for (const ticketId of dissolved.has(match.matchId) ? [] : match.ticketIds) {
      const other = matchOf.get(ticketId);
      if (other !== undefined) found.push(`ticket ${ticketId} is in matches ${other} and ${match.matchId}`);
      matchOf.set(ticketId, match.matchId);
      if (tickets.get(ticketId)?.matchId !== match.matchId)
        found.push(`match ${match.matchId} has ticket ${ticketId}, which does not point to it`);
    }
    const sizes = new Set(match.teams.map(({ players }) => players.length));
    if (sizes.size !== 1) found.push(`match ${match.matchId} has teams of ${[...sizes]}`);
    for (const ticketId of match.ticketIds) {
      const people = tickets.get(ticketId)?.players.map(({ playerId }) => playerId) ?? [];
      const seated = match.teams.map(({ players }) =>
        players.filter((seat) => seat.ticketId === ticketId).map(({ playerId }) => playerId),
      );
      const isWhole = seated.some((team) => isDeepStrictEqual(new Set(team), new Set(people)));
      // Members of a party that was there before may have left.
      const isPart = match.roster !== undefined && seated.filter((team) => team.length > 0).length === 1;
      if (!isWhole && !(isPart && !match.newTicketIds?.includes(ticketId)))
        found.push(`match ${match.matchId} does not seat ticket ${ticketId} in one team`);
    }
    const people = match.teams.flatMap(({ players }) => players.filter(({ bot }) => !bot));
    const strangers = people.filter(({ ticketId }) => !match.ticketIds.includes(ticketId ?? ''));
    if (strangers.length > 0) found.push(`match ${match.matchId} seats players of no ticket of its own`);
    return found;
  });
}

/**
 * No seat is promised twice, and no player is in two places: each roster follows the one before it, seats each player once, and
 * has exactly its own newcomers more, who are in no other match and no earlier roster.
 */
function ofRosters({ changes, matches }: Outcome): string[] {
  const places = new Map<string, string>();
  return [...matches.keys()].flatMap((matchId) => {
    const found: string[] = [];
    const [first, ...later] = rostersOf(matchId, changes);
    // The tickets of a match that was dissolved, or was not placed, may be in another.
    const stayed = first?.cancelled === undefined && !first?.requeued;
    for (const ticketId of stayed ? (first?.ticketIds ?? []) : [])
      places.set(ticketId, `roster 1 of ${matchId}`);
    for (const [i, { roster, teams, newTicketIds = [], ticketIds }] of later.entries()) {
      const place = `roster ${roster} of ${matchId}`;
      if (roster !== i + 2) found.push(`${place} is the ${i + 2}th`);
      const people = teams.flatMap(({ players }) => players.map(({ playerId }) => playerId));
      if (new Set(people).size !== people.length) found.push(`${place} seats a player twice`);
      for (const ticketId of newTicketIds) {
        if (!ticketIds.includes(ticketId)) found.push(`${place} does not seat its newcomer ${ticketId}`);
        if (places.has(ticketId))
          found.push(`ticket ${ticketId} is new in ${place} and in ${places.get(ticketId)}`);
        places.set(ticketId, place);
      }
      const strangers = ticketIds.filter(
        (ticketId) => places.get(ticketId)?.endsWith(` of ${matchId}`) !== true,
      );
      if (strangers.length > 0) found.push(`${place} has tickets ${strangers} that never joined`);
    }
    return found;
  });
}

/** The rosters of a match, oldest first. */
function rostersOf(matchId: string, changes: readonly Change[]): StoredMatch[] {
  const rosters = new Map<number, StoredMatch>();
  for (const { table, after } of changes) {
    if (table !== 'matches' || after.matchId !== matchId) continue;
    const match = after as StoredMatch;
    rosters.set(match.roster ?? 1, match);
  }
  return [...rosters.values()];
}

/** A MATCHED ticket has ended with its match, or returns to the pool. */
function hasEnded(status: Change['after']['status']): boolean {
  return status !== 'MATCHED' && isFinal(status as TicketStatus);
}

/** No ticket and no match leaves a final status. */
function ofHistory(changes: readonly Change[]): string[] {
  const last = new Map<string, Change['after']>();
  return changes.flatMap((change) => {
    const key = change.table === 'tickets' ? change.after.ticketId : change.after.matchId;
    const before = last.get(key);
    last.set(key, change.after);
    if (before === undefined) return [];
    if ('enqueuedAt' in before && before.enqueuedAt !== (change.after as StoredTicket).enqueuedAt)
      return [`${key} lost the wait that it had`];
    return hasEnded(before.status) && before.status !== change.after.status
      ? [`${key} went from ${before.status} to ${change.after.status}`]
      : [];
  });
}

/** Every change that is an event was published at least once, always with the same content under the same id. */
function ofEvents({ changes: all, events, deadLetters = new Set() }: Outcome): string[] {
  const changes = all.filter(({ changeId }) => !deadLetters.has(changeId));
  const told = new Map<string, MusterEvent>();
  const found: string[] = [];
  for (const event of events) {
    const before = told.get(event.eventId);
    if (before !== undefined && !isDeepStrictEqual(before, event))
      found.push(`event ${event.eventId} was published with different contents`);
    told.set(event.eventId, event);
  }
  for (const change of changes) {
    const news = toEvent(change);
    if (news === undefined) continue;
    // It is published on request only: for every ticket of the queue or for none.
    if (news.type === 'TicketQueued' && !events.some(({ type }) => type === 'TicketQueued')) continue;
    const { eventId } = news;
    if (!isDeepStrictEqual(told.get(eventId), news))
      found.push(`${news.type} ${eventId} was never published`);
  }
  const matches = changes.filter(({ table, before }) => table === 'matches' && before === undefined);
  for (const { after } of matches) {
    const { matchId } = after as StoredMatch;
    const hasEvent = events.some((event) => event.type === 'MatchFound' && event.match.matchId === matchId);
    if (!hasEvent) found.push(`match ${matchId} has no MatchFound event`);
  }
  return [...found, ...ofReadyEvents(all)];
}

/** Each match of which players can play has one event that says so, the one with which it is COMPLETED; the others have none. */
function ofReadyEvents(changes: readonly Change[]): string[] {
  const ready = new Map<string, number>();
  const completed = new Set<string>();
  for (const change of changes) {
    if (change.table !== 'matches') continue;
    const { matchId, status } = change.after;
    if (status === 'COMPLETED') completed.add(matchId);
    const news = toEvent(change);
    if (news !== undefined && 'match' in news && news.ready)
      ready.set(matchId, (ready.get(matchId) ?? 0) + 1);
  }
  return [...new Set([...completed, ...ready.keys()])]
    .filter((matchId) => ready.get(matchId) !== 1 || !completed.has(matchId))
    .map(
      (matchId) =>
        `match ${matchId} has ${ready.get(matchId) ?? 0} events that say that its players can play`,
    );
}
