import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Match,
  type MusterClient,
  MusterProblem,
  musterClient,
  type RatingList,
} from '../../lib/client/index.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { kill, prepare, type Service, serve } from './killed-service.ts';

export interface KillsWhileRating {
  /** Matches whose result is posted, one or more. */
  readonly results: number;
  readonly perSecond: number;
  /** How often the service is killed (SIGKILL) and started again while results are posted. */
  readonly kills: number;
  /** Of the results, and of the moments of the kills. */
  readonly seed: number;
}

/** What became of the results. */
export interface AfterKills {
  /** Results that the service has accepted. */
  readonly accepted: number;
  /** Requests that were repeated because they had no response. */
  readonly repeated: number;
  /** From the first request to the last response, with the restarts. */
  readonly postedSeconds: number;
  /** From the last response until all ratings were there. */
  readonly ratedSeconds: number;
  /** Of all players: matches that their ratings lack, and that they have too many. */
  readonly lost: number;
  readonly doubled: number;
  /** Players whose ratings before and after their matches form no chain from the first to the last. */
  readonly broken: number;
}

const LADDER = 'ranked';
/** Each player's matches, so that those of one player are rated at the same time. */
const MATCHES_EACH = 4;
/** How often tickets and ratings are read while they change, and how long a request waits before it is repeated. */
const LOOK_MS = 200;
/** Ratings that do not change for so long are as they stay. */
const QUIET_MS = 60_000;
/** The maximum of tickets or players in a request. */
const PART = 50;

/**
 * Matches players in duels on `muster serve --data`, posts the results at a rate, and kills the service some times between.
 * Requests without a response are repeated, as every backend does. Looks at the end whether each result has changed the ratings
 * of its players once.
 */
