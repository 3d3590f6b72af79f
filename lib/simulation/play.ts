import { inPlaceableRegions } from '../contract/placeable-regions.ts';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { roleSeatsOf } from '../contract/team-kinds.ts';
import type { Game, Ticket } from '../engine/types.ts';
import { adviseChoices } from '../policies/choices/advise-choices.ts';
import { addChoices, type ChoiceCounts } from '../policies/choices/choice-counts.ts';
import { choicesOf } from '../policies/choices/choices.ts';
import type { RulesOfTeams } from '../rules/relaxed-rules.ts';
import type { RuledPlayer } from '../rules/types.ts';
import { quantile } from '../service/queues/quantile.ts';
import type { Arrival } from './arrivals.ts';
import { type CalibrationOf, WaitCalibration } from './calibration.ts';
import { type CostEstimate, estimateCost } from './estimate-cost.ts';
import { type Measures, Meter } from './measures.ts';
import type { Observer } from './observer.ts';
import { shortRunWarning } from './run-length.ts';
import { RunningMatches } from './running-matches.ts';
import { type Progress, type SimulatedQueue, simulate } from './simulate.ts';
import type { Traffic } from './traffic.ts';

export interface PlayResult {
  readonly measures: Measures;
  readonly cost: CostEstimate;
  /** Whether the estimated waits came true, by part of the tickets. */
  readonly calibration: readonly CalibrationOf[];
  /** Problems that no policy can fix, and reasons to doubt the measures; one sentence each. */
  readonly warnings: readonly string[];
}

/** The measures of the same queue and traffic without its backfills: what they take from the other players, or give them. */
export type WithoutBackfill = Pick<Measures, 'matches' | 'outcome' | 'waitSeconds' | 'imbalance'> & {
  /** The share of the time of all seats during which they were empty. */
  readonly emptyShare: number;
};

/** Arrivals whose choices are counted at once. */
const COUNTED_AT_ONCE = 1000;
/** Edges of the skill ranges whose waits are measured separately, as parts of the population. */
const SKILL_PARTS = [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99];

/**
 * Plays a queue definition on simulated traffic and measures it. A generator that yields after each tick; `return()` ends it
 * early, `result()` may be read at any time.
 */
export function play(
  definition: QueueDefinition,
  traffic: Traffic,
  onMatch?: (game: Game, nowMs: number) => void,
): { steps: Generator<Progress, void>; result: () => PlayResult } {
  const observers: Observer[] = onMatch ? [{ matched: (game, _tickets, nowMs) => onMatch(game, nowMs) }] : [];
  const { steps, results } = playTogether([definition], traffic, observers);
  return { steps, result: () => results()[0]! };
}

/**
 * Plays several queues on the same traffic, whose arrivals name the queues in which they wait.
 *
 * @param observers of each queue
 */
export function playTogether(
  definitions: readonly QueueDefinition[],
  traffic: Traffic,
  observers: readonly Observer[] = [],
): { steps: Generator<Progress, void>; results: () => PlayResult[] } {
  const queues = definitions.map((definition) => measuredQueue(definition, traffic, observers));
  const reached = definitions.map(() => ({ nowMs: 0, ticks: 0 }));
  function* arrivals(): Generator<Arrival, void> {
    for (const { ticket, patienceMs, inQueues = [ticket] } of traffic.arrivals)
      yield { ticket, patienceMs, inQueues: inQueues.map((own, at) => own && queues[at]!.arrived(own)) };
  }
  function* steps(): Generator<Progress, void> {
    const [first, ...also] = queues.map(({ simulated }) => simulated);
    for (const progress of simulate({ ...first!, also, arrivals: arrivals(), atEnd: traffic.atEnd })) {
      reached[progress.queue] = progress;
      yield progress;
    }
  }
  return { steps: steps(), results: () => queues.map(({ result }, at) => result(reached[at]!)) };
}

/** A queue of a simulation with what measures it. */
function measuredQueue(definition: QueueDefinition, traffic: Traffic, observers: readonly Observer[]) {
  const choices = choicesOf(definition);
  let chosen: readonly ChoiceCounts[] = [];
  let counted: Ticket[] = [];
  const meter = meterFor(traffic, Object.keys(roleSeatsOf(definition) ?? {}), definition);
  const running =
    traffic.course &&
    new RunningMatches(definition, traffic.course, skillUnitOf(skillEdgesOf(traffic.skillSample)));
  const calibration = new WaitCalibration(definition);
  const simulated: SimulatedQueue = {
    rules: definition,
    observers: [meter, ...observers, calibration],
    running,
  };
  const countChoices = () => {
    chosen = addChoices(chosen, choices, counted, 1, Number.POSITIVE_INFINITY);
    counted = [];
  };
  return {
    simulated,
    /** Counts the choices of an arriving ticket. @returns the ticket as it waits */
    arrived(ticket: Ticket): Ticket {
      const players = inPlaceableRegions(ticket.players as readonly RuledPlayer[], definition);
      const arrived = { ...ticket, players };
      counted.push(arrived);
      if (counted.length === COUNTED_AT_ONCE) countChoices();
      return arrived;
    },
    result({ nowMs, ticks }: Pick<Progress, 'nowMs' | 'ticks'>): PlayResult {
      const measures = { ...meter.read(), ...(running && { backfill: running.read(nowMs) }) };
      countChoices();
      const advised =
        measures.seconds > 0 ? adviseChoices(choices, chosen, measures.players / measures.seconds) : [];
      const warnings = [
        ...advised.map(({ advice }) => (advice?.stable === false ? advice.message : undefined)),
        traffic.atEnd === 'stop' ? shortRunWarning(measures, definition.timeoutSeconds) : undefined,
      ];
      return {
        measures,
        cost: estimateCost(measures, ticks, definition),
        calibration: calibration.read(),
        warnings: warnings.filter((warning) => warning !== undefined),
      };
    },
  };
}

/** The same definition without backfills, to compare; undefined when its matches ask for no players. */
export function withoutBackfill(definition: QueueDefinition, traffic: Traffic): QueueDefinition | undefined {
  if (traffic.course === undefined || definition.backfill === undefined) return undefined;
  const { backfill: _, ...rest } = definition;
  return rest;
}

/** The measures that show what backfills change. */
export function comparedTo({ measures }: PlayResult): WithoutBackfill {
  const { matches, outcome, waitSeconds, imbalance, backfill } = measures;
  return { matches, outcome, waitSeconds, imbalance, emptyShare: backfill!.emptyShare };
}

/** Plays to the end at once. */
export function playThrough(definition: QueueDefinition, traffic: Traffic): PlayResult {
  const { steps, result } = play(definition, traffic);
  for (const _ of steps);
  return result();
}

/** A meter whose ranges of skill and resolution suit these players. */
export function meterFor(
  { skillSample }: Traffic,
  roles: readonly string[] = [],
  rules: RulesOfTeams = {},
): Meter {
  const edges = skillEdgesOf(skillSample);
  return new Meter([...new Set(edges)], skillUnitOf(edges), roles, rules);
}

function skillEdgesOf(skillSample: readonly number[]): number[] {
  const sorted = Float64Array.from(skillSample).sort();
  return SKILL_PARTS.map((part) => quantile(sorted, part) ?? 0);
}

/** The resolution of imbalances that suits players whose skills have these edges. */
function skillUnitOf(edges: readonly number[]): number {
  return Math.max(1e-9, (edges.at(-1)! - edges[0]!) / 1e6);
}
