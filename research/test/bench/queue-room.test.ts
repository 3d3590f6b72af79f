import { type Client, QueueRoom } from '@colyseus/core';
import { expect, it } from 'vitest';
import type { Arrival } from '../../../lib/simulation/arrivals.ts';
import { SCENARIOS } from '../../../test/bench/scenarios.ts';
import { playOwn } from './compare-policies.ts';
import { isNear } from './equal-wait.ts';
import { compareQueueRoom, playQueueRoom, whyNoQueueRoom } from './queue-room.ts';

const [duel, arena] = SCENARIOS;

it('plays QueueRoom: waiting players are matched in its order of ranks, at its cycles', () => {
  const { measures } = playQueueRoom(duel.definition, trafficOfSkills([1000, 2000, 1010, 2010, 1500], 100), {
    maxPlayers: 2,
  });
  expect(measures.outcome).toEqual({ matched: 4, cancelled: 0, timedOut: 0, waiting: 1 });
  expect(measures.waitSecondsMatched).toMatchObject({ count: 4, max: 0.999 });
  expect(measures.waitSeconds.count).toBe(5);
  // 1000 plays 1010, 1500 plays 2000: the teamGap is the difference, the skillSpread half of it.
  expect(measures.imbalance).toMatchObject({ mean: (15 + 750) / 2, max: 750 });
});

it('its window applies until its cycles are over', () => {
  const skills = [1000, 2000];
  const wait = (maxWaitingCyclesForPriority: number) =>
    playQueueRoom(duel.definition, trafficOfSkills([...skills, ...Array(30).fill(5000)], 1000), {
      maxPlayers: 2,
      tolerance: 50,
      maxWaitingCyclesForPriority,
    }).measures;
  expect(wait(5).waitSeconds.max).toBeLessThan(10);
  expect(wait(1000).outcome).toMatchObject({ timedOut: 0, waiting: 2 });
});

it('players leave at the time-out of the queue', () => {
  const { measures } = playQueueRoom(
    { ...duel.definition, timeoutSeconds: 10 },
    trafficOfSkills([1000, 2000, ...Array(30).fill(5000)], 1000),
    { maxPlayers: 2, tolerance: 50, maxWaitingCyclesForPriority: 1000 },
  );
  expect(measures.outcome).toMatchObject({ matched: 30, timedOut: 2 });
});

it('divides a group of ten in the fairest way', () => {
  const skills = [1001, 1002, 1004, 1008, 1016, 1032, 1064, 1128, 1256, 1511];
  const { measures } = playQueueRoom(arena.definition, trafficOfSkills(skills, 1), { maxPlayers: 10 });
  expect(measures.matches).toBe(1);
  expect(measures.teamGap.mean).toBe(fairest(skills));
});

it('is compared on the same arrivals, at its defaults and at the same mean wait', () => {
  const own = playOwn(duel, 400, 1);
  const [asItIs, tuned] = compareQueueRoom(duel, 400, 1, own);
  expect(asItIs.result.measures.players).toBe(own.result.measures.players);
  expect(asItIs.result.measures.waitSeconds.mean).toBeLessThan(own.result.measures.waitSeconds.mean);
  expect(isNear(tuned, own)).toBe(true);
  expect(tuned.result.measures.imbalance.mean).toBeLessThan(asItIs.result.measures.imbalance.mean);
});

it('reports which scenarios QueueRoom cannot play', () => {
  expect(SCENARIOS.filter((scenario) => whyNoQueueRoom(scenario)).map(({ title }) => title)).toEqual([
    '5v5 with parties, 5 players per second',
    '5v5 with roles, 5 players per second',
  ]);
});

it('QueueRoom splits a party when a group is full', () => {
  const room = new QueueRoom();
  room.processGroupsReady = () => {};
  room.maxPlayers = 4;
  room.maxTeamSize = 3;
  for (const [at, teamId] of ['a', 'a', 'a', 'b', 'b', 'b'].entries()) {
    const client = { sessionId: `${teamId}${at}`, send() {} } as unknown as Client;
    room.clients.push(client);
    room.addToQueue(client as Parameters<QueueRoom['addToQueue']>[0], { rank: 1000 + at, teamId });
  }
  room.reassignMatchGroups();
  const ready = room.groups.filter((group) => group.ready);
  expect(ready.map(({ clients }) => clients.map(({ sessionId }) => sessionId))).toEqual([
    ['a0', 'a1', 'a2', 'b3'],
  ]);
});

/** Players who arrive one after the other, this many milliseconds apart. */
function trafficOfSkills(skills: readonly number[], apartMs: number) {
  const arrivals = skills.map((skill, at): Arrival => {
    const playerId = `p${at}`;
    const ticket = { ticketId: playerId, enqueuedAtMs: 1 + at * apartMs, players: [{ playerId, skill }] };
    return { ticket, patienceMs: Number.POSITIVE_INFINITY };
  });
  return { atEnd: 'stop' as const, skillSample: skills, arrivals };
}

/** The least difference of sums over all ways to choose five of ten. */
function fairest(skills: readonly number[]): number {
  const sum = (set: number) => skills.reduce((total, skill, i) => total + ((set >> i) & 1) * skill, 0);
  const sets = Array.from({ length: 1 << 10 }, (_, set) => set);
  const fives = sets.filter((set) => skills.filter((_, i) => (set >> i) & 1).length === 5);
  return Math.min(...fives.map((five) => Math.abs(sum(five) - sum(~five))));
}
