import { GamePool, type Ticket } from 'muster/engine';
import { planTick, type QueueRules } from 'muster/policies';
import { seededRandom } from 'muster/simulation';

const ticket = (ticketId: string, skill: number): Ticket => ({
  ticketId,
  enqueuedAtMs: 0,
  players: [{ playerId: ticketId, skill }],
});
const tickets = [ticket('ann', 1500), ticket('bob', 1510), ticket('cy', 1900)];
const pool = new GamePool({ teamSize: 1, alpha: 1, p: 1, q: 2, beta: 0 });
for (const one of tickets) pool.insert(one);
const rules: QueueRules = {
  teamSize: 1,
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'greedy' },
  tickSeconds: 2,
  timeoutSeconds: 300,
};
const { matches } = planTick({ rules, tickets, nowMs: 2000 });
console.log(pool.best(0)?.ticketIds.join('+'), matches.length, seededRandom(1).integer(1));
