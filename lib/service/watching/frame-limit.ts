import { Problem } from '../../contract/problem.ts';
import { type RateLimit, TokenBucket } from '../concurrency/token-bucket.ts';
import type { Watcher } from '../domain/connection.ts';
import type { Clock } from '../ports/clock.ts';
import { type ConnectionStore, FRAMES_COUNTED_MS } from '../ports/connection-store.ts';
import type { Sockets } from '../ports/sockets.ts';
import { messageOf } from './messages.ts';

export interface FrameLimitDeps {
  readonly sockets: Pick<Sockets, 'send' | 'close'>;
  readonly connections: Pick<ConnectionStore, 'countFrame'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The rate that a client needs: pings, a response to each match, and some more after a network interruption. */
export const FRAMES: RateLimit = { perSecond: 3, burst: 12 };
/**
 * What an instance receives of a connection without counting it in the store: pings. A flood may reach a hundred instances, which
 * together receive as many times this burst.
 */
const UNCOUNTED: RateLimit = { perSecond: 0.2, burst: 1 };
/** The frames in an interval of the store that {@link FRAMES} permits. */
const COUNTED_MAX = FRAMES.burst + (FRAMES.perSecond * FRAMES_COUNTED_MS) / 1_000;
/** The maximum of connections that a function counts. */
const CONNECTIONS_MAX = 1_000;

interface Counted {
  readonly frames: TokenBucket;
  readonly uncounted: TokenBucket;
  /** The connection has sent too many frames, which its client was told. */
  isOver: boolean;
  isClosed: boolean;
}

/**
 * Closes connections that send more frames than {@link FRAMES}, because all clients share the rate limit of the stage and one of
 * them could use it up. Each instance of the function counts the frames that it receives. Those of a connection that sends many
 * are counted in the store as well, because the frames of a flood may reach more instances than each could notice.
 */
export class FrameLimit {
  readonly #counted = new Map<string, Counted>();

  /**
   * Whether a frame gets a response.
   *
   *     count    in the store, from the second within five seconds on. If it fails, the frame is admitted
   *     report   the limit to the client, once. A crash before it: the next frame reports it
   *     close    the connection. If it fails, the next frame closes it, and gets no response either
   */
  async admits(
    deps: FrameLimitDeps,
    { ticketId }: Pick<Watcher, 'ticketId'>,
    connectionId: string,
  ): Promise<boolean> {
    const { sockets, connections, clock } = deps;
    const nowMs = clock.now();
    const counted = this.#countedOf(connectionId);
    if (counted.isClosed) return false;
    if (!counted.isOver) {
      if (counted.frames.take(nowMs)) {
        if (counted.uncounted.take(nowMs)) return true;
        const count = await connections.countFrame(ticketId, connectionId, nowMs);
        if (count === undefined || count <= COUNTED_MAX) return true;
      }
      counted.isOver = true;
      const data = new Problem(
        429,
        `Expected at most ${FRAMES.perSecond} frames a second and ${FRAMES.burst} at once, got more: the connection is ended.`,
      ).toDocument();
      await sockets.send(
        connectionId,
        messageOf({ type: 'Problem', timestamp: new Date(nowMs).toISOString(), data }),
      );
    }
    counted.isClosed = await sockets.close(connectionId);
    return false;
  }

  #countedOf(connectionId: string): Counted {
    const known = this.#counted.get(connectionId);
    if (known !== undefined) return known;
    if (this.#counted.size >= CONNECTIONS_MAX) this.#counted.clear();
    const counted = {
      frames: new TokenBucket(FRAMES),
      uncounted: new TokenBucket(UNCOUNTED),
      isOver: false,
      isClosed: false,
    };
    this.#counted.set(connectionId, counted);
    return counted;
  }
}
