import { beforeEach, describe, expect, it } from 'vitest';
import { Lobby, type LobbyMessage } from '../examples/lobby/lobby.ts';
import type { MusterClient, NewTicket, WebhookEvent } from '../lib/client/index.ts';
import { definition } from './service/definitions.ts';

/** What the lobby has sent to Muster. */
let posted: NewTicket[];
let answers: unknown[];
let cancelled: string[];
let lobby: Lobby;
const muster = {
  post: async (_: string, ticket: NewTicket) => void posted.push(ticket),
  accept: async (ticketId: string, matchId: string, { accepted = true } = {}) =>
    void answers.push([ticketId, matchId, accepted]),
  cancel: async (ticketId: string) => void cancelled.push(ticketId),
  queues: { stats: async () => ({ recentMatches: { waitSecondsP50: 7.2 } }), put: async () => {} },
} as unknown as MusterClient;

beforeEach(() => {
  [posted, answers, cancelled] = [[], [], []];
  lobby = new Lobby(muster, definition({ name: 'lobby' }));
});

/** A player who has pressed the button. */
async function looking(name: string) {
  const told: LobbyMessage[] = [];
  const playerId = lobby.enter({ send: (message) => told.push(message) });
  const say = (message: unknown) => lobby.received(playerId, message);
  await say({ do: 'find', name, skill: 1_500 });
  const { ticketId } = posted.at(-1)!;
  return { playerId, ticketId, told, say };
}
type Looking = Awaited<ReturnType<typeof looking>>;

const at = (second: number) => new Date(second * 1_000).toISOString();
/** Tells the lobby of a match, or of a ticket, at a second. */
const match = (second: number, status: string, matchId: string, ...players: Looking[]) =>
  lobby.heard({
    type: status === 'COMPLETED' ? 'MatchAccepted' : 'MatchFound',
    data: {
      time: at(second),
      match: {
        matchId,
        status,
        teams: players.map(({ playerId, ticketId }) => ({ players: [{ playerId, ticketId }] })),
        acceptance: { deadline: at(99), accepted: [] },
      },
    },
  } as unknown as WebhookEvent);
const ticket = (second: number, status: string, { playerId, ticketId }: Looking, reason?: string) =>
  lobby.heard({
    type: 'TicketQueued',
    data: { time: at(second), ticket: { ticketId, status, reason, players: [{ playerId, skill: 1 }] } },
  } as unknown as WebhookEvent);

describe('the lobby of the example', () => {
  it('tells players how long to expect, asks them to accept, and shows their teams by name', async () => {
    const [ann, bob] = [await looking('ann'), await looking('<b>bob</b>')];
    expect(ann.told).toEqual([{ at: 'waiting', expectedSeconds: 8 }]);
    match(1, 'REQUIRES_ACCEPTANCE', 'm-1', ann, bob);
    expect(ann.told.at(-1)).toEqual({ at: 'found', deadline: at(99) });
    await ann.say({ do: 'answer', accepted: true });
    expect(answers).toEqual([[ann.ticketId, 'm-1', true]]);
    match(2, 'COMPLETED', 'm-1', ann, bob);
    for (const { told } of [ann, bob])
      expect(told.at(-1)).toEqual({ at: 'playing', teams: [['ann'], ['<b>bob</b>']] });
  });

  it('lets a player wait again after another has declined, and ignores events that arrive late', async () => {
    const [ann, bob, cy] = [await looking('ann'), await looking('bob'), await looking('cy')];
    match(1, 'REQUIRES_ACCEPTANCE', 'm-1', ann, bob);
    await bob.say({ do: 'answer', accepted: false });
    expect(answers).toEqual([[bob.ticketId, 'm-1', false]]);
    ticket(2, 'CANCELLED', bob, 'declined');
    expect(bob.told.at(-1)).toEqual({ at: 'home', why: 'declined' });
    match(3, 'REQUIRES_ACCEPTANCE', 'm-2', ann, cy);
    // The event of the second before arrives only now.
    ticket(2, 'QUEUED', ann);
    await ann.say({ do: 'answer', accepted: true });
    expect(answers.at(-1)).toEqual([ann.ticketId, 'm-2', true]);
    ticket(4, 'QUEUED', ann);
    expect(ann.told.at(-1)).toEqual({ at: 'waiting' });
  });

  it('withdraws a player who leaves: from the queue, or from a match', async () => {
    const [ann, bob] = [await looking('ann'), await looking('bob')];
    await lobby.left(ann.playerId);
    expect(cancelled).toEqual([ann.ticketId]);
    match(1, 'REQUIRES_ACCEPTANCE', 'm-1', bob);
    await bob.say({ do: 'leave' });
    expect(answers).toEqual([[bob.ticketId, 'm-1', false]]);
    expect(bob.told.at(-1)).toEqual({ at: 'home' });
  });

  it.each([
    null,
    'find',
    [],
    { do: 'find' },
    { do: 'find', name: 1, skill: 1 },
    { do: 'answer' },
    { do: 'x' },
  ])('ignores the message %j', async (message) => {
    const ann = await looking('ann');
    const before = [...ann.told];
    await ann.say(message);
    expect([ann.told, posted.length, answers, cancelled]).toEqual([before, 1, [], []]);
  });
});
