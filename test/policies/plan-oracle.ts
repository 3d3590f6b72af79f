import type { Game, Ticket } from '../../lib/engine/types.ts';
import { estimatesOf } from '../../lib/policies/memory.ts';
import { inPercentiles } from '../../lib/policies/percentile.ts';
import { isFilling, planGames, type QueueRules, type Released } from '../../lib/policies/plan.ts';
import { byArrival, meanSkill } from '../../lib/policies/policy.ts';
import { allFillings, type BackfillCase } from '../engine/backfill-oracle.ts';
import { running } from '../engine/random-backfill.ts';
import { seeded } from '../engine/random-pool.ts';
import { near, oracleOf, rulesCost } from '../rules/oracle.ts';
import { meetingsOf } from '../rules/oracle-run.ts';
import { randomShapedRuledCase } from '../rules/random-rules.ts';
import { somePolicies } from './some-policies.ts';

/** What the released games of some plans had. */
export interface PlanCounts {
  games: number;
  withBots: number;
  fillings: number;
  /** Games that are proved best, although one with bots costs less. */
  proved: number;
}

/**
 * Plans the tick of a random small pool of any shape, with bots, backfills, roles, parties, percentiles and rules together, and compares
 * each released game with all games that the waiting tickets could form then. Throws at the first mismatch.
 */
export function comparePlan(seed: number, counts: PlanCounts): void {
  const random = seeded(seed);
  const of = randomShapedRuledCase(random, true);
  const { rules, nowMs } = of;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const norm = (value: number) => (value === Number.POSITIVE_INFINITY ? 'inf' : value);
  const definition = random() < 0.6 ? of.definition : {};
  const { games: backfills, tickets: all } =
    random() < 0.5 ? running(of.tickets, rules, nowMs, random) : { games: [], tickets: of.tickets };
  // Where every ticket is late, bots fill the games and few players are left for running ones.
  const timeoutSeconds = backfills.length > 0 ? pick([12, 30]) : 12;
  const queue: QueueRules = {
    teamSize: rules.teamSize,
    teams: rules.teams,
    ...(rules.roles && { roles: rules.roles }),
    ...(rules.short && { short: rules.short }),
    imbalance: { alpha: rules.alpha, p: norm(rules.p), q: norm(rules.q) },
    beta: rules.beta,
    ...definition,
    release: pick(Object.values(somePolicies)),
    tickSeconds: 2,
    timeoutSeconds,
    fill: 'bots',
    backfill: { priority: pick(['low', 'normal', 'high']) },
    ...(random() < 0.2 && { skillScale: 'percentile' }),
  };
  const released: Released[] = [];
  const plan = planGames({ rules: queue, tickets: all, backfills, nowMs, meetings: meetingsOf(of) });
  let step = plan.next();
  for (; !step.done; step = plan.next()) released.push(step.value);
  const { memory, timedOut } = step.value;
  const scaled = <Group extends Pick<Ticket, 'players'>>(groups: readonly Group[]) =>
    queue.skillScale === 'percentile' ? inPercentiles(groups, estimatesOf(memory, 1)) : groups;
  const tickets = scaled(all);
  const must = (holds: boolean, what: string, game?: unknown) => {
    if (!holds) throw new Error(`seed ${seed}: ${what} ${JSON.stringify({ game, queue, of })}`);
  };
  const isLate = ({ enqueuedAtMs }: Ticket) => nowMs - enqueuedAtMs >= 1000 * timeoutSeconds;
  const oracle = oracleOf({ ...of, definition, tickets });
  const isTimedOut = ({ ticketId }: Ticket) => timedOut.includes(ticketId);
  let waiting = tickets;
  for (const game of released) {
    if (isFilling(game)) {
      const running = scaled(backfills).find(({ backfillId }) => backfillId === game.backfillId)!;
      const costOf: BackfillCase['costOf'] = (teams, members) =>
        rulesCost({ ...of, definition, tickets: [] }, teams, members);
      const fillings = allFillings(running, waiting, { rules, tickets, games: [running], nowMs, costOf });
      const own = fillings.find(({ ticketIds }) => ticketIds === game.ticketIds.join());
      must(own !== undefined, 'the filling is not possible', game);
      // Tickets that are equal may be divided in several ways.
      must(
        game.imbalance >= own!.imbalance || near(game.imbalance, own!.imbalance),
        'no division is as good',
        game,
      );
      counts.fillings++;
      waiting = waiting.filter(({ ticketId }) => !game.ticketIds.includes(ticketId));
      continue;
    }
    const members = waiting.filter(({ ticketId }) => game.ticketIds.includes(ticketId));
    const [first] = members.toSorted(byArrival);
    must(members.length === game.ticketIds.length && first !== undefined, 'a ticket is not waiting', game);
    // Late tickets come first, in the order of arrival: they have a game, or time out.
    const left = waiting.filter(
      (ticket) => !isTimedOut(ticket) || (isLate(first!) && byArrival(ticket, first!) > 0),
    );
    const bots = botsOf(game, first!);
    counts.games++;
    counts.withBots += Number(bots.length > 0);
    const ticketIds = [...game.ticketIds, ...bots.map(({ ticketId }) => ticketId)].sort();
    try {
      oracle.check({ ...game, ticketIds } as Game, [...left, ...bots]);
    } catch (error) {
      must(false, (error as Error).message, game);
    }
    const best = Math.min(...oracle.allGames(left).map(({ priority }) => priority));
    must(game.lowerBound <= best || near(game.lowerBound, best), `the bound is above ${best}`, game);
    must(game.optimal === (game.lowerBound === game.priority), 'optimal is wrong', game);
    if (game.optimal && isLate(first!) && bots.length === 0 && game.imbalance > 0) counts.proved++;
    waiting = waiting.filter(({ ticketId }) => !game.ticketIds.includes(ticketId));
  }
  const ended = [...released.flatMap(({ ticketIds }) => ticketIds), ...timedOut];
  must(new Set(ended).size === ended.length, 'a ticket ends twice');
}

/** The bots of a game as tickets: they have the mean skill of the ticket that came to its time-out, and its wait. */
export function botsOf({ teams }: Game, late: Ticket): Ticket[] {
  return teams.flat().flatMap(({ playerId, bot }) =>
    bot
      ? [
          {
            ticketId: playerId,
            enqueuedAtMs: late.enqueuedAtMs,
            players: [{ playerId, skill: meanSkill(late), bot }],
          },
        ]
      : [],
  );
}
