import { expect, it } from 'vitest';
import { PATIENCE_MS } from '../patience.ts';
import { run } from './service-run.ts';

it('the benchmark of the service measures a run in which no player is lost', async () => {
  const result = await run({
    playersPerSecond: 10,
    seconds: 2,
    warmUpSeconds: 1,
    population: { skills: { kind: 'normal', mean: 1500, standardDeviation: 300 } },
    seed: 1,
    events: ['MatchFound'],
    drainMs: PATIENCE_MS,
  });
  expect(result).toMatchObject({
    players: 20,
    playersMatched: 20,
    waiting: 0,
    lost: 0,
    ticketsMatchedTwice: 0,
  });
  expect(result.postToWebhookMs).toHaveLength(20);
  expect(result.lastPostToWebhookMs).toHaveLength(2);
  const { usage } = result;
  // Writing the ticket and its index entry, then claiming the ticket and removing its entry: at least four units.
  expect(usage.writeUnits).toBeGreaterThanOrEqual(4 * 20);
  expect(usage.events).toBe(2);
  expect(usage.invocations.get('enqueue')!.count).toBe(20);
  for (const dollars of Object.values(usage.dollars())) expect(dollars).toBeGreaterThan(0);
});

it('the benchmark of the service posts tickets in several queues, whose matches each player accepts', async () => {
  const { usage, ...result } = await run({
    playersPerSecond: 10,
    seconds: 2,
    warmUpSeconds: 1,
    population: { skills: { kind: 'normal', mean: 1500, standardDeviation: 300 } },
    seed: 1,
    events: ['MatchFound'],
    also: 1,
    acceptance: { timeoutSeconds: 30, by: 'player' },
    drainMs: PATIENCE_MS,
  });
  expect(result).toMatchObject({ players: 20, playersMatched: 20, lost: 0, ticketsMatchedTwice: 0 });
  // Beside the four units of a ticket, an entry that is written and deleted, and an answer.
  expect(usage.writeUnits).toBeGreaterThanOrEqual(7 * 20);
  expect(usage.invocations.get('ticket-changes')!.count).toBe(20);
});

it('the benchmark of the service counts the result of each match of a queue with a ladder', async () => {
  const { playersMatched, usage } = await run({
    playersPerSecond: 10,
    seconds: 2,
    warmUpSeconds: 1,
    population: { skills: { kind: 'normal', mean: 1500, standardDeviation: 300 } },
    seed: 1,
    ladder: 'ranked',
    drainMs: PATIENCE_MS,
  });
  expect(playersMatched).toBe(20);
  // MatchFound, MatchEnded and MatchRated of each match, and a result.
  expect(usage.ratings).toBe(2);
  expect(usage.events).toBeGreaterThanOrEqual(3 * 2);
  expect(usage.invocations.get('rate')!.count).toBeGreaterThan(0);
});
