import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { demoPopulation } from '../../lib/cli/demo/game-backend.ts';
import { type Console, startConsole } from '../../lib/console/console-server.ts';
import { connectTo, type ServiceConnection } from '../../lib/console/service-connection.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { expectAccessible, startBrowser, type TestBrowser } from './browser.ts';
import { type PlayedService, startPlayedService } from './played-service.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

const definitionOf = (name: string): QueueDefinition =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../queues', `${name}.json`), 'utf8'));

/** A service with players and matches, its console, and a browser. */
let browser: TestBrowser;
let page: Console;
let service: PlayedService;
/** Whether the service is unreachable. */
let isGone = false;

beforeAll(async () => {
  browser = await startBrowser();
  const queues = ['duel', 'raid'].map(definitionOf).map((definition) => ({
    definition,
    population: demoPopulation(definition),
    playersPerTick: 6,
    ticks: 20,
  }));
  const lost = { ...definitionOf('arena'), name: 'lost' };
  service = await startPlayedService(
    [
      ...queues,
      { definition: lost, population: demoPopulation(lost), playersPerTick: 4, ticks: 1, stranded: 30 },
    ],
    Date.now,
  );
  const direct = await connectTo({ url: service.url });
  const connection: ServiceConnection = (path, init) =>
    isGone ? Promise.reject(new Error('ECONNREFUSED')) : direct(path, init);
  page = await startConsole({ port: 0, service: connection, serviceUrl: service.url });
  afterAll(async () => {
    await page.stop();
    await service.stop();
  });
});

async function open(path: string, options?: Parameters<TestBrowser['page']>[0]): Promise<Page> {
  const tab = await browser.page(options);
  await tab.goto(page.url + path);
  return tab;
}

/** Expects that a page is accessible in both colour schemes and fits a phone. */
async function expectWellMade(tab: Page): Promise<void> {
  await expectAccessible(tab);
  await tab.emulateMedia({ colorScheme: 'dark' });
  await tab.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(tab);
  expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(390);
}

describe('the overview', () => {
  it('shows every queue with its numbers, also in the dark and on a phone', async () => {
    const tab = await open('/');
    const duel = tab.getByRole('row').filter({ hasText: 'duel' });
    await duel.getByText('1 v 1 · option-value').waitFor();
    await duel.getByText(/^\d+ %$/).waitFor();
    await expectWellMade(tab);
  });

  it('says that the service does not respond, keeps its data, and goes on when it is back', async () => {
    const tab = await open('/');
    const duel = tab.getByRole('row').filter({ hasText: 'duel' });
    await duel.waitFor();
    isGone = true;
    await tab.getByText('The service has not responded since').waitFor();
    await duel.waitFor();
    isGone = false;
    await tab.getByText('The service has not responded since').waitFor({ state: 'detached' });
  });
});

it('has no errors, and sends no request to another machine', () => {
  expect(browser.complaints).toEqual([]);
});
