import { isPaperShape, shapeOf, type Ticket } from 'muster/engine';
import { gameRulesOf } from 'muster/policies';
import { type QueueDefinition, seededRandom, type Traffic } from 'muster/simulation';
import { choosersOf } from './choosers.ts';
import { hindsightCost } from './hindsight-schedule.ts';
import { instanceOf } from './instance.ts';
import { lowerBound } from './lower-bound.ts';
import { playedSchedule } from './played-schedule.ts';
import { measureRepeated, type RepeatedBounds } from './repeated-stream.ts';

/** How far a queue with `option-value` is from the best possible. Costs are per player: imbalance + waitCost · wait in seconds. */
export interface Bounds {
  readonly players: number;
  /** No schedule costs less, not even one that knows all arrivals. */
  readonly certified: number;
  /** The value of the linear program that the certified bound approaches. Not a bound itself. */
  readonly program: number;
  /** The best schedule found with hindsight. */
  readonly hindsight: number;
  /** The best policy without hindsight, and what was changed in `option-value`. */
  readonly online: number;
  readonly onlineWaitCost: number;
  readonly optionValue: number;
  /** The same arrivals again and again, without the ends of the span. `played` is `option-value`. */
  readonly repeated: RepeatedBounds;
}

export interface MeasureOptions {
  /** Players of the span. Those who arrive later are there to play with the last ones. */
  readonly players: number;
  readonly seed: number;
  /** Exchanges that the search with hindsight tries for each ticket. @default 8000 */
  readonly trials?: number;
}

/**
 * Measures a queue with `option-value` on the first players of its traffic. Cost: a minute of processor time for 1,000
 * players or so, more than proportional to their number.
 *
 * @throws RangeError when the queue is none of two equal teams with q ≥ 2 and `option-value`
 */
export async function measureBounds(
  definition: QueueDefinition,
  traffic: Traffic,
  { players, seed, trials = 8000 }: MeasureOptions,
): Promise<Bounds> {
  const { instance, choosers, release, rules } = programOf(definition, traffic, players);
  const { waitCost } = release;
  const withWaitCost = (factor: number) =>
    playedSchedule(
      instance,
      { ...definition, release: { ...release, waitCost: factor * waitCost } },
      traffic,
    );
  const own = withWaitCost(1);
  let online = { cost: own.cost, factor: 1 };
  for (const factor of OTHER_WAIT_COSTS) {
    const { cost } = withWaitCost(factor);
    if (cost < online.cost) online = { cost, factor };
  }
  const options = { schedule: own.games, choosers };
  const bound = await lowerBound(instance, options);
  const hindsight = hindsightCost(instance, own, {
    rules,
    random: seededRandom(seed).fork('exchanges'),
    trials,
  });
  return {
    players: instance.players,
    certified: bound.certified,
    program: bound.program,
    hindsight: Math.min(hindsight, own.cost),
    online: online.cost,
    onlineWaitCost: online.factor * waitCost,
    optionValue: own.cost,
    repeated: await measureRepeated(instance, definition, traffic, { ...options, similar: bound }),
  };
}

/**
 * The first players of a queue's traffic as an instance, and what its linear program needs.
 *
 * @throws RangeError when the queue is none of two equal teams with q ≥ 2 and `option-value`
 */
export function programOf(definition: QueueDefinition, traffic: Traffic, players: number) {
  const { release, tickSeconds } = definition;
  const rules = gameRulesOf(definition);
  if (release.policy !== 'option-value')
    throw new RangeError(`Expected a queue with option-value, got ${release.policy}`);
  if (!isPaperShape(rules) || rules.q < 2)
    throw new RangeError('Expected two equal teams of up to 8 players and q of 2 or more');
  const { seats } = shapeOf(rules);
  const { waitCost } = release;
  // Of two players v_q is half of d_p, so the imbalance is v_2 times 1 + 2α.
  const skillScale = seats === 2 ? 1 + 2 * rules.alpha : 1;
  const gapCost = seats > 2 && rules.p === 1 ? rules.alpha : 0;
  const instance = instanceOf(firstTickets(traffic, players), {
    seats,
    tickSeconds,
    waitCost,
    gapCost,
    skillScale,
  });
  return { instance, release, rules, choosers: choosersOf(rules, instance) };
}

/** The values of `waitCost`, relative to the true one, that are tried besides. */
const OTHER_WAIT_COSTS = [0.5, 0.7, 0.85, 1.2, 1.4, 2];

function firstTickets(traffic: Traffic, players: number): Ticket[] {
  const tickets: Ticket[] = [];
  let count = 0;
  for (const { ticket } of traffic.arrivals) {
    if (count >= players) break;
    tickets.push(ticket);
    count += ticket.players.length;
  }
  return tickets;
}
