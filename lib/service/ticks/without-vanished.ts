import type { PresenceOptions } from '../../contract/presence.ts';
import type { WatchMessage } from '../../contract/watch.ts';
import { type PresenceDeps, vanishedOf, vanishedTickets } from '../commits/vanished-tickets.ts';
import { inParallel } from '../concurrency/in-parallel.ts';
import { heardFrom, type PresenceRecord, unheard } from '../domain/presence.ts';
import { shareOf, tieKey } from '../domain/tie-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { Sockets } from '../ports/sockets.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import { vanishedTicket } from './end-tickets.ts';
import type { RangeRead } from './read-range.ts';
import type { LeasedTick } from './tick-lease.ts';

export interface LookDeps extends PresenceDeps {
  readonly queues: Pick<QueueStore, 'holdPresence'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Absent without push: then nobody has a connection. */
  readonly sockets?: Pick<Sockets, 'send'> | undefined;
}

/** Every waiting ticket is looked at once in this time, so that a ticket whose player has left does not stay in the pool. */
const LOOK_EVERY_MS = 10_000;
/** The maximum of tickets that a tick looks at. With more, the turn of each comes later. */
export const LOOKS_MAX = 5_000;
/** The maximum of players whom a tick asks for a ping. */
const ASKS_MAX = 32;
/** The size of the sample of tickets that shows whether the pings of one player are missing, or those of many. */
const SAMPLE = 20;
/**
 * Pings are doubted when they are missing of this many players of the sample, and of more than this share. Those of one ticket
 * prove nothing about the service: a party may have one network.
 */
const DOUBTED_MIN = 4;
const DOUBTED_SHARE = 0.25;
/** How long a doubt lasts. It is renewed while pings of many players are missing. */
const DOUBT_MS = 60_000;

/** The pool without the tickets of players who have left, and what the tick knows about their pings. */
export interface Looked {
  readonly read: RangeRead;
  readonly tick: LeasedTick;
  /** Why no ticket was cancelled although pings are missing. */
  readonly held?: string;
  /** Settles when the players have been asked. It does not fail. */
  readonly asked?: Promise<unknown>;
}

/**
 * Moves the waiting tickets of which a player has left to those that end, in a queue with `presence`; in another one it reads
 * nothing. Each tick looks at some of the tickets: a record is read ten times less often than the pool, and every ticket
 * of a match is looked at once more before it (`commit-game.ts`).
 *
 * A missing ping is no proof that a player has left: it may be lost, or its function may have failed.
 *
 *     ask       players whose ping is missing to send one now. So a player may lose two pings in a row
 *     doubt     when signs of many players are missing at once: their pings, or the requests of their backend. For a minute, renewed while it is so, no player counts as gone
 *               for a missing sign, in any function: the record of the queue says so. A crash before it: the next look does it
 *     end       the tickets of which a player is gone
 *
 * When the records cannot be read, no ticket ends.
 */
export async function withoutVanished(deps: LookDeps, tick: LeasedTick, read: RangeRead): Promise<Looked> {
  const { presence } = tick.definition;
  if (presence === undefined) return { read, tick };
  try {
    return await look(deps, tick, read, presence);
  } catch (error) {
    if (!(error instanceof StoreBusy)) throw error;
    return { read, tick, held: `the presence of players cannot be read: ${error.message}` };
  }
}

async function look(
  deps: LookDeps,
  tick: LeasedTick,
  read: RangeRead,
  presence: PresenceOptions,
): Promise<Looked> {
  const { definition, record } = tick;
  const due = dueTickets(tick, read, presence);
  const nowMs = deps.clock.now();
  // Most players are present, so most records are read for half the units. Such a read may miss the last sign of a player.
  const records = await deps.presence.of(definition.name, due, 'eventual');
  const heardFromMs = heardFrom({ ...(record.change && { change: record.change }) });
  const missing = (one: PresenceRecord) => unheard({ presence, heardFromMs }, one, nowMs);
  const silent = [...records.values()].flatMap(missing);
  // Players whose backend sends their signs have no connection.
  const asked = ask(deps, silent.filter(Boolean), nowMs);
  const isDoubtful = silent.length > 0 && areMany(await sampleOf(deps, tick, read), missing);
  const untilMs = nowMs + DOUBT_MS;
  const { presenceHeldUntilMs = 0 } = record;
  if (isDoubtful && presenceHeldUntilMs < untilMs - DOUBT_MS / 2)
    await deps.queues.holdPresence(record, untilMs);
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

/** The tickets whose turn it is. */
function dueTickets(
  { definition, slotMs }: LeasedTick,
  { tickets, isPart }: RangeRead,
  { graceSeconds }: PresenceOptions,
): string[] {
  const tickMs = 1_000 * definition.tickSeconds;
  // A short grace begins late, so its end must be found sooner.
  const everyMs = Math.min(LOOK_EVERY_MS, 1_000 * (graceSeconds - 3));
  const turns = Math.ceil(Math.max(everyMs / tickMs, tickets.length / LOOKS_MAX));
  const slot = Math.floor(slotMs / tickMs);
  // In a range that is read in parts, chance decides about the turns, because the parts take turns too.
  const turnOf = (ticketId: string) =>
    Math.floor(turns * shareOf(tieKey(isPart ? `${ticketId} ${slot}` : ticketId)));
  const turn = isPart ? 0 : slot % turns;
  return tickets
    .map(({ ticketId }) => ticketId)
    .filter((ticketId) => turnOf(ticketId) === turn)
    .slice(0, LOOKS_MAX);
}

/** Asks players for a ping. If they are many it asks only some, because a tick must not wait for sockets. */
async function ask({ sockets }: LookDeps, connectionIds: readonly string[], nowMs: number): Promise<void> {
  if (sockets === undefined) return;
  const message: WatchMessage = { type: 'Ping', timestamp: new Date(nowMs).toISOString(), data: {} };
  const text = JSON.stringify(message);
  await inParallel(connectionIds.slice(0, ASKS_MAX), ASKS_MAX, (id) =>
    sockets.send(id, text).catch(() => 'failed'),
  );
}

/** The records of some tickets of the pool, spread over it. */
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
