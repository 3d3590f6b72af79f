import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { type PlayResult, playThrough } from '../../../lib/simulation/play.ts';
import type { ReleaseOptions } from '../../../lib/vocabulary/release-options.ts';
import { type Scenario, SKILL_DEVIATION, trafficOf } from '../../../test/bench/scenarios.ts';
import { best, EqualWait } from './equal-wait.ts';
import { doublingWindow, linearWindow, openingWindow, period } from './widenings.ts';

/** A policy of the service on the arrivals of a scenario. */
export interface PolicyRun {
  readonly name: string;
  readonly definition: QueueDefinition;
  readonly result: PlayResult;
}

/**
 * Runs a scenario with its own policy, then on the same arrivals with `periodic` and `expanding`, tuned to the same mean
 * wait of all players: `periodic` by its period, `expanding` by the best of the windows that are tried (`bestWidening`).
 * Both are tuned on the players they are measured on, which favours them.
 *
 * @param players the number of arriving players
 * @param windows whether `expanding` is tried, which takes most of the time
 */
export function compare(scenario: Scenario, players: number, seed: number, windows = true): PolicyRun[] {
  const play = policiesOf(scenario, players, seed);
  const own = play(scenario.definition.release);
  const search = new EqualWait(play, own);
  const expanding = windows ? bestWidening(search) : undefined;
  return [own, search.turned(period()).run, ...(expanding === undefined ? [] : [expanding])];
}

/** Runs a scenario with its own policy only, as {@link compare} does. */
export function playOwn(scenario: Scenario, players: number, seed: number): PolicyRun {
  return policiesOf(scenario, players, seed)(scenario.definition.release);
}

/** Plays the arrivals of a scenario with any policy. */
function policiesOf(
  scenario: Scenario,
  players: number,
  seed: number,
): (release: ReleaseOptions) => PolicyRun {
  const traffic = trafficOf(scenario, players, seed);
  return (release) => {
    const definition = { ...scenario.definition, release };
    return { name: release.policy, definition, result: playThrough(definition, traffic) };
  };
}

/**
 * The windows of `expanding` that have the least mean imbalance, of
 *
 * - linear growth; free are the growth and the start,
 * - the same from the best start up to a cap; free are the growth and the cap,
 * - doubling in steps; free are the time between steps and the start,
 * - a fixed window that opens to everybody after a time; free are the window and the time.
 */
function bestWidening(search: EqualWait<ReleaseOptions, PolicyRun>): PolicyRun | undefined {
  const deviation = SKILL_DEVIATION;
  const linear = search.best({ from: deviation / 100, knob: (start) => linearWindow(start, deviation) });
  const start = linear?.second ?? deviation / 100;
  return best([
    linear?.run,
    search.best({
      from: deviation,
      knob: (cap) => linearWindow(start, deviation, Math.max(start, cap)),
    })?.run,
    search.best({ from: start, knob: doublingWindow })?.run,
    search.best({ from: 100, knob: (seconds) => openingWindow(seconds, deviation) })?.run,
  ]);
}
