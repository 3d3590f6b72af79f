import { type Client, type QueueMatchGroup, QueueRoom } from '@colyseus/core';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { GamePool } from '../../../lib/engine/game-pool.ts';
import type { Game, Ticket } from '../../../lib/engine/types.ts';
import { gameRulesOf } from '../../../lib/policies/plan.ts';
import type { Measures } from '../../../lib/simulation/measures.ts';
import { meterFor } from '../../../lib/simulation/play.ts';
import type { Traffic } from '../../../lib/simulation/traffic.ts';
import { type Scenario, trafficOf } from '../../../test/bench/scenarios.ts';
import { best, EqualWait, type Family, isNear, type Knob, type Tried } from './equal-wait.ts';
/** Colyseus' QueueRoom on the arrivals of a scenario. */
export interface QueueRoomRun {
  readonly name: string;
  /** The room's settings, in place of a queue definition. */
  readonly definition: QueueRoomSettings;
  readonly result: { readonly measures: Measures; readonly warnings: readonly string[] };
}

/** Settings of the room. Omitted ones keep QueueRoom's defaults. */
export interface QueueRoomSettings {
  readonly maxPlayers: number;
  /** Milliseconds between two searches. @default 1000 */
  readonly cycleTickInterval?: number;
  /** Searches after which a player joins a group even if `compare` rejects it. @default 10 */
  readonly maxWaitingCyclesForPriority?: number;
  /**
   * `compare` accepts ranks at most this far from the mean rank of the group. When omitted, QueueRoom's default, which
   * rejects only ranks of more than three times the mean of the group.
   */
  readonly tolerance?: number;
}

/** The initial number of cycles in which the window of `compare` applies; more and fewer are tried. */
const PRIORITY_CYCLES = 100;
/** From a window that rejects hardly any player to one of a single point of skill. */
const NARROWNESS: readonly [number, number] = [1 / 1000, 1];
const CYCLE_MS: readonly [number, number] = [1000, 900_000];

/** Why QueueRoom cannot play a scenario; undefined when it can. */
export function whyNoQueueRoom({ definition, population }: Scenario): string | undefined {
  if (definition.roles !== undefined) return 'QueueRoom knows no roles';
  if ((population.partyWeights?.length ?? 1) > 1)
    return 'QueueRoom has no parties: its teams (`teamId`) are cut where a group is full, and who has none is in one team with all such';
  return undefined;
}

/**
 * QueueRoom at its defaults, and with settings that give the same mean wait as the scenario's own policy: the width of
 * the window of its `compare` and the number of cycles in which it applies, or the time between two cycles. Of all
 * settings tried, the one with the least mean imbalance is returned.
 */
export function compareQueueRoom(
  scenario: Scenario,
  players: number,
  seed: number,
  own: Tried,
): QueueRoomRun[] {
  const { definition } = scenario;
  const maxPlayers = 2 * definition.teamSize!;
  const traffic = trafficOf(scenario, players, seed);
  const play = (settings: QueueRoomSettings): QueueRoomRun => ({
    name: nameOf(settings),
    definition: settings,
    result: playQueueRoom(definition, traffic, settings),
  });
  const window: Family<QueueRoomSettings> = {
    from: PRIORITY_CYCLES,
    knob: (cycles) => ({
      range: NARROWNESS,
      settings: (narrowness) => ({
        maxPlayers,
        tolerance: Number((1 / narrowness).toPrecision(3)),
        maxWaitingCyclesForPriority: Math.round(cycles),
      }),
    }),
  };
  const interval: Knob<QueueRoomSettings> = {
    range: CYCLE_MS,
    settings: (ms) => ({ maxPlayers, cycleTickInterval: Math.round(ms) }),
  };
  const search = new EqualWait(play, own);
  const byInterval = search.turned(interval).run;
  const found = best([search.best(window)?.run, isNear(byInterval, own) ? byInterval : undefined]);
  const asItIs = play({ maxPlayers });
  return found === undefined ? [asItIs] : [asItIs, found];
}

/**
 * Runs QueueRoom in virtual time. Differences: a virtual clock; a time-out after which a client leaves; rooms for games
 * are created instantly; and groups, which have no teams, are divided in the fairest way.
 */
