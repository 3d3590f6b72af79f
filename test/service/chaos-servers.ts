import type { BackfillStatus, NewBackfill } from '../../lib/contract/backfill.ts';
import {
  type BackfillDeps,
  cancelBackfill,
  getBackfill,
  requestBackfill,
} from '../../lib/service/backfills/request-backfill.ts';
import type { StoredBackfill } from '../../lib/service/domain/stored-backfill.ts';
import type { StoredMatch } from '../../lib/service/domain/stored-match.ts';
import { type EndDeps, endMatch } from '../../lib/service/placement/end-match.ts';
import type { Interleaving } from './interleaving.ts';
import type { VirtualCloud } from './virtual-cloud.ts';

/** A request that a server has sent, perhaps several times. */
interface Asked {
  readonly matchId: string;
  /** The roster that the server knew. */
  readonly roster: number;
  readonly body: NewBackfill;
}

/**
 * The servers of the matches of a chaos run. Players leave; a server asks for others, repeats and cancels its requests, asks
 * again when more players leave, and ends its match. It knows the rosters that a read of the match has told it, so it may be
 * behind.
 */
export class ChaosServers {
  readonly #cloud: VirtualCloud;
  readonly #all: Interleaving;
  readonly #deps: () => BackfillDeps & EndDeps;
  readonly #invite: (skill: number) => void;
  /** What each server knows of its match. */
  readonly #known = new Map<string, StoredMatch>();
  readonly #asked = new Map<string, Asked>();

  /**
   * @param deps those of a function instance
   * @param invite lets a solo player of this skill post a ticket
   */
  constructor(
    cloud: VirtualCloud,
    all: Interleaving,
    deps: () => BackfillDeps & EndDeps,
    invite: (skill: number) => void,
  ) {
    this.#cloud = cloud;
    this.#all = all;
    this.#deps = deps;
    this.#invite = invite;
  }

  /** The number of requests. */
  get asked(): number {
    return this.#asked.size;
  }

  /** Lets one server do one thing. */
  act(): void {
    const made = this.#cloud.changes.flatMap(({ table, after }) =>
      table === 'matches' && after.status === 'COMPLETED' ? [after.matchId!] : [],
    );
    if (made.length === 0) return;
    // Servers of the same few matches act often, so that their requests meet.
    const matchId = this.#pick([...new Set(made)].slice(-4));
    const known = this.#known.get(matchId);
    const asked = [...this.#asked.values()].filter((one) => one.matchId === matchId);
    if (known === undefined || this.#all.chance(0.3)) this.#read(matchId);
    else if (this.#all.chance(0.03)) this.#end(matchId);
    // A server that replaced its request all the time would get no players.
    else if (!asked.some(({ roster }) => roster === (known.roster ?? 1))) this.#ask(known);
    else this.#goOn(known, asked);
  }

  /** What a server does that has asked for the next roster: mostly it waits, or no player would ever come. */
  #goOn(known: StoredMatch, asked: readonly Asked[]): void {
    const draw = this.#all.random.integer(10);
    if (draw === 0) this.#ask(known);
    else if (draw === 1) this.#cancel(this.#pick(asked).body.backfillId);
    else if (draw <= 3) this.#request(this.#pick(asked));
    else this.#read(known.matchId);
  }

  /** Without faults: this many matches of a queue, as far as there are, ask for one player of the mean skill of those who are there. */
  async askForOne(matches: number, queue: string): Promise<{ backfillId: string; skill: number }[]> {
    const asked: { backfillId: string; skill: number }[] = [];
    for (const matchId of this.#known.keys()) {
      const match = await this.#cloud.deps.matches.get(matchId);
      const isRunning = match?.queue === queue && match.status === 'COMPLETED' && match.endedAt === undefined;
      const there = isRunning ? playersOf(match, 50).slice(1) : [];
      if (match === undefined || there.length === 0 || asked.length === matches) continue;
      const one = this.#newRequest(match, there);
      const { players } = one.body;
      if (players.length !== playersIn(match) - 1) continue;
      await requestBackfill(this.#cloud.deps, matchId, one.body, this.#cloud.nowMs);
      const skill = players.reduce((sum, player) => sum + (player.skill ?? 0), 0) / players.length;
      asked.push({ backfillId: one.body.backfillId, skill });
    }
    return asked;
  }

  async statusOf(backfillId: string): Promise<BackfillStatus> {
    return (await getBackfill(this.#cloud.deps, backfillId, this.#cloud.nowMs)).status;
  }

  /** Every request has ended, and each that was filled made the roster after the one that its server knew. */
  async violations(): Promise<string[]> {
    const { deps, nowMs } = this.#cloud;
    const found: string[] = [];
    const makers = new Map<string, string>();
    for (const [backfillId, { matchId, roster }] of this.#asked) {
      const backfill: StoredBackfill | undefined = await deps.backfills.get(backfillId);
      if (backfill === undefined) continue;
      const now = await getBackfill(deps, backfillId, nowMs);
      if (now.status === 'QUEUED') found.push(`backfill ${backfillId} is still QUEUED`);
      if (now.status !== 'COMPLETED') continue;
      if (now.roster !== roster + 1)
        found.push(`backfill ${backfillId} made roster ${now.roster}, and its server knew roster ${roster}`);
      const made = `roster ${now.roster} of ${matchId}`;
      if (makers.has(made)) found.push(`${made} was made by backfills ${makers.get(made)} and ${backfillId}`);
      makers.set(made, backfillId);
    }
    for (const matchId of this.#known.keys()) {
      const { roster = 1 } = (await deps.matches.get(matchId)) ?? {};
      for (let made = 2; made <= roster; made++)
        if (!makers.has(`roster ${made} of ${matchId}`))
          found.push(`roster ${made} of ${matchId} was made by no backfill`);
    }
    return found;
  }

  /** A server reads its match. The response may be the older of two. */
  #read(matchId: string): void {
    this.#all.begin(
      `server reads ${matchId}`,
      () => this.#deps().matches.get(matchId),
      (match) => match && this.#known.set(matchId, match),
    );
  }

  #end(matchId: string): void {
    this.#all.begin(`end ${matchId}`, () => endMatch(this.#deps(), matchId, {}, this.#cloud.nowMs));
  }

  #cancel(backfillId: string): void {
    this.#all.begin(`cancel backfill ${backfillId}`, () =>
      cancelBackfill(this.#deps(), backfillId, this.#cloud.nowMs),
    );
  }

