import { expect, it } from 'vitest';
import { tuningPage } from '../../lib/cli/report/report.ts';
import { requireMeasured, table, targetTexts } from '../../lib/cli/tune.ts';
import { type TunePoint, withFront } from '../../lib/simulation/tune.ts';

const point = (waitCost: number, values: Partial<TunePoint>): TunePoint => ({
  release: { policy: 'option-value', waitCost },
  matches: 1000,
  seconds: 900,
  waitMean: 10,
  waitP99: 30,
  waitMax: 60,
  imbalanceMean: 20,
  imbalanceP90: 40,
  timedOut: 0,
  cancelled: 0,
  onFront: false,
  ...values,
});
const setting = (line: string) => /\{"waitCost":(\d+)\}/.exec(line)?.[1];

it('lists on the front only settings that no other dominates, and marks the chosen one', () => {
  const points = withFront([
    point(1, { waitMean: 30, waitP99: 90, imbalanceMean: 10 }),
    point(2, { waitMean: 10, waitP99: 70, imbalanceMean: 20 }),
    // Dominated in both means, but its longest waits are the shortest.
    point(3, { waitMean: 12, waitP99: 50, imbalanceMean: 25 }),
  ]);
  const chosen = (waitCost: number) =>
    points.find(({ release }) => 'waitCost' in release && release.waitCost === waitCost);
  const onFront = table(points, chosen(2)).split('\n');
  expect(onFront.flatMap((line) => setting(line) ?? [])).toEqual(['2', '1']);
  expect(onFront.find((line) => setting(line) === '2')).toMatch(/^→/);
  const beside = table(points, chosen(3)).split('\n');
  expect(beside.flatMap((line) => setting(line) ?? [])).toEqual(['2', '1', '3']);
  expect(beside.find((line) => setting(line) === '3')).toMatch(/^→/);
  expect(beside.at(-1)).toMatch(/^It is not on the front/);
  expect(table(points, undefined)).not.toContain('→');
});

it('names the targets on the page, and marks the row of the chosen setting', () => {
  const points = withFront([
    point(1, { waitMean: 10, waitP99: 60, imbalanceMean: 50 }),
    point(2, { waitMean: 20, waitP99: 90, imbalanceMean: 40 }),
  ]);
  const html = tuningPage(
    'Tuning',
    'text',
    points,
    targetTexts({ waitP99Max: 90, timedOutMax: 0.02 }),
    points[1],
  );
  expect(html).toContain('<p>Targets: 99 % of waits at most 90 s; players timed out at most 2 %.</p>');
  const marked = html.split('\n').filter((line) => line.includes('class="chosen"'));
  expect(marked).toEqual([expect.stringContaining('→ option-value {&#34;waitCost&#34;:2}')]);
  expect(tuningPage('Tuning', 'text', points, [], undefined)).not.toMatch(/Targets|class="chosen"|→/);
});

it('refuses to choose when no setting is measured, or the run is too short for a wait to miss the target', () => {
  const run = (atEnd: 'stop' | 'drain') => ({ players: 1000, atEnd });
  const tried = [point(1, { seconds: 5 })];
  expect(() => requireMeasured([], tried, run('stop'), {})).toThrow(
    'No setting tried made 100 matches of 1000 players, which is too few to compare settings.',
  );
  expect(() => requireMeasured(tried, tried, run('stop'), { waitP99Max: 30 })).toThrow(
    'The run lasts 5 s, so no wait can be longer than the target of 30 s and every setting would meet it.',
  );
  expect(() => requireMeasured(tried, tried, run('stop'), { waitP99Max: 4 })).not.toThrow();
  expect(() => requireMeasured(tried, tried, run('drain'), { waitP99Max: 30 })).not.toThrow();
});
