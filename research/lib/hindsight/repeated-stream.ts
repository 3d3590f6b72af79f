import type { Arrival, QueueDefinition, Traffic } from 'muster/simulation';
import { type Instance, instanceOf, repeated } from './instance.ts';
import { type LowerBoundOptions, lowerBound } from './lower-bound.ts';
import { playedSchedule } from './played-schedule.ts';

/** A queue on a stream in which the tickets of an instance arrive again and again. Costs are per player. */
export interface RepeatedBounds {
  /** No schedule costs less on average over ever more periods, not even one that knows all arrivals. */
  readonly certified: number;
  /** What the queue's policy costs on average over some periods. */
  readonly played: number;
}

/**
 * Compares a queue with the best schedule of a stream without a start and an end.
 *
 * @param definition a queue whose policy is played
 * @param traffic for its sample of skills
 */
export async function measureRepeated(
  instance: Instance,
  definition: QueueDefinition,
  traffic: Traffic,
  options: LowerBoundOptions,
): Promise<RepeatedBounds> {
  const stream = repeated(instance);
  const { certified } = await lowerBound(stream, options);
  const periodMs = 1_000 * definition.tickSeconds * stream.period;
  const counted = Array.from(copies(instance, periodMs, WARM_UP, WARM_UP + COUNTED), ({ ticket }) => ticket);
  const played = playedSchedule(
    instanceOf(counted, {
      seats: instance.seats,
      tickSeconds: definition.tickSeconds,
      waitCost: instance.waitCost / definition.tickSeconds,
    }),
    definition,
    {
      ...traffic,
      arrivals: { [Symbol.iterator]: () => copies(instance, periodMs, 0, Number.POSITIVE_INFINITY) },
    },
  );
  // The prices of a short period may add up to less than nothing.
  return { certified: Math.max(0, certified), played: played.cost };
}

/** Periods that a policy plays before those that count, and those that count. Games are not the same in each of them. */
const WARM_UP = 2;
const COUNTED = 6;

/** The tickets of some periods, each with its own id. No player loses patience. */
function* copies(instance: Instance, periodMs: number, from: number, to: number): Generator<Arrival> {
  for (let period = from; period < to; period++) {
    for (const { ticket } of instance.parts) {
      const players = ticket.players.map((player) => ({
        ...player,
        playerId: `${player.playerId}~${period}`,
      }));
      const ticketId = `${ticket.ticketId}~${period}`;
      const enqueuedAtMs = ticket.enqueuedAtMs + period * periodMs;
      yield { ticket: { ...ticket, ticketId, enqueuedAtMs, players }, patienceMs: Number.POSITIVE_INFINITY };
    }
  }
}
