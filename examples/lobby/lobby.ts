import { randomUUID } from 'node:crypto';
import { type Change, type MusterClient, MusterProblem, type QueueDefinition } from 'muster/client';

/** What a player's page sends. */
export type PlayerMessage =
  | { readonly do: 'find'; readonly name: string; readonly skill: number }
  | { readonly do: 'answer'; readonly accepted: boolean }
  | { readonly do: 'leave' };

/** What the lobby sends to a player's page. */
export type LobbyMessage =
  /** `expectedSeconds`: how long players have waited lately; absent when it is unknown. */
  | { readonly at: 'waiting'; readonly expectedSeconds?: number }
  | { readonly at: 'found'; readonly deadline: string }
  | { readonly at: 'playing'; readonly teams: readonly (readonly string[])[] }
  | { readonly at: 'home'; readonly why?: string };

/** A player who is connected. */
export interface Seat {
  send(message: LobbyMessage): void;
}

/** A player's wish for a match, from the button to the match or the end of its ticket. */
interface Search {
  readonly ticketId: string;
  /** The match that the player has to accept. */
  matchId: string | undefined;
}

interface Player {
  readonly seat: Seat;
  name: string;
  search: Search | undefined;
}

const NAME_MAX = 20;
const SKILL_MAX = 5_000;

/**
 * A lobby: players look for a match, accept it, and see their teams. It posts a ticket for each player and watches it. The names
 * of the players stay here: Muster knows their ids.
 */
export class Lobby {
  readonly #muster: MusterClient;
  readonly #queue: QueueDefinition;
  /** By playerId, which is the same as that of the ticket's only player. */
  readonly #players = new Map<string, Player>();
  readonly #closing = new AbortController();

  constructor(muster: MusterClient, queue: QueueDefinition) {
    this.#muster = muster;
    this.#queue = queue;
  }

  /** Creates the queue, or changes it to the definition. */
  async open(): Promise<void> {
    await this.#muster.queues.put(this.#queue);
  }

  /** Stops watching the tickets of its players. */
  close(): void {
    this.#closing.abort();
  }

  /** A player has connected. Returns their id. */
  enter(seat: Seat): string {
    const playerId = randomUUID();
    this.#players.set(playerId, { seat, name: 'Nobody', search: undefined });
    return playerId;
  }

  /** A player has disconnected: the others do not wait. */
  async left(playerId: string): Promise<void> {
    const player = this.#players.get(playerId);
    this.#players.delete(playerId);
    if (player !== undefined) await this.#withdraw(player);
  }

  /** A message of a player's page, which may be anything. Of a player who looks for a match it ends with the search. */
  async received(playerId: string, message: unknown): Promise<void> {
    const player = this.#players.get(playerId);
    if (player === undefined || !isPlayerMessage(message)) return;
    switch (message.do) {
      case 'find':
        return this.#find(playerId, player, message);
      case 'answer':
        return this.#answer(player.search, message.accepted);
      case 'leave':
        await this.#withdraw(player);
        player.seat.send({ at: 'home' });
    }
  }

  async #find(
    playerId: string,
    player: Player,
    { name, skill }: PlayerMessage & { do: 'find' },
  ): Promise<void> {
    if (player.search !== undefined) return;
    player.name = name.trim().slice(0, NAME_MAX) || 'Nobody';
    const search: Search = { ticketId: `${playerId}.${randomUUID()}`, matchId: undefined };
    player.search = search;
    try {
      const { recentMatches } = await this.#muster.queues.stats(this.#queue.name);
      const { waitSecondsP50 } = recentMatches;
      player.seat.send({
        at: 'waiting',
        ...(waitSecondsP50 !== null && { expectedSeconds: Math.ceil(waitSecondsP50) }),
      });
      const ticket = await this.#muster.post(this.#queue.name, {
        ticketId: search.ticketId,
        players: [{ playerId, skill: Math.max(0, Math.min(SKILL_MAX, skill)) }],
      });
      // A player who has left since could not cancel a ticket that was not posted.
      if (player.search !== search) return await unlessTooLate(this.#muster.cancel(search.ticketId));
      const { signal } = this.#closing;
      for await (const change of this.#muster.watch(ticket, { signal })) {
        const { status, matchId } = change.ticket;
        if (player.search === search) await this.#show(player, search, change);
        // The player left while the match was made, so the request to cancel came too late.
        else if (status === 'REQUIRES_ACCEPTANCE') await this.#answer({ ...search, matchId }, false);
        if (player.search !== search) return;
      }
    } catch (error) {
      if (!this.#closing.signal.aborted) throw error;
    } finally {
      if (player.search === search) player.search = undefined;
    }
  }

  /** Tells a player what has become of the ticket. */
  async #show(player: Player, search: Search, { ticket, match }: Change): Promise<void> {
    const { status, matchId, acceptance, reason } = ticket;
    switch (status) {
      case 'QUEUED':
        // Another party has declined, and the ticket waits again.
        if (search.matchId !== undefined) player.seat.send({ at: 'waiting' });
        search.matchId = undefined;
        return;
      case 'REQUIRES_ACCEPTANCE':
        // It comes again whenever another player is ready.
        if (search.matchId !== matchId) player.seat.send({ at: 'found', deadline: acceptance!.deadline });
        search.matchId = matchId;
        return;
      case 'COMPLETED': {
        // A change that was found by a long poll comes without its match.
        const { teams } = match ?? (await this.#muster.match(matchId!));
        player.search = undefined;
        player.seat.send({
          at: 'playing',
          teams: teams.map(({ players }) => players.map((one) => this.#nameOf(one.playerId))),
        });
        return;
      }
      default:
        player.search = undefined;
        player.seat.send({ at: 'home', ...(reason !== undefined && { why: reason }) });
    }
  }

  async #answer(search: Search | undefined, accepted: boolean): Promise<void> {
    if (search?.matchId === undefined) return;
    await unlessTooLate(this.#muster.accept(search.ticketId, search.matchId, { accepted }));
  }

  /** Cancels a player's ticket, or declines its match. */
  async #withdraw(player: Player): Promise<void> {
    const { search } = player;
    player.search = undefined;
    if (search === undefined) return;
    if (search.matchId === undefined) await unlessTooLate(this.#muster.cancel(search.ticketId));
    else await this.#answer(search, false);
  }

  #nameOf(playerId: string): string {
    return this.#players.get(playerId)?.name ?? 'somebody who has left';
  }
}

/** Waits for a request that is rejected when the ticket has moved on; then its next change says so. */
async function unlessTooLate(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!(error instanceof MusterProblem && [404, 409].includes(error.status))) throw error;
  }
}

function isPlayerMessage(value: unknown): value is PlayerMessage {
  const message = value as Partial<Record<string, unknown>> | null;
  if (typeof message !== 'object' || message === null) return false;
  switch (message.do) {
    case 'find':
      return typeof message.name === 'string' && Number.isFinite(message.skill);
    case 'answer':
      return typeof message.accepted === 'boolean';
    default:
      return message.do === 'leave';
  }
}
