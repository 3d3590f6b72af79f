import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../lib/simulation/random.ts';
import { IS_LONG } from '../long.ts';
import { PATIENCE_MS } from '../patience.ts';
import { type PlannedTicket, plannedTickets } from './client-plan.ts';
import { soak } from './soak-run.ts';
import { type Measure, type Sample, trendsOf } from './trend.ts';

it.runIf(IS_LONG)('a short soak loses no ticket, and every client gets only allowed responses', async () => {
  const { samples, clients, audit, errors } = await soak({
    minutes: 0.2,
    playersPerSecond: 10,
    seed: 1,
    sampleSeconds: 3,
    drainMs: PATIENCE_MS,
  });
  // A function may reach its timeout when other tests use the machine.
  const faults = errors.filter((error) => !/timed ?out/i.test(error));
  expect({ ...audit, failures: clients.failures, rejected: clients.rejected, faults }).toMatchObject({
    lost: [],
    stuck: [],
    misplaced: [],
    unnotified: [],
    failures: [],
    rejected: [],
    faults: [],
  });
  expect(samples).toHaveLength(4);
  expect(samples.at(-1)!.tickets).toBeGreaterThan(20);
  expect(audit.matches).toBeGreaterThan(2);
  expect(audit.statuses.COMPLETED).toBeGreaterThan(10);
  expect(audit.statuses.CANCELLED).toBeGreaterThan(0);
});

describe('the clients', () => {
  it('are of each kind, and the same for the same seed', () => {
    const tickets = (seed: number) => firstTickets(500, seed);
    const plan = tickets(3);
    expect(tickets(3)).toEqual(plan);
    expect(tickets(4)).not.toEqual(plan);
    const kinds = new Set(plan.map(({ behaviour }) => behaviour.does));
    expect(kinds).toEqual(new Set(['waits', 'polls', 'long-polls', 'disconnects', 'cancels', 'responds']));
    const answers = plan.flatMap(({ behaviour }) => (behaviour.does === 'responds' ? [behaviour] : []));
    expect(answers.some(({ accepted, afterMs }) => accepted && afterMs! > 5_000)).toBe(true);
    expect(answers.some(({ accepted }) => !accepted)).toBe(true);
    expect(answers.some(({ afterMs }) => afterMs === undefined)).toBe(true);
  });
});

describe('the trend', () => {
  const growing = (samples: readonly Sample[]) =>
    trendsOf(samples)!
      .filter(({ grows }) => grows)
      .map(({ measure }) => measure);

  it('does not count noise, or growth that ends within the first quarter, as a leak', () => {
    expect(growing(run({}))).toEqual([]);
    expect(growing(run({ rssMb: (minutes) => Math.min(minutes, 12) * 20 }))).toEqual([]);
  });

  it.each<[Measure, number]>([
    ['rssMb', 2],
    ['heapMb', 0.5],
    ['externalMb', 0.5],
    ['handles', 1],
  ])('finds a leak of %s of %s a minute', (measure, perMinute) => {
    expect(growing(run({ [measure]: (minutes: number) => perMinute * minutes }))).toEqual([measure]);
  });

  it('is undefined for a run that is too short', () => {
    expect(trendsOf(run({}, 4))).toBeUndefined();
    expect(trendsOf(run({}).slice(0, 6))).toBeUndefined();
  });
});

function firstTickets(count: number, seed: number): PlannedTicket[] {
  const tickets: PlannedTicket[] = [];
  for (const ticket of plannedTickets(100, seededRandom(seed))) {
    tickets.push(ticket);
    if (tickets.length === count) break;
  }
  return tickets;
}

/** Forty samples of an hour: noise around a level, plus the growth of each measure. */
function run(growth: Partial<Record<Measure, (minutes: number) => number>>, minutesInAll = 60): Sample[] {
  const random = seededRandom(1);
  const at = (measure: Measure, level: number, noise: number, minutes: number) =>
    level + noise * random.normal() + (growth[measure]?.(minutes) ?? 0);
  return Array.from({ length: 40 }, (_, i) => {
    const minutes = ((i + 1) / 40) * minutesInAll;
    return {
      minutes,
      rssMb: at('rssMb', 600, 20, minutes),
      heapMb: at('heapMb', 60, 2, minutes),
      externalMb: at('externalMb', 10, 1, minutes),
      handles: at('handles', 60, 8, minutes),
      tickets: i * 1_000,
    };
  });
}
