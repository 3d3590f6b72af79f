import { describe, expect, it } from 'vitest';
import type { MatchView } from '../../lib/contract/match.ts';
import type { TicketView } from '../../lib/contract/ticket.ts';
import { player, testMuster } from './muster.ts';
import { SECRET_NAME } from './receiver.ts';

const { api, receiver, cloud } = await testMuster();

/** The players of each team of a match, by ticket. */
function ticketsOfTeams({ teams }: MatchView): string[][] {
  return teams.map(({ players }) => players.map(({ ticketId }) => ticketId!));
}

/** The COMPLETED match that contains all of these tickets. */
async function theirMatch(tickets: readonly TicketView[]): Promise<MatchView> {
  const ended = await Promise.all(tickets.map(({ ticketId }) => api.until(ticketId, 'COMPLETED')));
  const matchIds = new Set(ended.map(({ matchId }) => matchId));
  expect(matchIds.size).toBe(1);
  const { status, body } = await api.get(`/matches/${[...matchIds][0]}`);
  expect(status).toBe(200);
  expect(body.status).toBe('COMPLETED');
  return body;
}

describe.concurrent('the service', () => {
  it('matches two players 1v1 and returns the proof of the match', async () => {
    const queue = await api.queue();
    const tickets = [await api.ticket(queue, 1000), await api.ticket(queue, 1040)];
    const match = await theirMatch(tickets);
    expect(match.queue).toBe(queue);
    expect(ticketsOfTeams(match).flat().sort()).toEqual(tickets.map(({ ticketId }) => ticketId).sort());
    expect(match.teams.map(({ players }) => players.length)).toEqual([1, 1]);
    expect(match.teamGap).toBe(40);
    expect(match.imbalance).toBeCloseTo(match.teamGap + match.skillSpread, 9);
    expect(match.lowerBound).toBeLessThanOrEqual(match.priority);
    expect(Date.parse(match.createdAt)).toBeGreaterThanOrEqual(Date.parse(tickets[1]!.enqueuedAt));
  });

  it('matches one against four by the sides that players choose, and divides a party with `split`', async () => {
    const queue = await api.queue({
      teamSize: undefined,
      teams: [
        { name: 'killer', size: 1 },
        { name: 'survivors', size: 4 },
      ],
    });
    const killer = await api.ticket(queue, [{ ...player(1500), teams: ['killer'] }]);
    const others = await Promise.all([
      api.ticket(queue, [{ ...player(1510), teams: ['survivors'] }]),
      api.ticket(queue, [player(1490), player(1505), player(1500)], { split: true }),
    ]);
    expect(others[1]!.split).toBe(true);
    const match = await theirMatch([killer, ...others]);
    expect(match.teams.map(({ name }) => name)).toEqual(['killer', 'survivors']);
    expect(match.teams.map(({ players }) => players.length)).toEqual([1, 4]);
    expect(match.teams[0]!.players[0]!.ticketId).toBe(killer.ticketId);
    const refused = await api.post(`/queues/${queue}/tickets`, {
      ticketId: 'wrong-side',
      players: [{ ...player(1), teams: ['ghosts'] }],
    });
    expect(refused.status).toBe(400);
    expect(refused.body.errors).toEqual([
      {
        pointer: '#/players/0/teams/0',
        detail: expect.stringMatching(/\(killer, survivors\), got ghosts$/),
      },
    ]);
  });

  it('fills every role with a player who accepts it', async () => {
    const roles = { tank: 1, healer: 1, damage: 3 };
    const queue = await api.queue({ teamSize: 5, roles });
    const wishes: (string[] | undefined)[] = [
      ['tank'],
      ['tank', 'damage'],
      ['healer'],
      ['healer', 'damage'],
      ...Array<string[]>(4).fill(['damage']),
      undefined,
      ['damage', 'tank'],
    ];
    const tickets = await Promise.all(
      wishes.map((accepted, i) => api.ticket(queue, [player(100 + i, accepted)])),
    );
    const match = await theirMatch(tickets);
    const accepts = new Map(tickets.map(({ ticketId, players }) => [ticketId, players[0]!.roles]));
    for (const { players } of match.teams) {
      const filled = Object.fromEntries(
        Object.keys(roles).map((role) => [role, players.filter((seat) => seat.role === role).length]),
      );
      expect(filled).toEqual(roles);
      for (const { ticketId, role } of players) {
        expect(accepts.get(ticketId!) ?? Object.keys(roles)).toContain(role);
      }
    }
  });
});

describe.concurrent('results', () => {
  it('are the same by poll, long poll and webhook', async () => {
    const path = '/results';
    const queue = await api.queue({ webhooks: [{ url: receiver.url(path), secret: SECRET_NAME }] });
    const { ticketId } = await api.ticket(queue, 50);
    const longPolled = api.until(ticketId, 'COMPLETED');
    await api.ticket(queue, 60);
    const ticket = await longPolled;
    expect((await api.get(`/tickets/${ticketId}`)).body).toEqual(ticket);
    const found = await receiver.deliveries.first(
      (delivery) => delivery.path === path && JSON.parse(delivery.text).type === 'MatchFound',
    );
    const { match } = found.verified().data;
    expect(match.status).toBe(ticket.status);
    expect((await api.get(`/matches/${ticket.matchId}`)).body).toEqual(match);
  });
});

describe.concurrent('time-outs', () => {
  it('bots fill the match of a ticket at its time-out when the queue allows bots', async () => {
    const queue = await api.queue({ teamSize: 2, timeoutSeconds: 1, fill: 'bots' });
    const ticket = await api.ticket(queue, [player(100), player(120)]);
    const match = await theirMatch([ticket]);
    const seats = match.teams.flatMap(({ players }) => players);
    expect(seats.filter(({ bot }) => bot)).toHaveLength(2);
    expect(match.teams.map(({ players }) => players.length)).toEqual([2, 2]);
    const mine = match.teams.find(({ players }) => players.some(({ ticketId }) => ticketId !== undefined))!;
    expect(mine.players.map(({ playerId }) => playerId).sort()).toEqual(
      ticket.players.map(({ playerId }) => playerId).sort(),
    );
    for (const seat of seats.filter(({ bot }) => bot)) expect(seat).not.toHaveProperty('ticketId');
  });
});

it('the log has no errors after the tests', () => {
  expect(cloud.logs.filter(({ line }) => /"level":"ERROR"|failed:|not authorized/.test(line))).toEqual([]);
});
