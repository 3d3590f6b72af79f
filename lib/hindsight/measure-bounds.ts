import type { QueueDefinition } from '../contract/queue-definition.ts';
import { isPaperShape, partyMixes, RoleTable, shapeOf } from '../engine/game-pool.ts';
import type { GameRules, Ticket } from '../engine/types.ts';
import { gameRulesOf } from '../policies/plan.ts';
import { seededRandom } from '../simulation/random.ts';
import type { Traffic } from '../simulation/traffic.ts';
import { type Chooser, SizeChooser } from './chooser.ts';
import { hindsightCost } from './hindsight-schedule.ts';
import { type Instance, instanceOf } from './instance.ts';
import { lowerBound } from './lower-bound.ts';
import { type PlayedSchedule, playedSchedule } from './played-schedule.ts';
import { RoleChooser } from './role-chooser.ts';

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
  /**
   * The same for players who arrived in the middle of the span. Tickets near the end may play with later ones, so the
   * linear program pays only their waits until the end. In the middle that matters less; but the part of a bound that falls on some of
   * the tickets is none.
   */
  readonly middle: { readonly program: number; readonly optionValue: number };
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
  const { instance, kinds, chooser, release, rules } = programOf(definition, traffic, players);
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
  const bound = await lowerBound(instance, { schedule: own.games, kinds, chooser });
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
    middle: middleOf(instance, bound.programPrices, own),
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
  const instance = instanceOf(firstTickets(traffic, players), { seats, tickSeconds, waitCost, skillScale });
  return { instance, release, rules, ...chooserOf(rules, instance) };
}

/** The values of `waitCost`, relative to the true one, that are tried besides. */
const OTHER_WAIT_COSTS = [0.5, 0.7, 0.85, 1.2, 1.4, 2];
/** The middle of the span, as shares of its ticks. */
const MIDDLE = [0.2, 0.7] as const;

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

/** With parties, roles are ignored: the bound then also holds for games that lack some. */
function chooserOf(rules: GameRules, { parts, seats }: Instance): { chooser: Chooser; kinds: Uint8Array } {
  const roles = RoleTable.of(rules);
  const isSolo = parts.every(({ size }) => size === 1);
  if (roles !== undefined && isSolo) {
    const kinds = Uint8Array.from(parts, ({ ticket }) => roles.maskOf(ticket.players[0]));
    return { chooser: new RoleChooser(rules, seats), kinds };
  }
  const mixes = partyMixes(shapeOf(rules)).filter((mix) => !isSolo || mix[1] === seats);
  return { chooser: new SizeChooser(mixes), kinds: Uint8Array.from(parts, ({ size }) => size) };
}

function middleOf({ parts, end }: Instance, prices: Float64Array, { costs }: PlayedSchedule) {
  const first = Math.min(...parts.map(({ slot }) => slot));
  const [from, to] = MIDDLE.map((share) => first + share * (end - first));
  let players = 0;
  let program = 0;
  let optionValue = 0;
  parts.forEach(({ arrived, size }, at) => {
    if (arrived < from || arrived > to) return;
    players += size;
    program += prices[at];
    optionValue += costs[at];
  });
  return { program: program / players, optionValue: optionValue / players };
}
