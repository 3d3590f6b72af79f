import { describe, expect, it } from 'vitest';
import type { WaitingTicket } from '../../../lib/policies/waits/likenesses.ts';
import { countTick, quantilesIn, type WaitTable } from '../../../lib/policies/waits/wait-table.ts';
import { seededRandom } from '../../../lib/simulation/random.ts';

const TICK_MS = 1_000;
const part = (skill: number) => skill;
const HALF = { tickMs: TICK_MS, part };

interface Waiting extends WaitingTicket {
  readonly ticketId: string;
}

/** Plays ticks on tickets of which each tick matches one with its chance, and cancels one of all with `cancels`. */
function played(
  ticks: number,
  chanceOf: (ticket: Waiting, tick: number) => number,
  { cancels = 0, region = (_: number): string | undefined => undefined, everyMs = TICK_MS, seed = 1 } = {},
): WaitTable {
  const random = seededRandom(seed);
  let table: WaitTable | undefined;
  let waiting: Waiting[] = [];
  for (let tick = 1; tick <= ticks; tick++) {
    const nowMs = tick * everyMs;
    for (let i = 0; i < 4; i++) {
      const there = region(i);
      const latencyMs = there === undefined ? {} : { latencyMs: { [there]: 20 } };
      const enqueuedAtMs = nowMs - everyMs * random.uniform();
      waiting.push({ ticketId: `${tick}.${i}`, enqueuedAtMs, players: [{ skill: 0.5, ...latencyMs }] });
    }
    waiting = waiting.filter(() => random.uniform() >= cancels);
    const matched = new Set(
      waiting.filter((one) => random.uniform() < chanceOf(one, tick)).map(({ ticketId }) => ticketId),
    );
    table = countTick(table, waiting, matched, { ...HALF, nowMs });
    waiting = waiting.filter(({ ticketId }) => !matched.has(ticketId));
  }
  return table!;
}

const ask = (table: WaitTable | undefined, ageMs = 0, timeoutMs = 1e9, region?: string) => {
  const latencyMs = region === undefined ? {} : { latencyMs: { [region]: 20 } };
  const ticket = { enqueuedAtMs: 1e9 - ageMs, players: [{ skill: 0.5, ...latencyMs }] };
  return quantilesIn(table, part, [0.5, 0.9])(ticket, { nowMs: 1e9, timeoutMs });
};

describe('the wait of a ticket', () => {
  it('is that of a constant chance in each tick, however long it has waited', () => {
    const table = played(1_500, () => 0.1);
    // (1 − 0.1)^n is 0.5 after 6.6 ticks and 0.1 after 21.9.
    for (const ageMs of [0, 400, 5_300]) {
      const [p50, p90] = ask(table, ageMs);
      expect(p50! / 6_600).toBeGreaterThan(0.85);
      expect(p50! / 6_600).toBeLessThan(1.15);
      expect(p90! / 21_900).toBeGreaterThan(0.85);
      expect(p90! / 21_900).toBeLessThan(1.15);
    }
  });

  it('is not shortened by tickets that are cancelled', () => {
    const [p50] = ask(played(2_500, () => 0.1, { cancels: 0.1 }));
    expect(p50! / 6_600).toBeGreaterThan(0.85);
    expect(p50! / 6_600).toBeLessThan(1.15);
  });

  it('follows a sudden change of the chance long before the tickets that it remembers are of the new one', () => {
    // A hundred tickets are matched after the change; the table remembers 600.
    const [p50] = ask(played(1_550, (_, tick) => (tick <= 1_500 ? 0.2 : 0.05)));
    // 3.1 ticks before, 13.5 after.
    expect(p50! / 13_500).toBeGreaterThan(0.6);
    expect(p50! / 13_500).toBeLessThan(1.2);
  });

  it('is as much longer as ticks are late', () => {
    const [p50, p90] = ask(played(1_500, () => 0.1, { everyMs: 5 * TICK_MS }));
    expect(p50! / 33_000).toBeGreaterThan(0.85);
    expect(p50! / 33_000).toBeLessThan(1.15);
    expect(p90! / 109_500).toBeGreaterThan(0.85);
    expect(p90! / 109_500).toBeLessThan(1.15);
  });

  it('differs between regions whose tickets are matched at different rates', () => {
    const regions = { region: (i: number) => (i === 0 ? 'us' : 'eu') };
    const isSlow = ({ players }: Waiting) => 'us' in players[0]!.latencyMs!;
    const table = played(3_000, (ticket) => (isSlow(ticket) ? 0.05 : 0.2), regions);
    const [eu] = ask(table, 0, 1e9, 'eu');
    const [us] = ask(table, 0, 1e9, 'us');
    // 3.1 and 13.5 ticks.
    expect(eu! / 3_100).toBeGreaterThan(0.75);
    expect(eu! / 3_100).toBeLessThan(1.25);
    expect(us! / 13_500).toBeGreaterThan(0.75);
    expect(us! / 13_500).toBeLessThan(1.25);
  });

  it('is unknown before enough tickets were matched, and beyond the longest waits that were seen', () => {
    expect(ask(undefined)).toEqual([undefined, undefined]);
    expect(ask(played(5, () => 0.5))).toEqual([undefined, undefined]);
    expect(
      ask(
        played(500, () => 0.5),
        3_600_000,
      ),
    ).toEqual([undefined, undefined]);
  });

  it('is unknown beyond the time-out', () => {
    const table = played(1_500, () => 0.1);
    const [p50, p90] = ask(table, 0, 15_000);
    expect(p50).toBeGreaterThan(0);
    expect(p90).toBeUndefined();
  });

  it('starts again with another time between two ticks', () => {
    const table = played(500, () => 0.5);
    const next = countTick(table, [], new Set(), { tickMs: 5_000, part, nowMs: 1e9 });
    expect(ask(next)).toEqual([undefined, undefined]);
  });

  it('needs a few kilobytes at most', () => {
    const table = played(2_000, () => 0.02, { region: (i) => `region-${i}` });
    expect(JSON.stringify(table).length).toBeLessThan(4_000);
  });
});
