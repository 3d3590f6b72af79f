import type { QueueDefinition } from '../contract/queue-definition.ts';
import type { Game, Ticket } from '../engine/types.ts';
import { quantile } from '../service/queues/quantile.ts';
import type { Arrival } from './arrivals.ts';
import { type CostEstimate, estimateCost } from './cost.ts';
import { type Measures, Meter } from './measures.ts';
import { RoleCounter } from './role-counter.ts';
import { shortRunWarning } from './run-length.ts';
import { type Observer, type Progress, simulate } from './simulate.ts';
import { adviseStability } from './stability.ts';
import type { Traffic } from './traffic.ts';

export interface PlayResult {
  readonly measures: Measures;
  readonly cost: CostEstimate;
  /** Problems that no policy can fix, and reasons to doubt the measures; one sentence each. */
  readonly warnings: readonly string[];
}

/** With fewer players, a role may be over-chosen by chance. */
const ADVISE_FROM_PLAYERS = 100;
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
  const { roles } = definition;
  const meter = meterFor(traffic, Object.keys(roles ?? {}));
  const accepted = roles === undefined ? undefined : new RoleCounter();
  const observers: Observer[] = [meter];
  if (onMatch !== undefined) observers.push(matchListener(onMatch));
  let ticks = 0;

  function* steps(): Generator<Progress, void> {
    const arrivals = accepted === undefined ? traffic.arrivals : counted(traffic.arrivals, accepted);
    for (const progress of simulate({ rules: definition, arrivals, observers, atEnd: traffic.atEnd })) {
      ticks = progress.ticks;
      yield progress;
    }
  }
  return {
    steps: steps(),
    result() {
      const measures = meter.read();
      const advice =
        roles && accepted && accepted.counted >= ADVISE_FROM_PLAYERS && measures.seconds > 0
          ? adviseStability(roles, accepted.rates(measures.seconds))
          : undefined;
      const warnings = [
        advice?.stable === false ? advice.message : undefined,
        traffic.atEnd === 'stop' ? shortRunWarning(measures, definition.timeoutSeconds) : undefined,
      ];
      return {
        measures,
        cost: estimateCost(measures, ticks, definition),
        warnings: warnings.filter((warning) => warning !== undefined),
      };
    },
  };
}

/** Plays to the end at once. */
export function playThrough(definition: QueueDefinition, traffic: Traffic): PlayResult {
  const { steps, result } = play(definition, traffic);
  for (const _ of steps);
  return result();
}

/** A meter whose ranges of skill and resolution suit these players. */
export function meterFor({ skillSample }: Traffic, roles: readonly string[] = []): Meter {
  const sorted = Float64Array.from(skillSample).sort();
  const at = (part: number) => quantile(sorted, part) ?? 0;
  const edges = [...new Set(SKILL_PARTS.map(at))];
  return new Meter(edges, Math.max(1e-9, (at(0.99) - at(0.01)) / 1e6), roles);
}

function* counted(arrivals: Iterable<Arrival>, accepted: RoleCounter): Generator<Arrival, void> {
  for (const arrival of arrivals) {
    accepted.count(arrival.ticket);
    yield arrival;
  }
}

function matchListener(onMatch: (game: Game, nowMs: number) => void): Observer {
  return {
    matched: (game: Game, _tickets: readonly Ticket[], nowMs: number) => onMatch(game, nowMs),
    timedOut() {},
    cancelled() {},
    ticked() {},
  };
}
