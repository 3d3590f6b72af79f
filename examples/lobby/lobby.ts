import { randomUUID } from 'node:crypto';
import {
  type MusterClient,
  MusterProblem,
  type QueueDefinition,
  type Ticket,
  type WebhookEvent,
} from 'muster/client';

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

interface Player {
  readonly seat: Seat;
  name: string;
  ticketId: string | undefined;
  matchId: string | undefined;
  /** The time of the latest event about the ticket, ISO 8601. An older one is out of date. */
  heardAt: string;
}

const NAME_MAX = 20;
const SKILL_MAX = 5_000;

/**
 * A lobby: players look for a match, accept it, and see their teams. It posts a ticket for each player, and learns from webhooks
 * what becomes of it. The names of the players stay here: Muster knows their ids.
 */
export class Lobby {
  readonly #muster: MusterClient;
  readonly #queue: QueueDefinition;
  /** By playerId, which is the same as that of the ticket's only player. */
  readonly #players = new Map<string, Player>();

  constructor(muster: MusterClient, queue: QueueDefinition) {
    this.#muster = muster;
    this.#queue = queue;
  }

  /** Creates the queue, or changes it to the definition. */
  async open(): Promise<void> {
    await this.#muster.queues.put(this.#queue);
  }

  /** A player has connected. Returns their id. */
  enter(seat: Seat): string {
    const playerId = randomUUID();
    this.#players.set(playerId, {
      seat,
      name: 'Nobody',
      ticketId: undefined,
      matchId: undefined,
      heardAt: '',
    });
    return playerId;
  }

  /** A player has disconnected: the others do not wait. */
  async left(playerId: string): Promise<void> {
    const player = this.#players.get(playerId);
    this.#players.delete(playerId);
    if (player?.ticketId !== undefined) await this.#withdraw(player);
  }

  /** A message of a player's page, which may be anything. */
  async received(playerId: string, message: unknown): Promise<void> {
    const player = this.#players.get(playerId);
    if (player === undefined || !isPlayerMessage(message)) return;
    switch (message.do) {
      case 'find':
        return this.#find(playerId, player, message);
      case 'answer':
        return this.#answer(player, message.accepted);
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
    if (player.ticketId !== undefined) return;
    player.name = name.trim().slice(0, NAME_MAX) || 'Nobody';
    player.matchId = undefined;
    player.heardAt = '';
    // Set before the request, because a webhook may be faster than the response.
    const ticketId = `${playerId}.${randomUUID()}`;
    player.ticketId = ticketId;
    const { recentMatches } = await this.#muster.queues.stats(this.#queue.name);
    const { waitSecondsP50 } = recentMatches;
    player.seat.send({
      at: 'waiting',
      ...(waitSecondsP50 !== null && { expectedSeconds: Math.ceil(waitSecondsP50) }),
    });
    await this.#muster.post(this.#queue.name, {
      ticketId,
      players: [{ playerId, skill: Math.max(0, Math.min(SKILL_MAX, skill)) }],
    });
  }

  async #answer({ ticketId, matchId }: Player, accepted: boolean): Promise<void> {
    if (ticketId === undefined || matchId === undefined) return;
    await unlessTooLate(this.#muster.accept(ticketId, matchId, { accepted }));
  }

  /** Cancels a player's ticket, or declines its match. */
  async #withdraw(player: Player): Promise<void> {
    const { ticketId, matchId } = player;
    player.ticketId = undefined;
    if (ticketId === undefined) return;
    if (matchId === undefined) await unlessTooLate(this.#muster.cancel(ticketId));
    else await unlessTooLate(this.#muster.accept(ticketId, matchId, { accepted: false }));
  }

  /** An event of Muster, verified. Events may arrive twice and in any order. */
  heard(event: WebhookEvent): void {
    const { time } = event.data;
    if ('ticket' in event.data) this.#heardOfTicket(event.data.ticket, time);
    else {
      const { match } = event.data;
      for (const { playerId, ticketId } of match.teams.flatMap(({ players }) => players)) {
        const player = this.#players.get(playerId);
        if (player === undefined || player.ticketId !== ticketId || time < player.heardAt) continue;
        player.heardAt = time;
        if (match.status === 'REQUIRES_ACCEPTANCE') {
          player.matchId = match.matchId;
          player.seat.send({ at: 'found', deadline: match.acceptance!.deadline });
        } else if (match.status === 'COMPLETED') {
          player.ticketId = undefined;
          player.seat.send({
            at: 'playing',
            teams: match.teams.map(({ players }) => players.map((one) => this.#nameOf(one.playerId))),
          });
        }
      }
    }
  }

  #heardOfTicket({ ticketId, status, reason, players }: Ticket, time: string): void {
    const player = this.#players.get(players[0]!.playerId);
    if (player?.ticketId !== ticketId || time < player.heardAt) return;
    player.heardAt = time;
    if (status === 'QUEUED') {
      // Another party has declined, and the ticket waits again.
      if (player.matchId !== undefined) player.seat.send({ at: 'waiting' });
      player.matchId = undefined;
      return;
    }
    player.ticketId = undefined;
    player.seat.send({ at: 'home', ...(reason !== undefined && { why: reason }) });
  }

  #nameOf(playerId: string): string {
    return this.#players.get(playerId)?.name ?? 'somebody who has left';
  }
}

/** Waits for a request that is rejected when the ticket has moved on; then its webhook says so. */
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
