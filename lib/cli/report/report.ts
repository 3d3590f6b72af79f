import { ESTIMATED_SHARES } from '../../simulation/calibration.ts';
import type { Distribution } from '../../simulation/distribution.ts';
import type { Measures, Quantile, WaitsOf } from '../../simulation/measures.ts';
import { settingText, type TunePoint } from '../../simulation/tune.ts';
import { barChart, CHART_COLOURS, lineChart, scatterChart } from './chart.ts';
import { numbersOf, type ReportRun, rulingOf, settingsTable, type Table } from './run-tables.ts';

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
export function scatterPage(
  title: string,
  text: string,
  points: readonly TunePoint[],
  targets: readonly string[],
  chosen: TunePoint | undefined,
): string {
  const policies = [...new Set(points.map(({ release }) => release.policy))];
  const chart = (read: (point: TunePoint) => [number, number], x: string, y: string) => {
    const log = points.every((point) => read(point).every((value) => value > 0));
    return scatterChart(
      { name: x, log },
      { name: y, log },
      policies.map((policy) => ({
        name: policy,
        points: points
          .filter(({ release }) => release.policy === policy)
          .map((point) => ({ at: read(point), best: point === chosen })),
      })),
    );
  };
  const front = points.filter((point) => point.onFront || point === chosen);
  return page(
    title,
    `<p>${escaped(text)}</p>
${targets.length === 0 ? '' : `<p>Targets: ${escaped(targets.join('; '))}.</p>`}
${
  chosen === undefined
    ? ''
    : `<p>Chosen by the targets, drawn larger and marked → in the table: <code>${escaped(settingText(chosen))}</code></p>`
}
<div class="charts">
<figure><figcaption>Mean wait against mean imbalance</figcaption>${chart(
      ({ waitMean, imbalanceMean }) => [waitMean, imbalanceMean],
      'mean wait, seconds',
      'mean imbalance, in skill',
    )}</figure>
<figure><figcaption>The 99 % of waits against the 90 % of imbalances</figcaption>${chart(
      ({ waitP99, imbalanceP90 }) => [waitP99, imbalanceP90],
      '99 % of waits, seconds',
      '90 % of imbalances, in skill',
    )}</figure>
</div>
<h2>The front: a shorter wait costs more imbalance</h2>
<p>No other setting has both a shorter mean wait and less mean imbalance. Waits count all players. Players who timed out
count with the time-out, players who cancelled or still wait at the end with their wait until then. Imbalances are in the unit of skill.</p>
${htmlTable(settingsTable(front), front.indexOf(chosen!))}`,
  );
}

/** @param chosen the position of a row that is marked; −1 for none */
function htmlTable({ title, columns, rows }: Table, chosen = -1): string {
  const head = columns.map((name) => `<th scope="col">${escaped(name)}</th>`).join('');
  const body = rows.map(([name, ...cells], at) => {
    const [mark, arrow] = at === chosen ? [' class="chosen"', '→ '] : ['', ''];
    return `<tr${mark}><th scope="row">${arrow}${escaped(name)}</th>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`;
  });
  return `${title === undefined ? '' : `<h3>${escaped(title)}</h3>\n`}<div class="scroll"><table><thead><tr><td></td>${head}</tr></thead><tbody>
${body.join('\n')}
</tbody></table></div>`;
}

/** One self-contained page: no script, no request to anywhere; light or dark as the reader's device is. */
function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${body}
</main>
</body>
</html>
`;
}

function sectionOf({ title, text, runs }: ReportSection): string {
  const warnings = runs.flatMap(({ name, warnings }) => warnings.map((warning) => `${name}: ${warning}`));
  return `<section>
<h2>${escaped(title)}</h2>
<p>${escaped(text)}</p>
${[...new Set(warnings)].map((warning) => `<p class="warning" role="alert">${escaped(warning)}</p>`).join('\n')}
${htmlTable(numbersOf(runs))}
<div class="charts">
${chartsOf(runs)
  .map(({ title, svg }) => `<figure><figcaption>${escaped(title)}</figcaption>${svg}</figure>`)
  .join('\n')}
