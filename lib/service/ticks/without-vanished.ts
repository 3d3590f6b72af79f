import type { PresenceOptions } from '../../contract/presence.ts';
import type { WatchMessage } from '../../contract/watch.ts';
import { type PresenceDeps, vanishedOf, vanishedTickets } from '../commits/vanished-tickets.ts';
import { inParallel } from '../concurrency/in-parallel.ts';
import { shareOf, tieKey } from '../domain/buckets.ts';
import { heardFrom, missingSigns, type PresenceRecord } from '../domain/presence.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { Sockets } from '../ports/sockets.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import { vanishedTicket } from './end-tickets.ts';
import type { RangeRead } from './read-range.ts';
import type { LeasedTick } from './tick-lease.ts';

export interface PresenceCheckDeps extends PresenceDeps {
  readonly queues: Pick<QueueStore, 'extend'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Absent without push, where no player has a connection. */
  readonly sockets?: Pick<Sockets, 'send'> | undefined;
}

/** Every waiting ticket is checked once in this time, so that a ticket whose player has left does not stay in the pool. */
const CHECK_EVERY_MS = 10_000;
/** The maximum of tickets that a tick checks. If there are more, each is checked less often. */
export const CHECKS_MAX = 5_000;
/** The maximum of players that a tick asks for a ping. */
const ASKS_MAX = 32;
/** The size of the sample of tickets that shows whether the pings of one player or of many are missing. */
const SAMPLE = 20;
/**
 * Missing pings are doubted when they concern at least this many players of the sample, and more than this share. Missing pings
 * of one ticket prove no fault of the service, because a party may share a network.
 */
const DOUBTED_MIN = 4;
const DOUBTED_SHARE = 0.25;
/** How long a doubt lasts. It is renewed while pings of many players are missing. */
const DOUBT_MS = 60_000;

/** The pool without the tickets of players who have left, and the state of their pings. */
export interface PresenceCheck {
  readonly read: RangeRead;
  readonly tick: LeasedTick;
  /** Why no ticket was cancelled although pings are missing. */
  readonly held?: string;
  /** Settles when the players have been asked for pings. It does not fail. */
  readonly asked?: Promise<unknown>;
}

/**
 * Moves the waiting tickets of players who have left to those that end, in a queue with `presence`; in others it reads nothing.
 * Each tick checks some of the tickets, so a record is read ten times less often than the pool. Every ticket of a match is
 * checked again before its commit (`commit-game.ts`).
 *
 * A missing ping is no proof that a player has left: it may be lost, or its function may have failed.
 *
 *     ask     players whose ping is missing, to send one now. So a player may lose two pings in a row
 *     doubt   when signs of many players are missing at once: their pings, or the requests of their backend. The record of the
 *             queue stores the doubt for a minute. Until then no function counts a player as gone for a missing sign. A crash
 *             before it: the next check stores it
 *     end     the tickets of players who are gone
 *
 * When the records cannot be read, no ticket ends.
 */
export async function withoutVanished(
  deps: PresenceCheckDeps,
  tick: LeasedTick,
  read: RangeRead,
): Promise<PresenceCheck> {
  const { presence } = tick.definition;
  if (presence === undefined) return { read, tick };
  try {
    return await checkPresence(deps, tick, read, presence);
  } catch (error) {
    if (!(error instanceof StoreBusy)) throw error;
    return { read, tick, held: `the presence of players cannot be read: ${error.message}` };
  }
}

