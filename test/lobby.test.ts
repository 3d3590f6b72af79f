import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Lobby, type LobbyMessage } from '../examples/lobby/lobby.ts';
import type { Change, Match, MusterClient, NewTicket, Ticket } from '../lib/client/index.ts';
import { eventually } from './patience.ts';
import { definition } from './service/definitions.ts';

/** What the lobby has sent to Muster. */
let posted: NewTicket[];
let answers: unknown[];
let cancelled: string[];
let watched: Map<string, WatchedTicket>;
let lobby: Lobby;
/** Called when a ticket has been posted, before the response. */
let beforeResponse: () => void;
const muster = {
  post: async (_: string, ticket: NewTicket) => {
    posted.push(ticket);
    beforeResponse();
    return ticket;
  },
  watch: ({ ticketId }: Ticket, { signal }: { signal: AbortSignal }) => {
    const ticket = watchedTicket(signal);
    watched.set(ticketId, ticket);
    return ticket.changes();
  },
  match: async (matchId: string) => matches.get(matchId),
  accept: async (ticketId: string, matchId: string, { accepted = true } = {}) =>
    void answers.push([ticketId, matchId, accepted]),
  cancel: async (ticketId: string) => void cancelled.push(ticketId),
  queues: { stats: async () => ({ recentMatches: { waitSecondsP50: 7.2 } }), put: async () => {} },
} as unknown as MusterClient;
const matches = new Map<string, Match>();

beforeEach(() => {
  [posted, answers, cancelled, watched] = [[], [], [], new Map()];
  beforeResponse = () => {};
  lobby = new Lobby(muster, definition({ name: 'lobby' }));
});
afterEach(() => lobby.close());

/** A ticket of which the lobby learns what a test says. */
type WatchedTicket = ReturnType<typeof watchedTicket>;
function watchedTicket(signal: AbortSignal) {
  const given: { readonly change: Change; readonly taken: () => void }[] = [];
  let wake = () => {};
  signal.addEventListener('abort', () => wake());
  return {
    /** Resolves when the lobby has done what follows from the change. */
    give: (change: Change) =>
      new Promise<void>((taken) => {
        given.push({ change, taken });
        wake();
      }),
    async *changes() {
      for (;;) {
        signal.throwIfAborted();
        const next = given.shift();
        if (next === undefined)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        else {
          try {
            yield next.change;
          } finally {
            next.taken();
          }
        }
      }
    },
  };
}

/** A player who has pressed the button. */
async function looking(name: string) {
  const told: LobbyMessage[] = [];
  const playerId = lobby.enter({ send: (message) => told.push(message) });
  const say = (message: unknown) => lobby.received(playerId, message);
  const searched = say({ do: 'find', name, skill: 1_500 });
  await eventually(() => expect([...watched.keys()].some((id) => id.startsWith(playerId))).toBe(true));
  const { ticketId } = posted.find(({ players }) => players[0]!.playerId === playerId)!;
  return { playerId, ticketId: ticketId!, told, say, searched };
}
type Looking = Awaited<ReturnType<typeof looking>>;

const DEADLINE = '2026-01-01T00:00:00.000Z';
/** Tells the lobby of a match, by each of its tickets. */
const match = async (status: Ticket['status'], matchId: string, ...players: Looking[]) => {
  const match = {
    matchId,
    teams: players.map(({ playerId, ticketId }) => ({ players: [{ playerId, ticketId }] })),
  } as unknown as Match;
  matches.set(matchId, match);
  for (const one of players) await ticket(status, one, { matchId, match });
};
/** Tells the lobby how a ticket is. */
const ticket = (
  status: Ticket['status'],
  { ticketId }: Looking,
  more: { matchId?: string; match?: Match; reason?: string } = {},
) => {
  const { match, ...ofTicket } = more;
  // Players see the acceptance of their ticket, and none of the match.
  const asked = status === 'REQUIRES_ACCEPTANCE' && { acceptance: { deadline: DEADLINE } };
  const of = { ticketId, status, ...asked, ...ofTicket };
  const change = { type: 'Ticket', ticket: of, match } as unknown as Change;
  return watched.get(ticketId)!.give(change);
};

