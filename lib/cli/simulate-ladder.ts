import type { QueueDefinition } from '../contract/queue-definition.ts';
import {
  playRated,
  type RatedMeasures,
  type RatedPlayOptions,
  type RatedResult,
} from '../simulation/rated-play.ts';
import { playInSlices } from './in-slices.ts';
import { readLadder } from './rate-report.ts';
import { textTable } from './text-table.ts';
import { type TrafficOptions, trafficOf } from './traffic-options.ts';

/** The options of `muster simulate` that have a meaning with `--ladder` alone. */
export interface LadderOptions {
  readonly community?: number;
  readonly newcomers?: number;
  readonly placement?: number;
}

/** What `muster simulate --ladder` prints. */
export interface LadderSimulation {
  readonly queue: string;
  readonly seed: number;
  readonly interrupted: boolean;
  readonly community: number;
  readonly newcomers: number;
  readonly placement: number;
  /** By what tickets brought: ratings, ratings with placement where it was asked for, and the true skills. */
  readonly runs: Readonly<Partial<Record<'rated' | 'placement' | 'trueSkills', RatedResult>>>;
}

const PLAYERS_DEFAULT = { players: 40_000 };
const COMMUNITY_DEFAULT = 1_000;
const NEWCOMERS_DEFAULT = 0.02;

/**
 * Plays a queue whose players are rated by results that are drawn from their true skills. For comparison it plays the same queue
 * with placement, and with tickets that bring the true skills.
 *
 * @throws InvalidInput | Problem that names the option, or the file and the invalid fields
 */
export async function simulateLadder(
  file: string,
  queue: QueueDefinition,
  options: TrafficOptions & LadderOptions,
  signal: AbortSignal,
): Promise<LadderSimulation> {
  const { community = COMMUNITY_DEFAULT, newcomers = NEWCOMERS_DEFAULT, placement = 0 } = options;
  const seed = Number(options.seed);
  const given: Omit<RatedPlayOptions, 'skills'> = {
    ladder: readLadder(file),
    community,
    newcomers,
    placement,
    seed,
  };
  const runs: Partial<Record<keyof LadderSimulation['runs'], RatedResult>> = {};
  const play = async (name: keyof LadderSimulation['runs'], own: Partial<RatedPlayOptions>) => {
    if (signal.aborted) return;
    const traffic = trafficOf(options, queue, PLAYERS_DEFAULT);
    const { steps, result } = playRated(queue, traffic, { ...given, skills: 'rated', ...own });
    await playInSlices(name, steps, traffic.players, signal);
    runs[name] = result();
  };
  await play('rated', { placement: 0 });
  if (placement > 0) await play('placement', {});
  await play('trueSkills', { skills: 'true', placement: 0 });
  return { queue: queue.name, seed, interrupted: signal.aborted, community, newcomers, placement, runs };
}

const TITLES = {
  rated: 'tickets bring ratings',
  placement: 'ratings, and placement',
  trueSkills: 'tickets bring true skills',
} as const;

/** The results for a terminal. Ends without a line break. */
export function ladderText(result: LadderSimulation): string {
  const { queue, community, newcomers, placement, runs } = result;
  const placed = placement > 0 ? `, ${placement} placement matches` : '';
  return [
    `${queue}: ${community} players, ${percent(newcomers)} of arrivals are newcomers${placed}`,
    ...Object.entries(runs).flatMap(([name, { matches, logLoss, trueLogLoss, settling, ofNewcomers }]) => [
      '',
      `${TITLES[name as keyof typeof TITLES]}: ${matches} matches, log loss of the odds ${logLoss.toFixed(3)} (true odds ${trueLogLoss.toFixed(3)})`,
      ...textTable([
        ['matches of a player before', 'matches', 'imbalance', 'strongest', 'rating off', 'mean wait'],
        ...settling.map((one) => row('all players', one)),
        ...ofNewcomers.map((one) => row('a newcomer', one)),
      ]),
    ]),
  ].join('\n');
}

function row(of: string, measures: RatedMeasures): string[] {
  const { from, to, count, trueImbalance, strongestWins, error, waitSeconds } = measures;
  const range =
    to === Number.POSITIVE_INFINITY ? `${from} and more` : to === 1 ? '0' : `${from} to ${to - 1}`;
  return [
    `${of}, ${range}`,
    String(count),
    shown(trueImbalance),
    percent(strongestWins),
    shown(error),
    `${shown(waitSeconds)} s`,
  ];
}

const shown = (value: number) => (Number.isNaN(value) ? '–' : String(Number(value.toPrecision(3))));
const percent = (part: number) => (Number.isNaN(part) ? '–' : `${Number((100 * part).toPrecision(3))}%`);