export function playQueueRoom(
  definition: QueueDefinition,
  traffic: Traffic,
  settings: QueueRoomSettings,
): { measures: Measures; warnings: readonly string[] } {
  const meter = meterFor(traffic);
  const room = new VirtualQueueRoom(settings);
  const waiting = new Map<string, Ticket>();
  const arrivals = traffic.arrivals[Symbol.iterator]();
  const leave = (ticketId: string): Ticket => {
    const ticket = waiting.get(ticketId);
    if (ticket === undefined) throw new Error(`Expected a waiting player, got ${ticketId}`);
    waiting.delete(ticketId);
    room.leave(ticketId);
    return ticket;
  };

  let next = arrivals.next();
  for (let nowMs = 0; next.done !== true; nowMs += room.cycleTickInterval) {
    for (; next.done !== true && next.value.ticket.enqueuedAtMs <= nowMs; next = arrivals.next()) {
      waiting.set(next.value.ticket.ticketId, next.value.ticket);
      room.join(next.value.ticket);
    }
    for (const { ticketId, enqueuedAtMs } of waiting.values()) {
      if (nowMs - enqueuedAtMs >= 1000 * definition.timeoutSeconds)
        meter.left(leave(ticketId), 'timedOut', nowMs);
    }
    for (const ids of room.cycle()) {
      const tickets = ids.map(leave);
      meter.matched(fairestGame(tickets, definition, nowMs), tickets, nowMs);
    }
    meter.ticked(nowMs, [...waiting.values()]);
  }
  return { measures: meter.read(), warnings: [] };
}

/** A QueueRoom whose cycles, arrivals and departures are driven by the caller. */
class VirtualQueueRoom extends QueueRoom {
  #runCycle: () => void = () => {};
  #ready: string[][] = [];

  constructor({ maxPlayers, cycleTickInterval, maxWaitingCyclesForPriority, tolerance }: QueueRoomSettings) {
    super();
    if (cycleTickInterval !== undefined) this.cycleTickInterval = cycleTickInterval;
    // Set as a field, because `onCreate` ignores the option of that name.
    if (maxWaitingCyclesForPriority !== undefined)
      this.maxWaitingCyclesForPriority = maxWaitingCyclesForPriority;
    this.onCreate({
      matchRoomName: 'game',
      maxPlayers,
      ...(tolerance !== undefined && {
        compare: ({ rank }, { averageRank }) => Math.abs(rank - averageRank) <= tolerance,
      }),
      onGroupReady: (group) => this.#takeGroup(group),
    });
  }

  override setTimestep(onCycle?: (deltaTime: number) => void): void {
    this.#runCycle = () => onCycle?.(this.cycleTickInterval);
  }

  join({ ticketId, players }: Ticket): void {
    const client = { sessionId: ticketId, send() {} } as unknown as Client;
    this.clients.push(client);
    this.onJoin(client as Parameters<QueueRoom['onJoin']>[0], { rank: players[0].skill });
  }

  leave(sessionId: string): void {
    this.clients.delete(this.clients.get(sessionId)!);
  }

  /** Lets QueueRoom search once. Returns the players of each ready group, in its order. */
  cycle(): string[][] {
    this.#ready = [];
    this.#runCycle();
    return this.#ready;
  }

  /** Never settles: the players of a group leave before a seat is reserved. */
  #takeGroup({ clients }: QueueMatchGroup): Promise<never> {
    this.#ready.push(clients.map(({ sessionId }) => sessionId));
    return new Promise(() => {});
  }
}

function nameOf({ cycleTickInterval, maxWaitingCyclesForPriority, tolerance }: QueueRoomSettings): string {
  if (tolerance !== undefined)
    return `QueueRoom, within ${tolerance} for ${maxWaitingCyclesForPriority} cycles`;
  if (cycleTickInterval !== undefined)
    return `QueueRoom, a cycle each ${(cycleTickInterval / 1000).toFixed(1)} s`;
  return 'QueueRoom, defaults';
}

/** The best game of exactly these players: only the teams are chosen. Its bound does not cover other players. */
function fairestGame(tickets: readonly Ticket[], definition: QueueDefinition, nowMs: number): Game {
  const pool = new GamePool(gameRulesOf(definition));
  for (const ticket of tickets) pool.insert(ticket);
  const game = pool.best(nowMs);
  if (game === undefined) throw new Error(`Expected players for one game, got ${tickets.length}`);
  return { ...game, lowerBound: Number.NEGATIVE_INFINITY, optimal: false };
}
