import { planTick } from '../../lib/policies/plan.ts';
import type { BenchRow } from './engine.ts';
import { SCENARIOS, type Scenario, trafficOf } from './scenarios.ts';

/** One tick of a queue at which this many tickets wait, all of them new. */
export function benchTicks(
  count: number,
  seed: number,
  best: (run: () => void) => number,
  report: (row: BenchRow) => void,
): void {
  const scenario = (title: string) => SCENARIOS.find((candidate) => candidate.title.startsWith(title))!;
  const solos = scenario('5v5, 50');
  const parties = scenario('5v5 with parties');
  const roles = scenario('5v5 with roles');
  const rigid = { ...roles, population: { ...roles.population, roleFlexibility: 0 } };
  const trios = {
    ...parties,
    definition: { ...parties.definition, teamSize: 4, teams: 3 },
    population: { ...parties.population, partyWeights: [55, 25, 10, 10] },
  };
  const greedy: Scenario = { ...solos, definition: { ...solos.definition, release: { policy: 'greedy' } } };
  const cases: [string, Scenario, string][] = [
    ['greedy, solo players', greedy, ''],
    ['option-value, solo players', solos, '≤ 1.5 × greedy'],
    ['option-value, parties (75/15/5/2/3%)', parties, '< 200 ms'],
    ['option-value, each other role accepted by 30%', roles, '< 250 ms'],
    ['option-value, one role accepted', rigid, '< 250 ms'],
    ['option-value, 3 teams of 4 with parties (55/25/10/10%)', trios, ''],
  ];
  for (const [name, { definition, population }, aim] of cases) {
    const traffic = trafficOf(
      { title: name, definition, population, rate: { kind: 'constant', perSecond: 50 } },
      3 * count,
      seed,
    );
    const tickets = [...traffic.arrivals].slice(0, count).map(({ ticket }) => ticket);
    const nowMs = 1000 * Math.ceil(tickets.at(-1)!.enqueuedAtMs / 1000);
    let matches: readonly { readonly imbalance: number }[] = [];
    let waiting = 0;
    const ms = best(() => {
      const plan = planTick({ rules: definition, tickets, nowMs, reasons: false });
      matches = plan.matches;
      waiting = plan.waiting.length;
    });
    const sum = matches.reduce((total, { imbalance }) => total + imbalance, 0);
    report({
      work: `one tick of ${name}, ${count.toLocaleString('en-US')} tickets waiting`,
      aim,
      reached: `${ms.toFixed(0)} ms, ${matches.length} games, mean imbalance ${(sum / Math.max(1, matches.length)).toFixed(2)}`,
      players: tickets.reduce((players, ticket) => players + ticket.players.length, 0),
      sink: sum + waiting,
    });
  }
}
