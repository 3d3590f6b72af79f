import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reportPage } from '../../lib/cli/report/report.ts';
import { parseQueueDefinition, type QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { Game, Ticket } from '../../lib/engine/types.ts';
import type { Rule } from '../../lib/rules/rule-types.ts';
import type { RuledPlayer } from '../../lib/rules/types.ts';
import { misfits } from '../../lib/service/tickets/misfits.ts';
import { poissonArrivals } from '../../lib/simulation/arrivals.ts';
import { play } from '../../lib/simulation/play.ts';
import type { Population } from '../../lib/simulation/population.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { simulate } from '../../lib/simulation/simulate.ts';
import { generatedTraffic } from '../../lib/simulation/traffic.ts';
import { sample } from '../long.ts';

const file = 'queues/shapes/ranked.json';
/** With so great a cost of waiting a short run has matches enough. */
const release = { policy: 'option-value', waitCost: 40 } as const;
const ranked: QueueDefinition = { ...parseQueueDefinition(readFileSync(file, 'utf8'), file), release };

const population: Population = {
  skills: { kind: 'normal', mean: 1500, standardDeviation: 300 },
  partyWeights: [3, 1],
  attributes: ranked.attributes,
  regionWeights: { eu: 3, us: 1 },
  avoided: 5,
};

function played(definition: QueueDefinition, players = sample(250, 1_200)) {
  const traffic = generatedTraffic({ population, rate: { kind: 'constant', perSecond: 4 }, players }, 3);
  const tickets = new Map<string, Ticket>();
  for (const { ticket } of traffic.arrivals) tickets.set(ticket.ticketId, ticket);
  const games: Game[] = [];
  const { steps, result } = play(definition, traffic, (game) => games.push(game));
  for (const _ of steps);
  return { games, tickets, ...result() };
}

it('plays in the regions in which the provisioner can place matches, and in no other', () => {
  const provisioner = {
    type: 'agones' as const,
    allocator: { us: 'https://us.example/' },
    certificate: 'shared/c',
  };
  const { matches, byRegion } = played({ ...ranked, provisioner }).measures;
  expect(matches).toBeGreaterThan(0);
  expect(byRegion.map(({ region }) => region)).toEqual(['us']);
});

it('separates players who come again from those whom they met in the seconds of a `recent` rule', () => {
  const definition: QueueDefinition = {
    name: 'tournament',
    teamSize: 1,
    rules: [{ name: 'Rematch', type: 'recent', seconds: 100 }],
    imbalance: { alpha: 1, p: 1, q: 1 },
    release: { policy: 'greedy' },
    tickSeconds: 1,
    timeoutSeconds: 20,
  };
  const startMs = Date.UTC(2026, 0, 1);
  const matchedMs: number[] = [];
  // Every 30 s both post a ticket, which times out before the next one.
  const arrivals = Array.from({ length: 20 }, (_, at) => {
    const playerId = ['ann', 'bob'][at % 2]!;
    const enqueuedAtMs = startMs + 30_000 * Math.floor(at / 2);
    const ticket = { ticketId: `t${at}`, enqueuedAtMs, players: [{ playerId, skill: 1500 }] };
    return { ticket, patienceMs: Number.POSITIVE_INFINITY, inQueues: [ticket] };
  });
  const observers = [
    { matched: (_: Game, __: unknown, nowMs: number) => void matchedMs.push((nowMs - startMs) / 1_000) },
  ];
  for (const _ of simulate({ rules: definition, arrivals, observers }));
  expect(matchedMs.map(Math.floor)).toEqual([0, 100, 210]);
});

const playersOf = ({ ticketIds }: Game, tickets: ReadonlyMap<string, Ticket>) =>
  ticketIds.flatMap((ticketId) => tickets.get(ticketId)!.players as readonly RuledPlayer[]);

describe('a population for a queue with rules', () => {
  it('has tickets that the queue takes, and friends in one region with one list of maps', () => {
    const arrivals = [
      ...poissonArrivals(
        { population, rate: { kind: 'constant', perSecond: 4 }, players: 500 },
        seededRandom(3),
      ),
    ];
    for (const { ticket } of arrivals) {
      expect(misfits(ticket, ranked)).toEqual([]);
      const players = ticket.players as readonly RuledPlayer[];
      const near = (player: RuledPlayer) =>
        Object.entries(player.latencyMs!).toSorted(([, a], [, b]) => a - b)[0]![0];
      expect(new Set(players.map(near)).size).toBe(1);
      expect(new Set(players.map(({ attributes }) => String(attributes!.maps))).size).toBe(1);
    }
  });

  it('avoids as many earlier players as asked for, never friends, and at most fifty', () => {
    const arrive = (avoided: number) =>
      [
        ...poissonArrivals(
          {
            population: { ...population, avoided },
            rate: { kind: 'constant', perSecond: 4 },
            players: 1_000,
          },
          seededRandom(3),
        ),
      ].map(({ ticket }) => ticket.players as readonly RuledPlayer[]);
    const parties = arrive(5);
    const avoided = parties.flatMap((party) => party.map(({ avoid = [] }) => avoid.length));
    expect(avoided.reduce((sum, count) => sum + count) / avoided.length).toBeCloseTo(5, 0);
    for (const party of parties) {
      const friends = new Set(party.map(({ playerId }) => playerId));
      for (const { avoid = [] } of party) expect(avoid.some((id) => friends.has(id))).toBe(false);
    }
    for (const { avoid = [] } of arrive(50).flat()) expect(avoid.length).toBeLessThanOrEqual(50);
    expect(
      arrive(0)
        .flat()
        .some(({ avoid }) => avoid !== undefined),
    ).toBe(false);
  });
});

describe('the simulation of a queue with rules', () => {
  const { games, tickets, measures, cost, warnings } = played({
    ...ranked,
    rules: [...ranked.rules!, { name: 'Levels', type: 'within', attribute: 'level', cost: 2 } as never],
  });

  it('keeps the rules and never matches players who avoid each other', () => {
    expect(games.length).toBeGreaterThan(sample(15, 50));
    for (const game of games) {
      const players = playersOf(game, tickets);
      const ids = new Set(players.map(({ playerId }) => playerId));
      for (const { avoid = [], latencyMs } of players) {
        expect(avoid.some((id) => ids.has(id))).toBe(false);
        expect(latencyMs![game.ruling!.region!]).toBeLessThanOrEqual(120);
      }
    }
  });

  it('measures matches and waits by region', () => {
    expect(measures.byRegion.map(({ region }) => region)).toEqual(['eu', 'us']);
    const counted = measures.byRegion.map(({ region, matches, waitSeconds }) => {
      expect(matches).toBe(games.filter(({ ruling }) => ruling!.region === region).length);
      return waitSeconds.count;
    });
    expect(counted.reduce((sum, count) => sum + count)).toBe(measures.outcome.matched);
  });

  it('measures how often each rule relaxed and what it cost', () => {
    const spreadOf = (game: Game) => {
      const levels = playersOf(game, tickets).map(({ attributes }) => attributes!.level as number);
      return Math.max(...levels) - Math.min(...levels);
    };
    const spreads = games.map(spreadOf);
    const rule = (name: string) => measures.byRule.find((one) => one.rule === name)!;
    expect(measures.byRule.map((one) => one.rule)).toEqual(['Ping', 'Map', 'Level', 'Levels']);
    const relaxed = spreads.filter((spread) => spread > 15).length / games.length;
    expect(relaxed).toBeGreaterThan(0);
    expect(rule('Level').relaxed).toBeCloseTo(relaxed, 5);
    expect(rule('Level').cost).toBeNaN();
    expect(rule('Map').relaxed).toBeNaN();
    const mean = spreads.reduce((sum, spread) => sum + spread) / games.length;
    expect(rule('Levels').cost).toBeCloseTo(2 * mean, 2);
  });

  it('shows both in its report, with names escaped', () => {
    const measured = {
      ...measures,
      byRegion: measures.byRegion.map((one) => ({ ...one, region: `<${one.region}>` })),
    };
    const page = reportPage('ranked', [
      {
        title: 'ranked',
        text: '',
        runs: [{ name: 'ranked', definition: ranked, measures: measured, cost, warnings }],
      },
    ]);
    expect(page).toContain('matches by region');
    expect(page).toContain('&#60;eu&#62;');
    expect(page).toContain('<th scope="row">Level</th>');
  });

  it('has no such measures in a queue without rules', () => {
    const { rules: _, ...plain } = ranked as QueueDefinition & { rules?: Rule[] };
    const run = played(plain as QueueDefinition, 100);
    expect(run.measures).toMatchObject({ byRegion: [], byRule: [] });
  });
});