</div>
${runs.flatMap(rulingOf).map(htmlTable).join('\n')}
${runs.map(detailsOf).join('\n')}
</section>`;
}

function chartsOf(runs: readonly ReportRun[]): { title: string; svg: string }[] {
  const charts = [];
  if (runs.length > 1) {
    charts.push({
      title: 'Mean wait against mean imbalance: lower left is better',
      svg: scatterChart(
        { name: 'mean wait, seconds' },
        { name: 'mean imbalance, in skill' },
        runs
          .filter(({ measures }) => measures.matches > 0)
          .map(({ name, measures }) => ({
            name,
            points: [{ at: [measures.waitSeconds.mean, measures.imbalance.mean], best: true }],
          })),
      ),
    });
  }
  charts.push(
    {
      title: 'Share of all players matched within this wait',
      svg: lineChart(
        { name: 'seconds' },
        { name: '% of players', max: 100 },
        runs.map(({ name, measures }) => ({ name, points: cumulative(measures.waitQuantiles) })),
      ),
    },
    {
      title: 'Share of matches with at most this imbalance',
      svg: lineChart(
        { name: 'imbalance, in skill' },
        { name: '% of matches', max: 100 },
        runs.map(({ name, measures }) => ({ name, points: cumulative(measures.imbalanceQuantiles) })),
      ),
    },
    { title: 'Wait by skill', svg: waitsChart(runs, (measures) => measures.waitSecondsBySkill) },
  );
  if (runs.some(({ measures }) => measures.waitSecondsByPartySize.length > 1)) {
    charts.push({
      title: 'Wait by party size',
      svg: waitsChart(runs, (measures) => measures.waitSecondsByPartySize),
    });
  }
  if (runs.some(({ measures }) => measures.waitSecondsByRole.length > 0)) {
    charts.push({ title: 'Wait by role', svg: waitsChart(runs, (measures) => measures.waitSecondsByRole) });
  }
  const reliability = reliabilityLines(runs);
  if (reliability.length > 0) {
    charts.push({
      title: 'Share of tickets matched within the estimated time, on the diagonal when estimates are right',
      svg: reliabilityChart(reliability),
    });
  }
  charts.push({
    title: 'Players waiting, over time',
    svg: lineChart(
      { name: 'minutes' },
      { name: 'players' },
      runs.map(({ name, measures }) => ({
        name,
        points: measures.waitingOverTime.map(({ seconds, players }) => [Math.max(0, seconds) / 60, players]),
      })),
    ),
  });
  return charts;
}

/** For each of `ESTIMATED_SHARES`, the share of tickets that was matched within the time estimated for it; NaN where there was none. */
export interface ReliabilityLine {
  readonly name: string;
  readonly curve: readonly number[];
}

/** A reliability diagram: the estimated share against the share that was matched, and the diagonal on which both agree. */
export function reliabilityChart(lines: readonly ReliabilityLine[]): string {
  const diagonal = [0, 100].map((percent) => [percent, percent] as const);
  return lineChart(
    { name: '% estimated', max: 100 },
    { name: '% of tickets matched within the time', max: 100 },
    [
      ...lines.map(({ name, curve }) => ({
        name,
        points: ESTIMATED_SHARES.map((part, at) => [100 * part, 100 * curve[at]!] as const).filter(
          ([, share]) => !Number.isNaN(share),
        ),
      })),
      { name: 'as estimated', points: diagonal },
    ],
  );
}

/** One run: tickets on arrival and later; several: all tickets of each. */
function reliabilityLines(runs: readonly ReportRun[]): ReliabilityLine[] {
  const lines =
    runs.length === 1
      ? (runs[0].calibration ?? [])
          .filter(({ of }) => of === 'on arrival' || of === 'later')
          .map(({ of, curve }) => ({ name: of, curve }))
      : runs.flatMap(({ name, calibration = [] }) =>
          calibration.filter(({ of }) => of === 'all').map(({ curve }) => ({ name, curve })),
        );
  return lines.filter(({ curve }) => curve.some((share) => !Number.isNaN(share)));
}

const cumulative = (quantiles: readonly Quantile[]) =>
  quantiles.map(({ part, value }): [number, number] => [value, 100 * part]);

/** One run: median, 90 and 99 %; several: the 90 % of each. */
function waitsChart(runs: readonly ReportRun[], waitsOf: (measures: Measures) => readonly WaitsOf[]): string {
  const categories = [...new Set(runs.flatMap(({ measures }) => waitsOf(measures).map((waits) => waits.of)))];
  const values = ({ measures }: ReportRun, read: (waits: Distribution) => number) =>
    categories.map((category) => {
      const waits = waitsOf(measures).find((candidate) => candidate.of === category);
      return waits === undefined || waits.count === 0 ? undefined : read(waits);
    });
  if (runs.length === 1) {
    return barChart(categories, { name: 'seconds' }, [
      { name: 'median', values: values(runs[0], ({ p50 }) => p50) },
      { name: '90 %', values: values(runs[0], ({ p90 }) => p90) },
      { name: '99 %', values: values(runs[0], ({ p99 }) => p99) },
    ]);
  }
  return barChart(
    categories,
    { name: '90 % of waits, seconds' },
    runs.map((run) => ({ name: run.name, values: values(run, ({ p90 }) => p90) })),
  );
}

function detailsOf({ name, definition }: ReportRun): string {
  return `<details><summary>Queue definition: ${escaped(name)}</summary><pre>${escaped(
    JSON.stringify(definition, null, 2),
  )}</pre></details>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const STYLE = `
${CHART_COLOURS}* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 16px; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 12px 4px 0; text-align: right; border-bottom: 1px solid var(--faint); white-space: nowrap; }
th[scope=row] { text-align: left; font-weight: 400; }
tr.chosen > * { background: var(--card); font-weight: 600; }
code { overflow-wrap: anywhere; }
@media (max-width: 600px) { th[scope=row] { min-width: 12em; white-space: normal; } thead th { white-space: normal; } }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 16px; margin: 20px 0; }
figure { margin: 0; padding: 12px; background: var(--card); border-radius: 8px; }
figcaption { font-weight: 600; margin-bottom: 8px; }
figure svg { width: 100%; height: auto; display: block; }
.warning { padding: 10px 14px; border-radius: 8px; color: var(--warn); background: var(--warn-page); }
pre { overflow-x: auto; padding: 12px; background: var(--card); border-radius: 8px; font-size: 13px; }
footer { margin-top: 3rem; font-size: .9rem; }
`;
