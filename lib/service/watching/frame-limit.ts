import { Problem } from '../../contract/problem.ts';
import { type RateLimit, TokenBucket } from '../concurrency/token-bucket.ts';
import type { Clock } from '../ports/clock.ts';
import type { Sockets } from '../ports/sockets.ts';
import { messageOf } from './messages.ts';

export interface FrameLimitDeps {
  readonly sockets: Pick<Sockets, 'send' | 'close'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The rate that a client needs: pings, a response to each match, and some more after a network interruption. */
export const FRAMES: RateLimit = { perSecond: 3, burst: 12 };
/** The maximum of connections that a function counts. */
const CONNECTIONS_MAX = 1_000;

interface Counted {
  readonly bucket: TokenBucket;
  isEnded: boolean;
}

/**
 * Closes connections that send more frames than {@link FRAMES}, because all clients share the rate limit of the stage and one of
 * them could use it up. Each instance of the function counts the frames that it receives. That suffices, because a flood of
 * frames reaches few instances many times a second.
 */
export class FrameLimit {
  readonly #counted = new Map<string, Counted>();

  /**
   * Whether a frame gets a response.
   *
   *     report   the limit to the client, once. A crash before it: the next frame reports it
   *     close    the connection. If it fails, the next frame closes it
   */
  async admits({ sockets, clock }: FrameLimitDeps, connectionId: string): Promise<boolean> {
    const nowMs = clock.now();
    if (this.#counted.size >= CONNECTIONS_MAX) this.#counted.clear();
    const counted = this.#counted.get(connectionId) ?? { bucket: new TokenBucket(FRAMES), isEnded: false };
    this.#counted.set(connectionId, counted);
    if (!counted.isEnded && counted.bucket.take(nowMs)) return true;
    if (counted.isEnded) return false;
    counted.isEnded = true;
    const data = new Problem(
      429,
      `Expected at most ${FRAMES.perSecond} frames a second and ${FRAMES.burst} at once, got more: the connection is ended.`,
    ).toDocument();
    await sockets.send(
      connectionId,
      messageOf({ type: 'Problem', timestamp: new Date(nowMs).toISOString(), data }),
    );
    counted.isEnded = await sockets.close(connectionId);
    return false;
  }
}