describe('the lobby of the example', () => {
  it('tells players how long to expect, asks them to accept, and shows their teams by name', async () => {
    const [ann, bob] = [await looking('ann'), await looking('<b>bob</b>')];
    await ticket('QUEUED', ann);
    expect(ann.told).toEqual([{ at: 'waiting', expectedSeconds: 8 }]);
    await match('REQUIRES_ACCEPTANCE', 'm-1', ann, bob);
    expect(ann.told.at(-1)).toEqual({ at: 'found', deadline: DEADLINE });
    await ann.say({ do: 'answer', accepted: true });
    expect(answers).toEqual([[ann.ticketId, 'm-1', true]]);
    // Another player is ready.
    await ticket('REQUIRES_ACCEPTANCE', ann, { matchId: 'm-1' });
    expect(ann.told.map(({ at }) => at)).toEqual(['waiting', 'found']);
    await match('COMPLETED', 'm-1', ann, bob);
    await Promise.all([ann.searched, bob.searched]);
    for (const { told } of [ann, bob])
      expect(told.at(-1)).toEqual({ at: 'playing', teams: [['ann'], ['<b>bob</b>']] });
  });

  it('reads the match of a change that comes without it, as those of long polls do', async () => {
    const [ann, bob] = [await looking('ann'), await looking('bob')];
    await match('REQUIRES_ACCEPTANCE', 'm-1', bob, ann);
    await ticket('COMPLETED', ann, { matchId: 'm-1' });
    expect(ann.told.at(-1)).toEqual({ at: 'playing', teams: [['bob'], ['ann']] });
  });

  it('lets a player wait again after another has declined', async () => {
    const [ann, bob, cy] = [await looking('ann'), await looking('bob'), await looking('cy')];
    await match('REQUIRES_ACCEPTANCE', 'm-1', ann, bob);
    await bob.say({ do: 'answer', accepted: false });
    expect(answers).toEqual([[bob.ticketId, 'm-1', false]]);
    await ticket('CANCELLED', bob, { reason: 'declined' });
    await bob.searched;
    expect(bob.told.at(-1)).toEqual({ at: 'home', why: 'declined' });
    await ticket('QUEUED', ann);
    expect(ann.told.at(-1)).toEqual({ at: 'waiting' });
    await match('REQUIRES_ACCEPTANCE', 'm-2', ann, cy);
    await ann.say({ do: 'answer', accepted: true });
    expect(answers.at(-1)).toEqual([ann.ticketId, 'm-2', true]);
  });

  it('withdraws a player who leaves: from the queue, or from a match', async () => {
    const [ann, bob] = [await looking('ann'), await looking('bob')];
    await lobby.left(ann.playerId);
    expect(cancelled).toEqual([ann.ticketId]);
    await match('REQUIRES_ACCEPTANCE', 'm-1', bob);
    await bob.say({ do: 'leave' });
    expect(answers).toEqual([[bob.ticketId, 'm-1', false]]);
    expect(bob.told.at(-1)).toEqual({ at: 'home' });
    await ticket('CANCELLED', bob, { reason: 'declined' });
    await bob.searched;
    expect(bob.told.at(-1)).toEqual({ at: 'home' });
  });

  it('declines the match of a player who has left while it was made, so that the others do not wait', async () => {
    const [ann, bob] = [await looking('ann'), await looking('bob')];
    // The request to cancel comes too late.
    await lobby.left(ann.playerId);
    await match('REQUIRES_ACCEPTANCE', 'm-1', ann, bob);
    await ann.searched;
    expect(answers).toEqual([[ann.ticketId, 'm-1', false]]);
  });

  it('cancels the ticket of a player who leaves while it is posted', async () => {
    const told: LobbyMessage[] = [];
    const playerId = lobby.enter({ send: (message) => told.push(message) });
    beforeResponse = () => {
      void lobby.left(playerId);
      // The ticket is not known yet, so this request finds none.
      cancelled.splice(0);
    };
    await lobby.received(playerId, { do: 'find', name: 'ann', skill: 1 });
    expect(cancelled).toEqual([posted[0]!.ticketId]);
    expect(watched.size).toBe(0);
  });

  it('ends the search of a player whom the matchmaker refuses, who can look again', async () => {
    const playerId = lobby.enter({ send: () => {} });
    beforeResponse = () => {
      throw new Error('refused');
    };
    for (const tries of [1, 2]) {
      await expect(lobby.received(playerId, { do: 'find', name: 'ann', skill: 1 })).rejects.toThrow(
        'refused',
      );
      expect(posted).toHaveLength(tries);
    }
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
