/**
 * `node test/console/measure.ts`: measures the console in Chromium: the first load, the first
 * chart, interactions with 50 queues and 10,000 waiting tickets, and What if with 20,000 players of 5v5. The service is played
 * in memory.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { demoPopulation } from '../../lib/cli/demo/game-backend.ts';
import { startConsole } from '../../lib/console/console-server.ts';
import { buildPage } from '../../lib/console/page-files.ts';
import { connectTo } from '../../lib/console/service-connection.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { machine, printMarked, table } from '../tables/print.ts';
import { firstLoad } from './first-load.ts';
import { launched } from './launched.ts';
import { startPlayedService } from './played-service.ts';

const QUEUES = 50;
const WAITING = 10_000;
const RUNS = 5;

const file = join(import.meta.dirname, '../../queues/arena.json');
const arena: QueueDefinition = JSON.parse(readFileSync(file, 'utf8'));
const population = demoPopulation(arena);
const service = await startPlayedService(
  [
    { definition: arena, population, playersPerTick: 10, ticks: 60 },
    ...Array.from({ length: QUEUES - 1 }, (_, at) => ({
      definition: { ...arena, name: `queue-${at + 1}` },
      population,
      playersPerTick: 0,
      ticks: 0,
      stranded: Math.ceil(WAITING / (QUEUES - 1)),
    })),
  ],
  Date.now,
);
const page = await startConsole({
  port: 0,
  service: connectTo({ url: service.url }),
  serviceUrl: service.url,
});
const browser = await launched();
const ticks = setInterval(() => service.tick(), 1_000);
try {
  const files = await buildPage();
  const bytes = firstLoad(files).reduce((sum, name) => sum + gzipSync(files.get(name)!).length, 0);
  // The first visitor builds the page.
  await times(1, firstChartMs);
  const rows = [
    ['first load, compressed', `${(bytes / 1_000).toFixed(0)} KB`],
    ['from the navigation to the first chart', inMs(await times(RUNS, firstChartMs))],
    ['from a click or a key to the frame after it', inMs(await interactionsMs())],
    ['What if, 20,000 players of 5v5', inMs(await times(RUNS, whatIfMs))],
  ];
  console.log(`${machine()}, Chromium ${browser.version()}\n`);
  printMarked('console times', table(['what', 'result'], rows, [0, 1]));
} finally {
  clearInterval(ticks);
  await browser.close();
  await page.stop();
  await service.stop();
}

function inMs(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const [least, median, most] = [0, sorted.length >> 1, sorted.length - 1].map((at) =>
    sorted[at]!.toFixed(0),
  );
  return `median ${median} ms (${least} to ${most} ms)`;
}

async function times(runs: number, measure: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let run = 0; run < runs; run++) values.push(await measure());
  return values;
}

async function opened(path: string): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 800 } });
  const tab = await context.newPage();
  await tab.goto(page.url + path, { waitUntil: 'commit' });
  return tab;
}

/** From the navigation to a chart that is drawn. */
async function firstChartMs(): Promise<number> {
  const tab = await opened('/');
  await tab.locator('.plot svg').first().waitFor();
  const ms = await tab.evaluate<number>('performance.now()');
  await tab.context().close();
  return ms;
}

/** From an event to the frame after it: opening a queue, going back, typing into the search, opening What if. */
async function interactionsMs(): Promise<number[]> {
  const tab = await opened('/');
  await tab.getByRole('row').nth(QUEUES).waitFor();
  // Every queue has its figures.
  await tab.waitForFunction("document.querySelectorAll('.plot svg').length >= 5");
  await tab.evaluate(`
    globalThis.durations = [];
    for (const type of ['click', 'input', 'keydown'])
      addEventListener(
        type,
        // After the frame in which the change is drawn.
        ({ timeStamp }) => requestAnimationFrame(() => setTimeout(() => durations.push(performance.now() - timeStamp))),
        { capture: true },
      );`);
  for (let run = 0; run < RUNS; run++) {
    await tab.getByRole('searchbox').fill(`ticket-${run}`);
    await postDigest(tab, 'arena').click();
    await tab.getByRole('heading', { level: 1, name: 'arena' }).waitFor();
    await tab.getByRole('link', { name: 'Overview' }).first().click();
    await tab.getByRole('row').nth(QUEUES).waitFor();
    await postDigest(tab, 'queue-7').click();
    await tab.getByRole('link', { name: 'Overview' }).first().click();
    await tab.getByRole('row').nth(QUEUES).waitFor();
  }
  const durations = await tab.evaluate<number[]>('durations');
  await tab.context().close();
  return durations;
}

/** The link in the line of a queue. */
function postDigest(tab: Page, queue: string) {
  return tab.getByRole('table').getByRole('link', { name: queue, exact: true });
}

/** From the press of Simulate to the numbers. */
async function whatIfMs(): Promise<number> {
  const tab = await opened('/what-if/arena');
  await tab.getByText('measured from the latest matches').waitFor();
  await tab.getByLabel('Players', { exact: true }).fill('20000');
  const startMs = performance.now();
  await tab.getByRole('button', { name: 'Simulate' }).click();
  await tab.locator('.command > pre').waitFor();
  const ms = performance.now() - startMs;
  await tab.context().close();
  return ms;
}
