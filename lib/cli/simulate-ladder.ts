import type { QueueDefinition } from '../contract/queue-definition.ts';
import { playRated, type RatedMeasures, type RatedResult } from '../simulation/rated-play.ts';
import { readLadderFile } from './input.ts';
import { playInSlices } from './progress.ts';
import { short, textTable } from './text-table.ts';
import { type TrafficOptions, trafficOf } from './traffic-options.ts';

const PLAYERS_DEFAULT = { players: 40_000 };
const COMMUNITY_DEFAULT = 1_000;
const NEWCOMERS_DEFAULT = 0.02;

/** The runs by what tickets bring, with their titles. There is one with placement where it is asked for. */
const RUNS = {
  rated: 'tickets bring ratings',
  placement: 'ratings, and placement',
  trueSkills: 'tickets bring true skills',
} as const;

/**
 * Plays a queue whose players are rated by results that are drawn from their true skills. For comparison it plays the same queue
 * with placement, and with tickets that bring the true skills.
 *
 * @throws InvalidInput | Problem that names the option, or the file and the invalid fields
 */
export async function simulateLadder(
  file: string,
  queue: QueueDefinition,
  options: TrafficOptions & { community?: number; newcomers?: number; placement?: number },
  signal: AbortSignal,
) {
  const { community = COMMUNITY_DEFAULT, newcomers = NEWCOMERS_DEFAULT, placement = 0 } = options;
  const seed = Number(options.seed);
  const ladder = readLadderFile(file);
  const runs: Partial<Record<keyof typeof RUNS, RatedResult>> = {};
  for (const name of Object.keys(RUNS) as (keyof typeof RUNS)[]) {
    if (signal.aborted || (name === 'placement' && placement === 0)) continue;
    const traffic = trafficOf(options, queue, PLAYERS_DEFAULT);
    const played = playRated(queue, traffic, {
      ladder,
      community,
      newcomers,
      seed,
      skills: name === 'trueSkills' ? 'true' : 'rated',
      placement: name === 'placement' ? placement : 0,
    });
    runs[name] = await playInSlices(name, played, traffic.players, signal);
  }
  return { queue: queue.name, seed, interrupted: signal.aborted, community, newcomers, placement, runs };
}

/** The results for a terminal. Ends without a line break. */
export function ladderText({
  queue,
  community,
  newcomers,
  placement,
  runs,
}: Awaited<ReturnType<typeof simulateLadder>>): string {
  const placed = placement > 0 ? `, ${placement} placement matches` : '';
  return [
    `${queue}: ${community} players, ${percent(newcomers)} of arrivals are newcomers${placed}`,
    ...Object.entries(runs).flatMap(([name, { matches, logLoss, trueLogLoss, settling, ofNewcomers }]) => [
      '',
      `${RUNS[name as keyof typeof RUNS]}: ${matches} matches, log loss of the odds ${logLoss.toFixed(3)} (true odds ${trueLogLoss.toFixed(3)})`,
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
    short(trueImbalance),
    percent(strongestWins),
    short(error),
    `${short(waitSeconds)} s`,
  ];
}

const percent = (part: number) => (Number.isNaN(part) ? '–' : `${short(100 * part)}%`);
