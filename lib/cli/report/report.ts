import type { Quantile } from '../../simulation/measures.ts';
import { settingText, type TunePoint } from '../../simulation/tune.ts';
import { figureOf } from './chart.ts';
import { escaped, htmlTable, page } from './page.ts';
import { numbersOf, type ReportRun, rulingOf, settingsTable, waitsOf } from './run-tables.ts';

/** Queues on the same arrivals. */
export interface ReportSection {
  readonly title: string;
  /** Which players arrived, at what rate, with which seed. */
  readonly text: string;
  readonly runs: readonly ReportRun[];
}

/** A page with simulated queues, side by side within each section. */
export function reportPage(title: string, sections: readonly ReportSection[]): string {
  return page(
    title,
    `${sections.map(sectionOf).join('\n')}
<footer>
<p>Waits count all players. A wait runs from enqueueing to the match, the cancellation or the time-out; for players who
still wait at the end it runs to the last tick. Imbalance is α · teamGap + skillSpread, in the unit of skill. The gap
bounds how much better the best possible match of the pool at that moment can have been; it is proved, not estimated, and
its mean is over the matches that have a proven bound. Quantiles are within 0.5 %.</p>
<p>The price is an estimate from the resources that the service was measured to use for a ticket, a match and a tick, at
list prices of us-east-1, with one webhook per match. Polls, backups, alarms and data transfer are not included.</p>
</footer>`,
  );
}

/**
 * A page with the settings that a tuning has tried.
 *
 * @param targets each target as a sentence's part; empty without targets
 * @param chosen the setting that meets the targets best; undefined without targets
 */
export function tuningPage(
  title: string,
  text: string,
  points: readonly TunePoint[],
  targets: readonly string[],
  chosen: TunePoint | undefined,
): string {
  const policies = Map.groupBy(points, ({ release }) => release.policy);
  const series = [...policies, ...(chosen ? [['chosen', [chosen]] as const] : [])];
  const front = points.filter((point) => point.onFront || point === chosen);
  return page(
    title,
    `<p>${escaped(text)}</p>
${targets.length === 0 ? '' : `<p>Targets: ${escaped(targets.join('; '))}.</p>`}
${chosen === undefined ? '' : `<p>Chosen by the targets, marked → in the table: <code>${escaped(settingText(chosen))}</code></p>`}
<div class="charts">
${figureOf({
  title: 'Mean wait against mean imbalance: lower left is better',
  x: 'mean wait, seconds',
  y: 'mean imbalance, in skill',
  mark: 'dots',
  series: series.map(([name, tried]) => ({
    name,
    points: tried.map(({ waitMean, imbalanceMean }) => [waitMean, imbalanceMean] as const),
  })),
})}
</div>
<h2>The front: a shorter wait costs more imbalance</h2>
<p>No other setting has both a shorter mean wait and less mean imbalance. Waits count all players. Players who timed out
count with the time-out, players who cancelled or still wait at the end with their wait until then. Imbalances are in the unit of skill.</p>
${htmlTable(settingsTable(front, chosen))}`,
  );
}

function sectionOf({ title, text, runs }: ReportSection): string {
  const warnings = runs.flatMap(({ name, warnings }) => warnings.map((warning) => `${name}: ${warning}`));
  return `<section>
<h2>${escaped(title)}</h2>
<p>${escaped(text)}</p>
${[...new Set(warnings)].map((warning) => `<p class="warning" role="alert">${escaped(warning)}</p>`).join('\n')}
${htmlTable(numbersOf(runs))}
<div class="charts">
${chartsOf(runs).join('\n')}
</div>
${[...runs.flatMap(waitsOf), ...runs.flatMap(rulingOf)].map(htmlTable).join('\n')}
${runs.map(detailsOf).join('\n')}
</section>`;
}

function chartsOf(runs: readonly ReportRun[]): string[] {
  const lines = (pointsOf: (run: ReportRun) => readonly (readonly [number, number])[]) => ({
    mark: 'line' as const,
    series: runs.map((run) => ({ name: run.name, points: pointsOf(run) })),
  });
  return [
    figureOf({
      title: 'Share of all players matched within this wait',
      x: 'seconds',
      y: '% of players',
      top: 100,
      ...lines(({ measures }) => cumulative(measures.waitQuantiles)),
    }),
    figureOf({
      title: 'Share of matches with at most this imbalance',
      x: 'imbalance, in skill',
      y: '% of matches',
      top: 100,
      ...lines(({ measures }) => cumulative(measures.imbalanceQuantiles)),
    }),
    figureOf({
      title: 'Players waiting, over time',
      x: 'minutes',
      y: 'players',
      ...lines(({ measures }) =>
        measures.waitingOverTime.map(({ seconds, players }) => [Math.max(0, seconds) / 60, players] as const),
      ),
    }),
  ];
}

const cumulative = (quantiles: readonly Quantile[]) =>
  quantiles.map(({ part, value }) => [value, 100 * part] as const);

function detailsOf({ name, definition }: ReportRun): string {
  return `<details><summary>Queue definition: ${escaped(name)}</summary><pre>${escaped(
    JSON.stringify(definition, null, 2),
  )}</pre></details>`;
}
