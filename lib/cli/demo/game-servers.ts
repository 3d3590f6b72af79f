import { setTimeout as sleep } from 'node:timers/promises';
import type { MatchView } from '../../contract/match.ts';
import type { RandomSource } from '../../simulation/random.ts';
import type { ServiceClient } from '../client.ts';

/** The game servers of one queue, as its backend sees them. */
export interface ServersSeen {
  /** Matches whose server starts at this moment. */
  starting: number;
  /** The server of each placed match, by `matchId`, the earliest first. */
  readonly placed: Map<string, Server>;
}

export interface Server {
  readonly address: string;
  readonly port: number;
  /** From the match until its server was known, in milliseconds. */
  readonly tookMs: number;
}

/** A server needs this long to start, and on average as long again. */
const START_MS = 600;
/** An address for documentation (RFC 5737), which no machine has. */
const ADDRESS = '203.0.113.7';
const PORT_FIRST = 30_000;
const PORTS = 2_000;

/** Starts a server for a match after a moment, and tells the service where it is. Stops when the signal aborts. */
export async function startServer(
  client: Pick<ServiceClient, 'assign'>,
  { matchId, createdAt }: Pick<MatchView, 'matchId' | 'createdAt'>,
  seen: ServersSeen,
  random: RandomSource,
  signal: AbortSignal,
): Promise<void> {
  const server = { address: ADDRESS, port: PORT_FIRST + Math.floor(PORTS * random.uniform()) };
  seen.starting++;
  try {
    await sleep(START_MS + START_MS * random.exponential(1), undefined, { signal });
    await client.assign(matchId, server);
    seen.placed.set(matchId, { ...server, tookMs: Math.max(0, Date.now() - Date.parse(createdAt)) });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    seen.starting--;
  }
}
