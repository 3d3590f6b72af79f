import { setImmediate as turn } from 'node:timers/promises';
import { checkExperiment, scheduleOf } from '../contract/experiment.ts';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { type BlockTotals, endedOf, type Measure, meanOver } from '../experiments/block-totals.ts';
import type { Schedule } from '../experiments/schedule.ts';
import { type VariantEffect, variantEffects } from '../experiments/variant-effects.ts';
import { amount } from '../experiments/words.ts';
import { partOf, playAlone, playExperiment } from '../simulation/experiment.ts';
import { rounded } from '../simulation/histogram.ts';
import { readJson } from './json-file.ts';
import { playInSlices } from './progress.ts';
import { type TrafficOptions, trafficOf } from './traffic-options.ts';

const MINUTE_MS = 60_000;
const DAY_SECONDS = 86_400;

/** A measure of a variant, compared with that of the first one. */
interface MeasuredEffect extends VariantEffect {
  /** The difference when each variant has the whole queue for itself, on the same traffic: what the experiment estimates. */
  readonly alone: number;
  /** The difference when the players are split between the variants, on the same traffic. */
  readonly splitPlayers: number;
}

/** What `muster simulate --experiment` prints. */
export type ExperimentResult = Awaited<ReturnType<typeof simulateExperiment>>;

/**
 * Plays an experiment on simulated traffic. For comparison it plays each variant alone, and a split of the players.
 *
 * @throws InvalidInput | Problem that names the file and the invalid fields
 */
export async function simulateExperiment(
  file: string,
  queue: QueueDefinition,
  options: TrafficOptions,
  signal: AbortSignal,
) {
  const { experiment, definitions } = checkExperiment(readJson(file), queue, file);
  const seed = Number(options.seed);
  const traffic = trafficOf(options, queue, { players: 1, seconds: experiment.days * DAY_SECONDS });
  const [first] = traffic.arrivals;
  const schedule = scheduleOf(experiment, queue, { seed, startMs: first?.ticket.enqueuedAtMs ?? 0 });
  const played = playExperiment(definitions, schedule, traffic);
  const { counted, burntIn } = await playInSlices(experiment.name, played, traffic.players, signal);
  const others: BlockTotalsOf[] = [];
  for (const [at, definition] of definitions.entries()) {
    if (signal.aborted) break;
    others.push({
      alone: playAlone(definition, schedule, traffic),
      split: playAlone(definition, schedule, partOf(traffic, at, definitions.length, seed)),
    });
    await turn();
  }
  return {
    queue: queue.name,
    experiment: experiment.name,
    seed,
    interrupted: signal.aborted,
    blockMinutes: experiment.blockMinutes,
    burnInMinutes: schedule.burnInMs / MINUTE_MS,
    rounds: schedule.rounds,
    players: { counted: playersOf(counted), burntIn: playersOf(burntIn.beginning) + playersOf(burntIn.end) },
    variants: experiment.variants.slice(1).map(({ name }, at) => ({
      name,
      measures: effectsOf(name, at + 1, schedule, counted, others),
    })),
  };
}

/** The results for a terminal. Ends without a line break. */
export function experimentText(result: ExperimentResult): string {
  const { experiment, queue, rounds, blockMinutes, burnInMinutes, players, variants } = result;
  return [
    `${experiment} on ${queue}: ${rounds} rounds with blocks of ${blockMinutes} min; ${players.counted} players counted, ${players.burntIn} in burn-ins of ${rounded(burnInMinutes)} min`,
    ...variants.flatMap(({ measures }) =>
      Object.entries(measures).map(([measure, { text, alone, splitPlayers }]) => {
        const shown = (value: number) => amount(measure as Measure, value);
        return `  ${text} Each variant alone: ${shown(alone)}; players split: ${shown(splitPlayers)}.`;
      }),
    ),
  ].join('\n');
}

interface BlockTotalsOf {
  readonly alone: ReadonlyMap<number, BlockTotals>;
  readonly split: ReadonlyMap<number, BlockTotals>;
}

function effectsOf(
  name: string,
  variant: number,
  schedule: Schedule,
  counted: ReadonlyMap<number, BlockTotals>,
  others: readonly BlockTotalsOf[],
): Record<string, MeasuredEffect> {
  const effects: Record<string, MeasuredEffect> = {};
  for (const [measure, effect] of Object.entries(variantEffects(schedule, counted, variant, name, true))) {
    const difference = (of: keyof BlockTotalsOf) =>
      meanOver(others[variant]?.[of].values() ?? [], measure as Measure) -
      meanOver(others[0]?.[of].values() ?? [], measure as Measure);
    effects[measure] = { ...effect, alone: difference('alone'), splitPlayers: difference('split') };
  }
  return effects;
}

function playersOf(blocks: ReadonlyMap<number, BlockTotals>): number {
  return [...blocks.values()].reduce((players, totals) => players + endedOf(totals), 0);
}