export async function killWhileRating(options: KillsWhileRating): Promise<AfterKills> {
  const dir = mkdtempSync(join(tmpdir(), 'muster-rated-'));
  const args = prepare(dir, { ladder: LADDER });
  const service = new Restarted(args);
  try {
    await service.start();
    const players = await playDuels(service.muster(), options.results);
    const matchIds = [...new Set([...players.values()].flat())];
    const posted = await postResults(service, matchIds, options);
    const beginMs = performance.now();
    const matchesOf = await rated(service.muster(), players);
    const ratedSeconds = (performance.now() - beginMs) / 1_000;
    const differences = [...players].map(([id, { length }]) => (matchesOf.get(id) ?? 0) - length);
    const sum = (all: readonly number[]) => all.reduce((one, other) => one + other, 0);
    return {
      ...posted,
      ratedSeconds,
      lost: sum(differences.map((by) => Math.max(0, -by))),
      doubled: sum(differences.map((by) => Math.max(0, by))),
      broken: await brokenChains(service.muster(), players),
    };
  } finally {
    await service.end();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A service that is killed and started again. */
class Restarted {
  readonly #args: readonly string[];
  #service: Service | undefined;
  /** Resolves when the service is ready. */
  ready: Promise<void> = Promise.resolve();

  constructor(args: readonly string[]) {
    this.#args = args;
  }

  /** Of the running process. @param tries of a request. @default those of every client: a cold function may run out of time */
  muster(tries?: number): MusterClient {
    return musterClient({ url: this.#service!.url, tries });
  }

  async start(): Promise<void> {
    this.#service = await serve(this.#args);
  }

  restart(): void {
    this.ready = this.end().then(() => this.start());
  }

  async end(): Promise<void> {
    await this.ready.catch(() => {});
    if (this.#service !== undefined) await kill(this.#service);
  }
}

/** Lets players play duels, in rounds in which each has one match. Returns the matches of each. */
async function playDuels(muster: MusterClient, duels: number): Promise<Map<string, string[]>> {
  const rounds = Math.min(MATCHES_EACH, duels);
  const all = new Map<string, string[]>();
  for (let round = 0; round < rounds; round++) {
    const size = 2 * (Math.floor(duels / rounds) + (round < duels % rounds ? 1 : 0));
    const tickets = Array.from({ length: size }, (_, i) => ({
      ticketId: `t${round}.${i}`,
      players: [{ playerId: `p${i}` }],
    }));
    await inParts(tickets, async (part) => void (await muster.postBatch('duel', part)));
    await inParts(tickets, async (part) => {
      for (;;) {
        const found = await muster.getMany(part.map(({ ticketId }) => ticketId));
        if (found.every(({ status }) => status === 'COMPLETED')) {
          for (const { players, matchId } of found) {
            const { playerId } = players[0]!;
            all.set(playerId, [...(all.get(playerId) ?? []), matchId!]);
          }
          return;
        }
        await sleep(LOOK_MS);
      }
    });
  }
  return all;
}

async function postResults(
  service: Restarted,
  matchIds: readonly string[],
  { perSecond, kills, seed }: KillsWhileRating,
): Promise<Pick<AfterKills, 'accepted' | 'repeated' | 'postedSeconds'>> {
  const random = seededRandom(seed);
  const share = matchIds.length / kills;
  const killedAt = new Set(
    Array.from({ length: kills }, (_, i) => 1 + Math.floor(share * (i + 0.9 * random.uniform()))),
  );
  let [accepted, repeated] = [0, 0];
  const post = async (matchId: string, ranks: number[]): Promise<void> => {
    for (;;) {
      await service.ready;
      try {
        await service.muster(1).result(matchId, { ranks });
        break;
      } catch (error) {
        if (error instanceof MusterProblem && error.status < 500) throw error;
        repeated++;
        await sleep(LOOK_MS);
      }
    }
    accepted++;
    if (killedAt.has(accepted)) service.restart();
  };
  const beginMs = performance.now();
  const posts: Promise<void>[] = [];
  for (const [i, matchId] of matchIds.entries()) {
    await sleep(Math.max(0, beginMs + (1_000 * i) / perSecond - performance.now()));
    posts.push(post(matchId, random.uniform() < 0.5 ? [1, 2] : [2, 1]));
  }
  await Promise.all(posts);
  await service.ready;
  return { accepted, repeated, postedSeconds: (performance.now() - beginMs) / 1_000 };
}

/** The matches of each player's rating, when all have as many as they should, or nothing changes any more. */
async function rated(
  muster: MusterClient,
  players: ReadonlyMap<string, readonly string[]>,
): Promise<Map<string, number>> {
  let last = '';
  let changedMs = performance.now();
  for (;;) {
    const matchesOf = new Map<string, number>();
    await inParts([...players.keys()], async (part) => {
      const path = `/ladders/${LADDER}/players?playerIds=${part.join(',')}`;
      const { ratings } = await muster.request<RatingList>({ method: 'GET', path });
      for (const { playerId, matches } of ratings) matchesOf.set(playerId, matches);
    });
    if ([...players].every(([id, { length }]) => matchesOf.get(id) === length)) return matchesOf;
    const state = JSON.stringify([...matchesOf]);
    if (state !== last) changedMs = performance.now();
    if (performance.now() - changedMs > QUIET_MS) return matchesOf;
    last = state;
    await sleep(LOOK_MS);
  }
}

/** The number of players of whom a match begins with a rating that no other match has ended with. */
async function brokenChains(
  muster: MusterClient,
  players: ReadonlyMap<string, readonly string[]>,
): Promise<number> {
  const matches = new Map<string, Match>();
  await inParts([...new Set([...players.values()].flat())], async (part) => {
    for (const match of await Promise.all(part.map((id) => muster.match(id))))
      matches.set(match.matchId, match);
  });
  const isBroken = ([playerId, matchIds]: [string, readonly string[]]) => {
    const steps = matchIds.map((id) => matches.get(id)!.ratings?.find((one) => one.playerId === playerId));
    const ends = new Set(steps.map((step) => step?.after.mean));
    // The first match begins with the rating of a new player.
    return steps.filter((step) => step === undefined || !ends.has(step.before.mean)).length !== 1;
  };
  return [...players].filter(isBroken).length;
}

async function inParts<T>(all: readonly T[], send: (part: T[]) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += PART) await send(all.slice(from, from + PART));
}
