import type { Caller } from '../../contract/callers.ts';
import { Problem } from '../../contract/problem.ts';
import type { Clock } from '../ports/clock.ts';
import type { PollSlots } from '../ports/poll-slots.ts';
import { unlessBusy } from '../ports/store-busy.ts';

/**
 * The maximum of concurrent requests of one player that wait or search. An app sends one, and another after a dropped connection.
 */
export const REQUESTS_MAX = 3;
/** A slot is reserved for this long after the wait, for the reads of a slow request. */
const MARGIN_MS = 2_000;

/** The maximum of players for whom a warm function remembers that all slots are taken. */
const REMEMBERED_MAX = 1_000;

/**
 * Limits the requests of a player that occupy a function for seconds: long polls and explanations. Without the limit, one player
 * with a valid token could occupy every function that the deployment may run. Backends are not limited.
 *
 *     take      a slot, by one conditional write. Without a free slot: 429
 *     release   when the request ends before the slot expires. A crash before it: the slot expires
 *
 * Other requests cost nothing more. When the slots of a player are written more often than the table allows, they count as taken:
 * of a thousand concurrent requests of one player, most are rejected and none is delayed.
 */
export class ConcurrencyLimit {
  readonly #slots: PollSlots;
  readonly #clock: Clock;
  /** When the first slot becomes free, for players whose slots were all taken. */
  readonly #taken = new Map<string, number>();

  constructor({ slots, clock }: { readonly slots: PollSlots; readonly clock: Clock }) {
    this.#slots = slots;
    this.#clock = clock;
  }

  /**
   * Runs a request of a caller.
   * @param takesMs the maximum time of the request
   * @throws Problem (429) when the player has too many such requests
   */
  async run<T>(caller: Caller, takesMs: number, request: () => Promise<T>): Promise<T> {
    if (caller.scope !== 'player') return request();
    const { playerId } = caller;
    const nowMs = this.#clock.now();
    if ((this.#taken.get(playerId) ?? 0) > nowMs) throw this.#tooMany(this.#taken.get(playerId)!);
    const untilMs = nowMs + takesMs + MARGIN_MS;
    const took = (await unlessBusy(this.#slots.take(playerId, REQUESTS_MAX, untilMs, nowMs))) ?? {
      taken: false as const,
      freeAtMs: nowMs + MARGIN_MS,
    };
    if (!took.taken) {
      this.#remember(playerId, took.freeAtMs);
      throw this.#tooMany(took.freeAtMs);
    }
    try {
      return await request();
    } finally {
      // A slot that becomes free soon needs no write.
      if (took.slot.untilMs - this.#clock.now() > MARGIN_MS) await this.#slots.release(took.slot);
    }
  }

  /** Remembers it for a second at most, because a slot may be released before it expires. */
  #remember(playerId: string, freeAtMs: number): void {
    this.#taken.delete(playerId);
    this.#taken.set(playerId, Math.min(freeAtMs, this.#clock.now() + 1_000));
    if (this.#taken.size > REMEMBERED_MAX) this.#taken.delete(this.#taken.keys().next().value!);
  }

  #tooMany(freeAtMs: number): Problem {
    const seconds = Math.max(1, Math.ceil((freeAtMs - this.#clock.now()) / 1_000));
    return new Problem(
      429,
      `Expected at most ${REQUESTS_MAX} requests of a player with waitSeconds or explain at the same time, got one more. End one of them, or wait.`,
      { headers: { 'retry-after': String(Math.min(seconds, 5)) } },
    );
  }
}
