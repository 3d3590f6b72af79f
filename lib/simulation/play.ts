import type { QueueDefinition } from '../contract/queue-definition.ts';
import { roleSeatsOf, teamKindsOf } from '../contract/team-kinds.ts';
import type { Game, Ticket } from '../engine/types.ts';
import { quantile } from '../service/queues/quantile.ts';
import type { Arrival } from './arrivals.ts';
import { type CostEstimate, estimateCost } from './cost.ts';
import { type Measures, Meter } from './measures.ts';
import { PreferenceCounter } from './preference-counter.ts';
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
/** The maximum of kinds of seats for which the condition of a bounded wait is computed, because it checks all of their sets. */
const CHOICES_MAX = 16;
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
  const roles = roleSeatsOf(definition);
  const choices = choicesOf(definition);
  const meter = meterFor(traffic, Object.keys(roles ?? {}));
  const observers: Observer[] = [meter];
  if (onMatch !== undefined) observers.push(matchListener(onMatch));
  let ticks = 0;

  function* steps(): Generator<Progress, void> {
    const arrivals = choices.length === 0 ? traffic.arrivals : counted(traffic.arrivals, choices);
    for (const progress of simulate({ rules: definition, arrivals, observers, atEnd: traffic.atEnd })) {
      ticks = progress.ticks;
      yield progress;
    }
  }
  return {
    steps: steps(),
    result() {
      const measures = meter.read();
      const advised = choices.map(({ seats, accepted }) =>
        accepted.counted >= ADVISE_FROM_PLAYERS && measures.seconds > 0
          ? adviseStability(seats, accepted.rates(measures.seconds))
          : undefined,
      );
      const warnings = [
        ...advised.map((advice) => (advice?.stable === false ? advice.message : undefined)),
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

/** The choices of a queue's players, and the seats for them. */
interface Choice {
  readonly seats: Readonly<Record<string, number>>;
  readonly accepted: PreferenceCounter;
}

/** The roles and the sides of a queue, if there are 2 to 16 of them. */
function choicesOf(definition: QueueDefinition): Choice[] {
  const choices: Choice[] = [];
  const roles = roleSeatsOf(definition);
  if (roles) choices.push({ seats: roles, accepted: new PreferenceCounter((player) => player.roles) });
  const kinds = teamKindsOf(definition).flatMap(({ name, size, count }) =>
    name === undefined ? [] : [[name, size * count] as const],
  );
  if (kinds.length > 1)
    choices.push({
      seats: Object.fromEntries(kinds),
      accepted: new PreferenceCounter((player) => player.teams),
    });
  return choices.filter(({ seats }) => Object.keys(seats).length <= CHOICES_MAX);
}

function* counted(arrivals: Iterable<Arrival>, choices: readonly Choice[]): Generator<Arrival, void> {
  for (const arrival of arrivals) {
    for (const { accepted } of choices) accepted.count(arrival.ticket);
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
