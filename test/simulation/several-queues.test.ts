import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { Ticket } from '../../lib/engine/types.ts';
import { type Arrival, poissonArrivals } from '../../lib/simulation/arrivals.ts';
import type { Observer } from '../../lib/simulation/observer.ts';
import { playThrough, playTogether } from '../../lib/simulation/play.ts';
import { type Population, partyIn } from '../../lib/simulation/population.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { playSeveral, type SeveralQueues } from '../../lib/simulation/several-queues.ts';
import { simulate } from '../../lib/simulation/simulate.ts';
import type { Traffic } from '../../lib/simulation/traffic.ts';

const duel: QueueDefinition = {
  name: 'duel',
  teamSize: 1,
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'option-value', waitCost: 2 },
  tickSeconds: 2,
  timeoutSeconds: 120,
};
const raid: QueueDefinition = {
  ...duel,
  name: 'raid',
  teamSize: 2,
  roles: { tank: 1, damage: 1 },
  tickSeconds: 3,
  timeoutSeconds: 20,
};
const duelists: Population = { skills: { kind: 'normal', mean: 1500, standardDeviation: 350 } };
const raiders: Population = { ...duelists, roleWeights: { tank: 1, damage: 3 } };

const traffic = (players: number, patienceSeconds?: number): Traffic => ({
  atEnd: 'drain',
  skillSample: [800, 1200, 1500, 1800, 2200],
  arrivals: {
    [Symbol.iterator]: () =>
      poissonArrivals(
        { population: duelists, rate: { kind: 'constant', perSecond: 1 }, players, patienceSeconds },
        seededRandom(11),
      ),
  },
});
const several = (share: number): SeveralQueues => ({
  definitions: [duel, raid],
  populations: [duelists, raiders],
  weights: [1, 1],
  share,
  seed: 5,
});
const withQueues = (arrivals: Iterable<Arrival>, queuesOf: (ticket: Ticket, at: number) => boolean[]) => ({
  *[Symbol.iterator](): Generator<Arrival> {
    let at = 0;
    for (const arrival of arrivals) {
      const { ticket } = arrival;
      yield { ...arrival, inQueues: queuesOf(ticket, at++).map((waits) => (waits ? ticket : undefined)) };
    }
  },
});

function played(share: number, together: boolean, players = 600, patienceSeconds?: number) {
  const { steps, result } = playSeveral(several(share), traffic(players, patienceSeconds), together);
  for (const _ of steps);
  return result();
}

describe('queues that are simulated at the same time', () => {
  it('play as each does alone when no ticket waits in two of them', () => {
    const { arrivals, ...rest } = traffic(500, 60);
    const definitions = [duel, { ...duel, name: 'slow', tickSeconds: 4, timeoutSeconds: 60 }];
    const queueOf = (at: number) => (at % 3) % 2;
    const apart = withQueues(arrivals, (_, at) => [0, 1].map((queue) => queue === queueOf(at)));
    const { steps, results } = playTogether(definitions, { ...rest, arrivals: apart });
    for (const _ of steps);
    const alone = definitions.map((definition, queue) =>
      playThrough(definition, { ...rest, arrivals: [...arrivals].filter((_, at) => queue === queueOf(at)) }),
    );
    expect(JSON.stringify(results())).toBe(JSON.stringify(alone));
  });

  it('match no ticket twice: it leaves the other queue at the moment of its match', () => {
    const matchedIn = new Map<string, number>();
    const leftTo = new Map<string, number>();
    const observer = (queue: number): Observer => ({
      matched(_, tickets, nowMs) {
        for (const { ticketId } of tickets) {
          expect(matchedIn.has(ticketId)).toBe(false);
          matchedIn.set(ticketId, nowMs + queue);
        }
      },
      left({ ticketId }, why, atMs) {
        if (why === 'elsewhere') leftTo.set(ticketId, atMs + 1 - queue);
      },
    });
    const first = { rules: duel, observers: [observer(0)] };
    const also = [{ rules: { ...duel, teamSize: 2 }, observers: [observer(1)] }];
    const arrivals = withQueues(traffic(400).arrivals, () => [true, true]);
    for (const _ of simulate({ ...first, also, arrivals }));
    expect(leftTo).toEqual(matchedIn);
    expect(new Set([...matchedIn.values()].map((value) => value % 1000))).toEqual(new Set([0, 1]));
    expect(matchedIn.size).toBeGreaterThan(380);
  });

  it('account for every player in each queue, and once for each linked one', () => {
    const { queues, linked } = played(0.5, true, 600, 15);
    for (const { measures } of [...queues, { measures: linked }]) {
      const { matched, cancelled, timedOut, waiting, elsewhere = 0 } = measures.outcome;
      expect(matched + cancelled + timedOut + waiting + elsewhere).toBe(measures.players);
      expect(waiting).toBe(0);
    }
    expect(linked.outcome.cancelled).toBeGreaterThan(0);
    const [inDuel, inRaid] = queues.map(({ measures }) => measures);
    // A linked ticket is in both queues, any other in one.
    expect(inDuel!.players + inRaid!.players).toBe(600 + linked.players);
    // One that another queue has matched is a linked one that is matched.
    const elsewhere = (inDuel!.outcome.elsewhere ?? 0) + (inRaid!.outcome.elsewhere ?? 0);
    expect(elsewhere).toBeGreaterThan(0);
    expect(elsewhere).toBeLessThanOrEqual(linked.outcome.matched);
  });

  it('time a linked ticket out one by one, so that it waits on in the others', () => {
    // One player at a time: no match comes about.
    const arrivals = [...traffic(5).arrivals].map((arrival, at) => ({
      ...arrival,
      ticket: { ...arrival.ticket, enqueuedAtMs: 1_000_000 * at },
    }));
    const { steps, result } = playSeveral(several(1), { ...traffic(5), arrivals }, true);
    for (const _ of steps);
    const { queues, linked } = result();
    expect(queues.map(({ measures }) => measures.outcome.timedOut)).toEqual([5, 5]);
    expect(linked.outcome).toEqual({ matched: 0, cancelled: 0, timedOut: 5, waiting: 0 });
    expect(linked.waitSeconds.mean).toBeCloseTo(120, 0);
  });

  it('let linked tickets wait less than when they wait in the queue of their post, and match more of them', () => {
    const together = played(0.3, true).linked;
    const alone = played(0.3, false).linked;
    expect(alone.players).toBe(together.players);
    expect(together.waitSeconds.mean).toBeLessThan(0.8 * alone.waitSeconds.mean);
    expect(together.outcome.matched).toBeGreaterThanOrEqual(alone.outcome.matched);
  });

  it('have the same players with the same skills, and what each queue asks for', () => {
    const [first, second] = [
      { playerId: 'ann', skill: 1510, latencyMs: { eu: 20 }, avoid: ['cy'], teams: ['red'] },
      { playerId: 'bob', skill: 1490, attributes: { level: 3 } },
    ];
    const party = partyIn(raiders, [first!, second!], seededRandom(1));
    expect(party).toEqual([
      { playerId: 'ann', skill: 1510, latencyMs: { eu: 20 }, avoid: ['cy'], roles: expect.any(Array) },
      { playerId: 'bob', skill: 1490, roles: expect.any(Array) },
    ]);
  });
});