  /** Some of the players have left. */
  #ask(match: StoredMatch): void {
    const skill = this.#all.random.integer(100);
    const people = playersOf(match, skill);
    const left = this.#all.chance(0.7) ? 1 : 2;
    for (let i = 0; i < left && people.length > 1; i++)
      people.splice(this.#all.random.integer(people.length), 1);
    if (people.length === 0) return;
    this.#request(this.#newRequest(match, people));
    // So that ticks find players for the seats.
    if (this.#all.chance(0.7)) this.#invite(skill);
  }

  #newRequest({ matchId, roster = 1, newTicketIds = [], teams }: StoredMatch, there: Present[]): Asked {
    const isNew = (player: Present) =>
      teams.some(({ players }) =>
        players.some(
          ({ playerId, ticketId = '' }) => playerId === player.playerId && newTicketIds.includes(ticketId),
        ),
      );
    // A server need not say which roster it knows when its request shows it.
    const isClear = roster === 1 || there.some(isNew);
    const body: NewBackfill = {
      backfillId: `b-${matchId.replaceAll(':', '-')}-${this.#asked.size}`,
      players: there,
      ...(!(isClear && this.#all.chance(0.5)) && { roster }),
    };
    const asked = { matchId, roster, body };
    this.#asked.set(body.backfillId, asked);
    return asked;
  }

  #request({ matchId, body }: Asked): void {
    this.#all.begin(`backfill ${body.backfillId}`, () =>
      requestBackfill(this.#deps(), matchId, body, this.#cloud.nowMs),
    );
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#all.random.integer(from.length)]!;
  }
}

type Present = NewBackfill['players'][number];

/** The players of a match, without bots, as its server names them. */
function playersOf({ teams, ladder }: StoredMatch, skill: number): Present[] {
  return teams.flatMap(({ players }, team) =>
    players.flatMap(({ playerId, bot }) =>
      // A ladder has the skill of its players.
      bot ? [] : [{ playerId, ...(ladder === undefined && { skill }), team }],
    ),
  );
}

function playersIn({ teams }: StoredMatch): number {
  return teams.reduce((sum, { players }) => sum + players.length, 0);
}
