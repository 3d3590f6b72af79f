import { expect, it } from 'vitest';
import type { Ticket } from '../../lib/engine/types.ts';
import { SoloLine } from '../../lib/policies/option-value/solo-line.ts';
import type { PoolFacts } from '../../lib/policies/policy.ts';
import { seeded } from '../engine/random-pool.ts';

const facts = { rules: { teamSize: 2, alpha: 1, p: 1, q: 2, beta: 0 } } as PoolFacts;
const terms = { theta: 1000, threshold: 1000, fixed: 0, urgency: 0, isOverdue: false };

it('after each removal exactly the new neighbours are offered, the most uniform first', () => {
  const random = seeded(3);
  for (let run = 0; run < 30; run++) {
    let waiting = Array.from({ length: 40 }, (_, i): Ticket => {
      const skill = 30 * i + Math.floor(30 * random());
      return { ticketId: `t${i}`, enqueuedAtMs: 0, players: [{ playerId: `p${i}`, skill }] };
    });
    const line = new SoloLine(waiting, facts, () => terms);
    const known = new Set<string>();
    const names = (tickets: readonly Ticket[]) => tickets.map(({ ticketId }) => ticketId).join(' ');
    while (waiting.length > 0) {
      const windows = waiting.slice(3).map((_, at) => names(waiting.slice(at, at + 4)));
      const starts = line.starts();
      const offered = starts.map((start) => names(line.window(start)!));
      expect([...offered].sort()).toEqual(windows.filter((window) => !known.has(window)).sort());
      expect(starts.map(({ margin }) => margin)).toEqual(
        starts.map(({ margin }) => margin).sort((a, b) => b - a),
      );
      for (const window of windows) known.add(window);
      // One window as a whole, and some others.
      const gone = new Set<Ticket>();
      if (starts.length > 0) {
        for (const ticket of line.window(starts[0])!) gone.add(ticket);
        line.removeWindow(starts[0]);
        expect(line.window(starts[0])).toBeUndefined();
      }
      for (const ticket of waiting) if (random() < 0.1) gone.add(ticket);
      if (gone.size === 0) gone.add(waiting[0]);
      line.removeUnless((ticket) => waiting.includes(ticket) && !gone.has(ticket));
      waiting = waiting.filter((ticket) => !gone.has(ticket));
      line.close();
    }
  }
});
