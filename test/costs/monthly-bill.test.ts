import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type MonthlyBill, monthlyBill } from '../../lib/costs/monthly-bill.ts';
import { dollarsOf, sumOf, usageParts, usageSum } from '../../lib/costs/usage-costs.ts';
import { definition } from '../service/definitions.ts';

const PLAYERS = { perDay: 100_000, matchesEach: 5, partySize: 1, pollsPerTicket: 0 };
const MONTH_SECONDS = 30 * 86_400;
const queue = definition({ teamSize: 5 });

/** Dollars by the services of AWS. */
const byService = ({ lines }: MonthlyBill) => {
  const all = new Map<string, number>();
  for (const { service, dollars } of lines) all.set(service, (all.get(service) ?? 0) + dollars);
  return all;
};

describe('the bill of a month', () => {
  it('is that of the measured resources, and of what a deployment has without players', () => {
    const bill = monthlyBill(PLAYERS, [queue]);
    expect(bill).toMatchObject({ players: 15e6, tickets: 15e6, matches: 1.5e6 });
    const seats = 15e6;
    const ended = { cancelled: 0, timedOut: 0, matched: seats, playersMatched: seats, matches: 1.5e6 };
    const waits = { waiting: (seats / MONTH_SECONDS) * 20, waitMinutes: seats / 3 };
    const work = { tickets: seats, players: seats, ...ended, ...waits, ticks: MONTH_SECONDS };
    const used = usageSum(usageParts(work, queue));
    const standing = monthlyBill({ ...PLAYERS, perDay: 0 }, [queue]);
    const none = Object.fromEntries(Object.keys(work).map((name) => [name, 0])) as typeof work;
    const idleTicks = usageSum(usageParts({ ...none, ticks: MONTH_SECONDS }, queue));
    const fixed = standing.total - sumOf(dollarsOf(idleTicks));
    expect(bill.total).toBeCloseTo(sumOf(dollarsOf(used)) + fixed, 6);
    expect(byService(bill).get('API Gateway')).toBeCloseTo(15, 6);
  });

  it('is the one that the documentation shows', () => {
    const { lines, total } = monthlyBill(PLAYERS, [{ ...queue, name: 'five-against-five' }]);
    const page = readFileSync(new URL('../../docs/costs.md', import.meta.url), 'utf8');
    for (const { service, what, dollars } of lines)
      expect(page).toMatch(new RegExp(`\n${service} +${what} +${dollars.toFixed(2)}\n`));
    expect(page).toMatch(new RegExp(`\nTotal +${total.toFixed(2)}\n`));
  });

  it('has a tick more for each slot when a bucket has more tickets than it takes', () => {
    const many = { ...PLAYERS, perDay: 1e8 };
    const once = byService(monthlyBill(many, [{ ...queue, tickSeconds: 1 }])).get('SQS')!;
    const half = byService(monthlyBill(many, [{ ...queue, tickSeconds: 2 }])).get('SQS')!;
    const few = byService(monthlyBill(PLAYERS, [queue])).get('SQS')!;
    expect(once - half).toBeGreaterThan(5 * few);
  });

  it('counts parties, long polls, acceptance and servers', () => {
    const bill = monthlyBill(PLAYERS, [queue]);
    const parties = monthlyBill({ ...PLAYERS, partySize: 5 }, [queue]);
    expect(parties).toMatchObject({ players: 15e6, tickets: 3e6, matches: 1.5e6 });
    expect(parties.total).toBeLessThan(bill.total / 2);
    // What docs/costs.md says of a million long polls.
    const polled = byService(monthlyBill({ ...PLAYERS, pollsPerTicket: 1 }, [queue]));
    const extra = (service: string) => (polled.get(service)! - byService(bill).get(service)!) / 15;
    expect(extra('API Gateway')).toBeCloseTo(1, 6);
    expect(extra('Lambda')).toBeCloseTo(66.67 + 0.2, 2);
    const acceptance = { timeoutSeconds: 20 };
    const steps = monthlyBill(PLAYERS, [{ ...queue, acceptance, provisioner: { type: 'external' } }]);
    expect(steps.total).toBeGreaterThan(bill.total + 15);
    expect(steps.features.map(({ feature }) => feature)).toEqual(['acceptance', 'provisioner']);
    const sum = steps.features.reduce((all, { dollars }) => all + dollars, 0);
    expect(steps.total).toBeCloseTo(bill.total + sum, 6);
  });

  it('counts the answer of each ticket, or of each player', () => {
    const answers = (by: 'ticket' | 'player', partySize: number) => {
      const acceptance = { timeoutSeconds: 20, by };
      const [own, none] = [{ ...queue, acceptance }, queue].map((one) =>
        byService(monthlyBill({ ...PLAYERS, partySize }, [one])),
      );
      return (own!.get('API Gateway')! - none!.get('API Gateway')!) / 15;
    };
    expect(answers('ticket', 1)).toBeCloseTo(1, 6);
    expect(answers('player', 1)).toBeCloseTo(1, 6);
    expect(answers('ticket', 5)).toBeCloseTo(1 / 5, 6);
    expect(answers('player', 5)).toBeCloseTo(1, 6);
  });

  it('counts the result of each match of a queue with a ladder, as much as the benchmark of the service', () => {
    const bill = monthlyBill(PLAYERS, [queue]);
    const rated = monthlyBill(PLAYERS, [{ ...queue, ladder: 'ranked' }]);
    const perMillion = (service: string) =>
      (byService(rated).get(service)! - byService(bill).get(service)!) / 15;
    // A request for ten players, and two events.
    expect(perMillion('API Gateway')).toBeCloseTo(0.1, 6);
    expect(perMillion('EventBridge')).toBeCloseTo(0.2, 6);
    // What docs/ratings.md says of the tables, and the reads of two more events by the stream.
    expect(perMillion('DynamoDB')).toBeGreaterThan(2.01);
    expect(perMillion('DynamoDB')).toBeLessThan(2.1);
  });

  it('counts TicketQueued for every ticket of a queue with a webhook that does not say which events it wants', () => {
    const webhook = { url: 'https://game.example/', secret: 'muster/webhook' };
    const some = monthlyBill(PLAYERS, [{ ...queue, webhooks: [{ ...webhook, events: ['MatchFound'] }] }]);
    expect(some.total).toBeCloseTo(monthlyBill(PLAYERS, [queue]).total, 6);
    const all = monthlyBill(PLAYERS, [{ ...queue, webhooks: [webhook] }]);
    // The event, the call of \`publish\`, and the webhook.
    expect(byService(all).get('EventBridge')! - byService(some).get('EventBridge')!).toBeCloseTo(15, 6);
    expect(all.features).toMatchObject([{ feature: 'TicketQueued' }]);
    expect(all.features[0]!.dollars).toBeGreaterThan(15 * 1.29);
  });

  it('counts two write units for each further queue of a ticket, and half a read unit for each tick', () => {
    const bill = monthlyBill(PLAYERS, [queue]);
    const linked = monthlyBill({ ...PLAYERS, furtherQueues: 0.4 }, [queue]);
    expect(linked.features).toMatchObject([{ feature: 'several queues' }]);
    expect(linked.total).toBeCloseTo(bill.total + linked.features[0]!.dollars, 6);
    // As many as a post and a cancel of one queue and of two differ by in docs/benchmarks.md, at their prices.
    const page = readFileSync(new URL('../../docs/benchmarks.md', import.meta.url), 'utf8');
    const unitsOf = (queues: number) =>
      new RegExp(`\n\\| ${queues} \\| (\\d+) \\| (\\d+) \\|`).exec(page)!.slice(1).map(Number);
    const units = unitsOf(2).reduce((sum, count, i) => sum + count - unitsOf(1)[i]!, 0);
    expect(linked.features[0]!.dollars).toBeCloseTo(
      15 * 0.4 * units * 0.625 + (MONTH_SECONDS / 2 / 1e6) * 0.125,
      6,
    );
  });

  it('spreads the players over several queues, each with its ticks and metrics', () => {
    const one = monthlyBill(PLAYERS, [queue]);
    const three = monthlyBill(PLAYERS, [queue, queue, queue]);
    expect(three).toMatchObject({ players: 15e6, tickets: 15e6, matches: 1.5e6 });
    expect(byService(three).get('CloudWatch')! - byService(one).get('CloudWatch')!).toBeCloseTo(4.8, 6);
    expect(byService(three).get('API Gateway')).toBeCloseTo(byService(one).get('API Gateway')!, 6);
  });
});
