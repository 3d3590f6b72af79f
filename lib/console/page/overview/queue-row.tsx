import { teamsText } from '../../../contract/team-kinds.ts';
import { TimeChart } from '../charts/time-chart.tsx';
import { gamesShare, type Trouble } from '../data/health.ts';
import type { LiveQueue } from '../data/live-queues.ts';
import { measuresOf } from '../data/measures.ts';
import { waitingAndMatched } from '../data/timelines.ts';
import { numberText, secondsText, shareText } from '../format.ts';
import { pathTo } from '../frame/router.ts';
import { memo } from './memo.ts';

/** A queue with what is wrong with it. */
export interface ListedQueue {
  readonly live: LiveQueue;
  readonly troubles: readonly Trouble[];
}

/** The columns of numbers. */
export const NUMBERS = [
  'Waiting',
  'Matched/min',
  'To games',
  'Wait p50',
  'Wait p99',
  'Imbalance',
  'Proved best',
  'Tick',
];

const WINDOW = { windowSeconds: 300, binSeconds: 10 };
const SERIES = [
  { name: 'waiting', colour: 'second', kind: 'line' },
  { name: 'matched', colour: 'accent', kind: 'bars', barSeconds: WINDOW.binSeconds },
] as const;

/** The line of a queue. Drawn again only when the queue has changed. */
export const QueueRow = memo(
  function QueueRow({ live, troubles }: ListedQueue) {
    const { definition, stats, atMs } = live;
    const { name } = definition;
    const measures = measuresOf(live, atMs);
    const level = troubles[0]?.level ?? 'good';
    const cells = [
      numberText(stats?.waiting),
      numberText(Math.round(measures.playersPerMinute)),
      shareText(stats && gamesShare(stats.outcomes)),
      secondsText(stats?.recentMatches.waitSecondsP50),
      secondsText(stats?.recentMatches.waitSecondsP99),
      numberText(measures.imbalance),
      shareText(measures.provedShare),
      stats?.tickMilliseconds == null ? '–' : `${numberText(Math.round(stats.tickMilliseconds))} ms`,
    ];
    return (
      <tr class={`queue-${level}`}>
        <th scope="row">
          <a class="queue-name" href={pathTo('queues', name)}>
            {name}
          </a>
          <span class="soft small">
            {teamsText(definition)} · {definition.release.policy}
          </span>
        </th>
        <td class="queue-chart">
          <TimeChart
            compact
            height={44}
            label={`${name} over the last five minutes: ${numberText(stats?.waiting)} tickets wait, ${numberText(measures.playersPerMinute)} players matched per minute`}
            series={SERIES}
            data={waitingAndMatched(live, atMs, WINDOW)}
            windowSeconds={WINDOW.windowSeconds}
            untilMs={atMs}
          />
        </td>
        {cells.map((text, at) => (
          <td key={NUMBERS[at]} data-label={NUMBERS[at]} class={at < 2 ? 'number number-big' : 'number'}>
            {text}
          </td>
        ))}
      </tr>
    );
  },
  (before, after) =>
    before.live === after.live &&
    before.troubles.map(({ text }) => text).join() === after.troubles.map(({ text }) => text).join(),
);