async function checkPresence(
  deps: PresenceCheckDeps,
  tick: LeasedTick,
  read: RangeRead,
  presence: PresenceOptions,
): Promise<PresenceCheck> {
  const { definition, record } = tick;
  const due = dueTickets(tick, read, presence);
  const nowMs = deps.clock.now();
  // Most players are present, so most records are read eventually consistently, for half the price. This may miss the last sign
  // of a player.
  const records = await deps.presence.of(definition.name, due, 'eventual');
  const heardFromMs = heardFrom({ ...(record.change && { change: record.change }) });
  const missing = (one: PresenceRecord) => missingSigns({ presence, heardFromMs }, one, nowMs);
  const silent = [...records.values()].flatMap(missing);
  // Players whose backend sends their signs have no connection to ask.
  const asked = ask(deps, silent.filter(Boolean), nowMs);
  const isDoubtful = silent.length > 0 && areMany(await sampleOf(deps, tick, read), missing);
  const untilMs = nowMs + DOUBT_MS;
  const { presenceHeldUntilMs = 0 } = record;
  if (isDoubtful && presenceHeldUntilMs < untilMs - DOUBT_MS / 2)
    await deps.queues.extend(record, 'presenceHeldUntilMs', untilMs);
  const believed = isDoubtful ? { ...record, presenceHeldUntilMs: untilMs } : record;
  const enqueuedMs = new Map(read.tickets.map((one) => [one.ticketId, one.enqueuedAtMs]));
  const sinceMs = (ticketId: string) => enqueuedMs.get(ticketId)!;
  const seeming = vanishedOf(believed, records, sinceMs, nowMs);
  const vanished = await vanishedTickets(deps, believed, [...seeming], sinceMs, nowMs);
  const held =
    isDoubtful &&
    'pings of many players are missing at once: see SocketsFail, and the logs of sockets and ticket-changes';
  return {
    read:
      vanished.size === 0
        ? read
        : {
            ...read,
            tickets: read.tickets.filter(({ ticketId }) => !vanished.has(ticketId)),
            ending: [...[...vanished].map(vanishedTicket), ...read.ending],
          },
    tick: { ...tick, record: believed },
    asked,
    ...(held && { held }),
  };
}

/** The tickets that this tick checks. */
function dueTickets(
  { definition, slotMs }: LeasedTick,
  { tickets, isPart }: RangeRead,
  { graceSeconds }: PresenceOptions,
): string[] {
  const tickMs = 1_000 * definition.tickSeconds;
  // With a short grace, its end has to be found sooner.
  const everyMs = Math.min(CHECK_EVERY_MS, 1_000 * (graceSeconds - 3));
  const turns = Math.ceil(Math.max(everyMs / tickMs, tickets.length / CHECKS_MAX));
  const slot = Math.floor(slotMs / tickMs);
  // In a range that is read in parts, the turns are random, because the parts take turns too.
  const turnOf = (ticketId: string) =>
    Math.floor(turns * shareOf(tieKey(isPart ? `${ticketId} ${slot}` : ticketId)));
  const turn = isPart ? 0 : slot % turns;
  return tickets
    .map(({ ticketId }) => ticketId)
    .filter((ticketId) => turnOf(ticketId) === turn)
    .slice(0, CHECKS_MAX);
}

/** Asks players for a ping, but not all if there are many, because a tick must not wait for sockets. */
async function ask(
  { sockets }: PresenceCheckDeps,
  connectionIds: readonly string[],
  nowMs: number,
): Promise<void> {
  if (sockets === undefined) return;
  const message: WatchMessage = { type: 'Ping', timestamp: new Date(nowMs).toISOString(), data: {} };
  const text = JSON.stringify(message);
  await inParallel(connectionIds.slice(0, ASKS_MAX), ASKS_MAX, (id) =>
    sockets.send(id, text).catch(() => 'failed'),
  );
}

/** The records of a sample of tickets, evenly spread over the pool. */
function sampleOf(deps: PresenceDeps, { definition }: LeasedTick, { tickets }: RangeRead) {
  const length = Math.min(SAMPLE, tickets.length);
  const some = Array.from(
    { length },
    (_, at) => tickets[Math.floor((at * tickets.length) / length)]!.ticketId,
  );
  return deps.presence.of(definition.name, some, 'eventual');
}

function areMany(
  records: ReadonlyMap<string, PresenceRecord>,
  missing: (record: PresenceRecord) => readonly string[],
): boolean {
  const known = [...records.values()].reduce((sum, { size }) => sum + size, 0);
  const tickets = [...records.values()].filter((one) => missing(one).length > 0);
  const { length } = tickets.flatMap(missing);
  return tickets.length > 1 && length >= DOUBTED_MIN && length > DOUBTED_SHARE * known;
}
