import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { demoPopulation } from '../../lib/cli/demo/game-backend.ts';
import { type Console, startConsole } from '../../lib/console/console-server.ts';
import { connectTo, type ServiceConnection } from '../../lib/console/service-connection.ts';
import { ladderDefinition } from '../../lib/contract/ladder.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { muster } from '../cli/muster.ts';
import { IS_LONG } from '../long.ts';
import { eventually, PATIENCE_MS } from '../patience.ts';
import { expectAccessible, startBrowser, type TestBrowser } from './browser.ts';
import { type PlayedService, startPlayedService } from './played-service.ts';

const definitionOf = (name: string): QueueDefinition =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../queues', `${name}.json`), 'utf8'));

/** A service with players and matches, its console, and a browser. */
let browser: TestBrowser;
let page: Console;
let service: PlayedService;
/** Whether the service is unreachable. */
let isGone = false;
/** Whether it does not respond to requests for statistics. */
let isSilent = false;

beforeAll(async () => {
  browser = await startBrowser();
  const queues = ['duel', 'raid'].map(definitionOf).map((definition) => ({
    definition:
      definition.name === 'raid' ? { ...definition, acceptance: { timeoutSeconds: 30 } } : definition,
    population: demoPopulation(definition),
    playersPerTick: 6,
    ticks: 20,
  }));
  service = await startPlayedService(queues, Date.now);
  const direct = connectTo({ url: service.url });
  const connection: ServiceConnection = (path, init) =>
    isGone
      ? Promise.reject(new Error('ECONNREFUSED'))
      : isSilent && path.includes('/stats')
        ? new Promise(() => {})
        : direct(path, init);
  page = await startConsole({ port: 0, service: connection, serviceUrl: service.url });
  afterAll(async () => {
    await page.stop();
    await service.stop();
  });
});

/** @param clock whether the test moves or stops the time of the page */
async function open(path: string, options?: { readonly clock: boolean }): Promise<Page> {
  const tab = await browser.page(options);
  // A page that is open goes on reading and drawing.
  onTestFinished(() => tab.close());
  await tab.goto(page.url + path);
  return tab;
}

/** Expects that a page fits a phone. The long run also expects that it is accessible, wide in the light and narrow in the dark. */
async function expectWellMade(tab: Page): Promise<void> {
  if (IS_LONG) await expectAccessible(tab);
  await tab.emulateMedia({ colorScheme: 'dark' });
  await tab.setViewportSize({ width: 390, height: 844 });
  if (IS_LONG) await expectAccessible(tab);
  expect(await tab.evaluate('document.documentElement.scrollWidth')).toBe(390);
}

describe('the overview', () => {
  it('shows every queue with its numbers, also in the dark and on a phone', async () => {
    const tab = await open('/');
    const duel = tab.getByRole('row').filter({ hasText: 'duel' });
    await duel.getByText('1 v 1 · option-value').waitFor();
    await duel
      .getByText(/^\d+ %$/)
      .first()
      .waitFor();
    await expectWellMade(tab);
    await expectAccessible(tab);
  });

  it('names the consumer that has dead letters', async () => {
    service.deadLetters.Notify = 3;
    try {
      const tab = await open('/');
      await tab.getByText('3 dead letters of Notify: read its log').waitFor();
      expect(await tab.getByText('All queues are well').count()).toBe(0);
    } finally {
      service.deadLetters.Notify = 0;
    }
  });

  it('does not say that all is well before it has heard anything', async () => {
    isSilent = true;
    try {
      const tab = await open('/');
      await tab.getByText('Nothing has been heard yet of the queues.').waitFor();
      await tab.getByText('nothing is known of them yet').waitFor();
      expect(await tab.getByText('All queues are well').count()).toBe(0);
    } finally {
      isSilent = false;
    }
  });

  it('says that the service does not respond, keeps its data, and continues when it is back', async () => {
    const tab = await open('/', { clock: true });
    const duel = tab.getByRole('row').filter({ hasText: 'duel' });
    const outage = tab.getByText('Not everything can be read since');
    /** Lets the time of the page pass until it has asked again and has heard. */
    const later = (notices: number) =>
      eventually(async () => {
        await tab.clock.fastForward(1_000);
        expect(await outage.count()).toBe(notices);
      });
    await duel.waitFor();
    isGone = true;
    await later(1);
    await duel.waitFor();
    expect(await tab.getByText('All queues are well').count()).toBe(0);
    isGone = false;
    await later(0);
    // On a busy machine the last tick may be long ago by the time that the page shows it.
    await eventually(async () => {
      service.tick();
      expect(await tab.getByText('All queues are well').count()).toBe(1);
    });
  });

  it('says which queue cannot be read, and shows the others as they are', async () => {
    const tab = await open('/');
    await tab.route('**/api/queues/raid/stats', (route) => route.fulfill({ status: 500, body: '{}' }));
    service.stats.duel = { tickOverdueSeconds: 99 };
    try {
      const wrong = tab.getByRole('region', { name: 'What is wrong' }).getByRole('listitem');
      await wrong.filter({ hasText: 'raid' }).first().waitFor();
      await wrong.filter({ hasText: 'duel' }).first().waitFor();
      expect(await tab.getByText('All queues are well').count()).toBe(0);
    } finally {
      delete service.stats.duel;
    }
  });

  it('says that its credentials have expired, or do not suffice from the beginning', async () => {
    const tab = await open('/');
    const notice = tab.getByRole('alert').filter({ hasText: 'The credentials of the console may not send' });
    await tab.getByRole('row').filter({ hasText: 'duel' }).waitFor();
    await tab.route('**/api/**', (route) => route.fulfill({ status: 403, json: { message: 'Forbidden' } }));
    await notice.waitFor();
    expect(await tab.getByText('All queues are well').count()).toBe(0);
    await tab.reload();
    await notice.waitFor();
    await tab.unroute('**/api/**');
    await tab.reload();
    await tab.getByRole('row').filter({ hasText: 'duel' }).waitFor();
    expect(await notice.count()).toBe(0);
    browser.complaints.splice(0);
  });
});

it('asks again for what could not be read once, and leaves no place behind to which one would go back', async () => {
  const tab = await open('/');
  await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const { matchId } = service.firstMatch('duel');
  isGone = true;
  try {
    await tab.getByPlaceholder('Ticket or match id').fill(matchId);
    await tab.getByRole('button', { name: 'Find' }).click();
    await tab.getByText('Not everything can be read since').waitFor();
  } finally {
    isGone = false;
  }
  await tab.getByRole('heading', { level: 1, name: /^Match of/ }).waitFor();
  await tab.goBack();
  await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  browser.complaints.splice(0);
});

describe('a ladder', () => {
  const bin = (from: number, count: number, happened: number) => ({
    from,
    to: from + 0.1,
    count,
    predicted: count === 0 ? null : from + 0.05,
    happened: count === 0 ? null : happened,
    low: count === 0 ? null : happened - 0.06,
    high: count === 0 ? null : happened + 0.06,
  });
  beforeAll(() => {
    service.ladders.ranked = {
      odds: {
        ladder: 'ranked',
        results: 1_230,
        slope: 0.81,
        logLoss: 0.641,
        brier: 0.226,
        alike: { logLoss: Math.LN2, brier: 0.25 },
        bins: [0, 0, 0.21, 0.36, 0.44, 0.57, 0.66, 0.73, 0, 0].map((happened, at) =>
          bin(at / 10, happened === 0 ? 0 : 150, happened),
        ),
      },
      ratings: [
        {
          playerId: 'ann',
          mean: 1_612.4,
          deviation: 88,
          matches: 3,
          placement: 7,
          updatedAt: '2026-01-31T12:00:00.000Z',
          recent: [1_500, 1_571, 1_540, 1_612].map((mean, at) => ({
            at: `2026-01-3${at % 2}T12:00:00Z`,
            mean,
          })),
        },
      ],
      versions: [200, 175].map((beta, at) => ({
        version: 2 - at,
        changedAt: '2026-01-31T12:00:00.000Z',
        changedBy: ['oncall', 'deployment'][at]!,
        etag: `"${2 - at}-abc"`,
        definition: ladderDefinition.parse({ name: 'ranked', beta }),
      })),
    };
  });

  it('shows the versions of its definition, and puts one in force again', async () => {
    const tab = await open('/ladders/ranked', { clock: true });
    await tab.getByText('by oncall').waitFor();
    await tab.getByRole('button', { name: 'Restore …' }).click();
    // From here on the page asks for nothing by itself.
    await tab.clock.pauseAt(Date.now() + PATIENCE_MS);
    await tab.getByRole('button', { name: 'Restore version 1 now' }).click();
    await tab.getByText('Version 1 is in force again, as version 3.').waitFor();
    await tab.getByText(', restored from version 1').waitFor();
    await tab.clock.resume();
    await expectWellMade(tab);
  });

  it('shows whether its odds hold, and the rating of a player over the latest matches', async () => {
    const tab = await open('/ladders/ranked');
    await tab.getByText('Of 1,230 rated results:').waitFor();
    await tab.getByRole('img', { name: '45 %: 44 % have won' }).waitFor();
    expect(await tab.getByRole('row').filter({ hasText: 'log loss' }).innerText()).toMatch(/0\.641\s+0\.693/);
    await expectWellMade(tab);
    await tab.getByLabel('Player id').fill('ann');
    await tab.getByRole('button', { name: 'Show' }).click();
    await tab.getByRole('heading', { name: '1,612 ± 88' }).waitFor();
    await tab.getByText('Placement: 3 of 10 played.').waitFor();
    await tab.getByRole('img', { name: 'Mean after the latest 4 matches: from 1,500 to 1,612' }).waitFor();
    await expectWellMade(tab);
  });

  it('says the odds of a match as a player would, with its result and the ratings that it changed', async () => {
    const match = service.latestMatch('duel');
    const [first, second] = match.teams.map(({ players }) => players[0]!.playerId) as [string, string];
    const rating = (mean: number) => ({ mean, deviation: 90 });
    Object.assign(match, {
      ladder: 'ranked',
      expected: [0.524, 0.476],
      result: { at: match.createdAt, ranks: [2, 1] },
      ratings: [
        { playerId: first, before: rating(1_500), after: rating(1_488) },
        { playerId: second, before: rating(1_490), after: rating(1_502) },
      ],
    });
    const tab = await open(`/matches/${match.matchId}`);
    await tab.getByText('52 to 48 for Team 1 against Team 2').waitFor();
    await tab.getByText('Team 2 has won.').waitFor();
    await tab.getByText('1,490 → 1,502').waitFor();
    await expectWellMade(tab);
  });
});

describe('the page of a queue', () => {
  it('shows who waits and why, and leads to a match and to its tickets', async () => {
    const tab = await open('/queues/raid');
    await tab.getByRole('img', { name: /waiting tickets with skills from/ }).waitFor();
    await tab.getByRole('heading', { name: 'Why they wait' }).waitFor();
    await tab.getByText('Found by the engine in this page').waitFor();
    await tab
      .getByRole('table', { name: 'by role' })
      .getByRole('row', { name: /healer/ })
      .waitFor();
    await expectWellMade(tab);
    await expectAccessible(tab);

    await tab.setViewportSize({ width: 1280, height: 800 });
    await tab
      .getByRole('link', { name: /^\d\d:\d\d:\d\d$/ })
      .first()
      .click();
    await tab.getByRole('heading', { level: 1, name: /^Match of/ }).waitFor();
    await tab.getByRole('img', { name: /^Skills\. Team 1: [\d,]+/ }).waitFor();
    await tab.getByText(/^(Proved best|No match of the players)/).waitFor();
    // Its queue requires acceptance, and the match is completed.
    await tab.getByText('Accepted', { exact: true }).waitFor();
    await tab
      .getByText(/^tank · /)
      .first()
      .waitFor();
    await expectWellMade(tab);

    await tab.getByRole('region', { name: 'Team 1' }).getByRole('link').first().click();
    await tab.getByText('Match found').waitFor();
    await tab.getByRole('link', { name: 'Its match' }).waitFor();
    await expectWellMade(tab);
    // The title of the page tells a screen reader where it is.
    await tab.locator('h1:focus').waitFor();
    expect(await tab.title()).toMatch(/^raid-\d+ · Muster$/);
  });

  it('shows the experiment on a queue with its blocks and intervals, and why it was stopped', async () => {
    const time = (minutes: number) => new Date(Date.now() - 60_000 * minutes).toISOString();
    const reason = 'one waited 130 s or longer';
    service.stats.raid = { experiment: { name: 'wider', state: 'stopped', reason } };
    service.experiments.raid = {
      queue: 'raid',
      definition: {
        name: 'wider',
        variants: [
          { name: 'today', changes: {} },
          { name: 'greedy', changes: { release: { policy: 'greedy' } } },
        ],
        blockMinutes: 20,
        days: 1,
      },
      state: 'stopped',
      reason,
      beginsAt: time(100),
      endsAt: time(10),
      seed: 1,
      burnInMinutes: 5,
      rounds: { planned: 36, counted: 1 },
      inForce: null,
      players: 90,
      blocks: [
        { block: 0, variant: 'greedy', from: time(60), until: time(40), players: 40, waitSeconds: 12 },
        { block: 1, variant: 'today', from: time(40), until: time(20), players: 50, waitSeconds: 20 },
      ],
      variants: [
        {
          name: 'greedy',
          measures: {
            waitSeconds: {
              control: 20,
              variant: 12,
              difference: -8,
              low: -11,
              high: -5,
              pValue: 0.001,
              rounds: 12,
              moreDaysToSee5Percent: 0,
              verdict: 'real',
              text: 'this is not by chance',
            },
          },
        },
      ],
    };
    onTestFinished(() => {
      delete service.stats.raid;
    });
    const tab = await open('/queues/raid');
    await tab.getByText(`The experiment wider was stopped: ${reason}.`).waitFor();
    await tab.getByRole('heading', { name: 'Experiment wider' }).waitFor();
    await tab.getByText('−11 s to −5.0 s').waitFor();
    await tab.getByRole('img', { name: /Mean wait by block/ }).waitFor();
    await expectWellMade(tab);
  });

  it('shows what becomes of matches, and the webhooks with their responses to a test', async () => {
    const since = new Date().toISOString();
    service.stats.raid = {
      linked: 3,
      outcomes: {
        since,
        tickets: { matched: 40, timedOut: 4, cancelled: 6, returned: 0 },
        matches: { found: 10, requeued: 0, ended: 0 },
        acceptance: { accepted: 1, declined: 2, notAccepted: 6, failedShare: 8 / 9 },
        failing: { step: 'acceptance', failed: 8, decided: 9, minutes: 2 },
      },
      webhooks: [
        {
          url: 'https://game.example/hook',
          state: 'failing',
          lastSuccessAt: null,
          lastFailure: { at: since, text: 'the receiver returned status 500', status: 500 },
          failures: 4,
          waiting: 2,
          waitingSince: since,
        },
      ],
    };
    onTestFinished(() => {
      delete service.stats.raid;
    });
    const tab = await open('/queues/raid');
    await tab.getByText(/^tickets waiting, 3 of them elsewhere too/).waitFor();
    await tab.getByText('8 of 9 matches of the last 2 minutes were not accepted.').waitFor();
    await tab.getByText('Accepted; lost: 6 not answered in time, 2 declined').waitFor();
    await tab.getByText('40 of 50 tickets').waitFor();
    await tab.getByText('The webhook https://game.example/hook fails').waitFor();
    await tab.getByRole('button', { name: 'Send a test event' }).click();
    await tab.getByText('https://old.example/hook: ENOTFOUND (3 ms)').waitFor();
    await expectWellMade(tab);
  });

  it('finds a waiting ticket by its id, and explains it', async () => {
    const tab = await open('/');
    await tab.getByRole('searchbox').fill(service.waitingTicket('raid').ticketId);
    await tab.keyboard.press('Enter');
    await tab.getByRole('heading', { name: 'How long yet' }).waitFor();
    await tab.getByText('The stand-in does not search').waitFor();
    await expectAccessible(tab);
  });

  it('says kindly that there is no such queue, ticket or page', async () => {
    const tab = await open('/queues/none');
    await tab.getByText('The service has no queue of this name.').waitFor();
    await tab.goto(`${page.url}/find/none`);
    await tab.getByText('The service has neither a ticket nor a match with this id.').waitFor();
    await tab.goto(`${page.url}/no/such/page`);
    await tab.getByText('The console has no page at this address.').waitFor();
  });

  it('shows hostile names as the text that they are', async () => {
    const hostile = `"><img src=x onerror="document.title='broken'"><script>document.title='broken'</script>`;
    const match = service.latestMatch('duel');
    const ticketId = match.teams[0]!.players[0]!.ticketId!;
    service.ticket(ticketId).players[0]!.playerId = hostile;
    Object.assign(service.ticket(ticketId).players[0]!, { attributes: { clan: hostile } });
    match.teams[0]!.players[0]!.playerId = hostile;
    Object.assign(match, { region: hostile, reason: hostile });
    for (const path of [`/matches/${match.matchId}`, `/tickets/${ticketId}`, '/queues/duel']) {
      const tab = await open(path);
      await tab.getByText(hostile).first().waitFor();
      expect(await tab.locator('main img, main script').count()).toBe(0);
      expect(await tab.title()).not.toBe('broken');
    }
  });
});

it('says that a page could not be shown when the service sends something else, and shows the next one', async () => {
  // Other tabs read the latest ones.
  const match = service.firstMatch('duel');
  const { teams } = match;
  Object.assign(match, { teams: null });
  const tab = await open(`/matches/${match.matchId}`);
  await tab.getByRole('heading', { name: 'This page could not be shown' }).waitFor();
  await expectAccessible(tab);
  Object.assign(match, { teams });
  // The page writes the error to the browser's console.
  expect(browser.complaints.splice(0)[0]).toContain('error');
  await tab.getByRole('link', { name: 'Go to the overview' }).click();
  await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
});

describe('the page of a definition', () => {
  it('shows each error beside its field, saves, compares, and restores an earlier version', async () => {
    const tab = await open('/queues/duel/definition');
    const editor = tab.getByLabel('The definition as JSON');
    await editor.waitFor();
    const original = await editor.inputValue();
    await editor.fill(original.replace('"waitCost": 2', '"waitCost": "two"'));
    await tab.getByText('release.waitCost:').waitFor();
    await tab.getByRole('listitem').filter({ hasText: 'Expected a number, got "two"' }).waitFor();
    expect(await tab.getByRole('button', { name: 'Save as a new version' }).isDisabled()).toBe(true);
    await expectAccessible(tab);

    await editor.fill(original.replace('"waitCost": 2', '"waitCost": 7'));
    await tab.getByText('Valid, not saved yet.').waitFor();
    await tab.getByText('added:').waitFor({ state: 'attached' });
    await tab.getByRole('button', { name: 'Run' }).click();
    await tab.getByRole('rowheader', { name: 'players in them' }).waitFor();
    await tab.getByRole('button', { name: 'Save as a new version' }).click();
    await tab.getByText('Saved. The definition is in force.').waitFor();
    await tab.getByText('Version 2 is running.').waitFor();
    await expectWellMade(tab);

    await tab.getByRole('button', { name: 'Restore …' }).click();
    await tab.getByRole('button', { name: 'Restore version 1 now' }).click();
    await tab.getByText('Version 1 is in force again, as version 3.').waitFor();
    await tab.getByText('Version 3 is running.').waitFor();
    expect(await editor.inputValue()).toBe(original);
  });

  it('replaces nothing that another person has put since the editing began, unless it is saved again', async () => {
    const tab = await open('/queues/duel/definition');
    const editor = tab.getByLabel('The definition as JSON');
    await editor.waitFor();
    const original = await editor.inputValue();
    await editor.fill(original.replace('"waitCost": 2', '"waitCost": 3'));
    const other = { ...JSON.parse(original), timeoutSeconds: 123 };
    await fetch(`${service.url}/queues/duel`, { method: 'PUT', body: JSON.stringify(other) });
    const save = tab.getByRole('button', { name: 'Save as a new version' });
    await save.click();
    await tab.getByText('since you began.').waitFor();
    await tab.getByText('"timeoutSeconds": 123').first().waitFor();
    await save.click();
    await tab.getByText('Saved. The definition is in force.').waitFor();
    await tab.reload();
    await editor.waitFor();
    expect(await editor.inputValue()).toContain('"waitCost": 3');
    await fetch(`${service.url}/queues/duel`, { method: 'PUT', body: original });
  });

  it('keeps what is typed while a save is under way, and replaces no version that came after it', async () => {
    const tab = await open('/queues/duel/definition');
    const editor = tab.getByLabel('The definition as JSON');
    await editor.waitFor();
    const original = await editor.inputValue();
    const withCost = (cost: number) => original.replace('"waitCost": 2', `"waitCost": ${cost}`);
    const save = tab.getByRole('button', { name: 'Save as a new version' });
    /** Holds the next save until it has been answered and this has run. */
    const beforeAnswer = (act: () => Promise<unknown>) =>
      tab.route(
        '**/api/queues/duel',
        async (route) => {
          const response = await route.fetch();
          await act();
          await route.fulfill({ response });
        },
        { times: 1 },
      );
    await editor.fill(withCost(31));
    await beforeAnswer(() => editor.fill(withCost(32)));
    await save.click();
    await tab.getByText('Valid, not saved yet.').waitFor();
    await tab.getByRole('button', { name: 'Save as a new version', disabled: false }).waitFor();
    expect(await editor.inputValue()).toBe(withCost(32));
    // The same save is of this person's own version, and the next one is of another's.
    const other = { ...JSON.parse(original), timeoutSeconds: 123 };
    await beforeAnswer(() =>
      fetch(`${service.url}/queues/duel`, { method: 'PUT', body: JSON.stringify(other) }),
    );
    // The page reads the other's version only after the editing goes on.
    const goesOn = Promise.withResolvers<void>();
    await tab.route('**/api/queues/duel/versions', (route) => goesOn.promise.then(() => route.continue()));
    await save.click();
    await tab.getByText('Saved. The definition is in force.').waitFor();
    await editor.fill(withCost(33));
    goesOn.resolve();
    await save.click();
    await tab.getByText('since you began.').waitFor();
    expect(await editor.inputValue()).toBe(withCost(33));
    await fetch(`${service.url}/queues/duel`, { method: 'PUT', body: original });
  });

  it('keeps an edited text while one looks at another page, and says so before the tab is closed', async () => {
    const tab = await open('/queues/duel/definition');
    const editor = tab.getByLabel('The definition as JSON');
    await editor.waitFor();
    const original = await editor.inputValue();
    await editor.fill('['.repeat(20_000));
    await tab.getByText('Expected at most 100 brackets in one another').first().waitFor();
    expect(await tab.getByRole('button', { name: 'Edit from here' }).first().isDisabled()).toBe(true);
    await tab.getByRole('link', { name: 'Overview' }).first().click();
    await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const asked = tab.waitForEvent('dialog');
    void tab.reload().catch(() => {});
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await tab.goBack();
    await editor.waitFor();
    expect(await editor.inputValue()).toHaveLength(20_000);
    await tab.getByRole('button', { name: 'Discard changes' }).click();
    await tab.getByText('This is the running definition.').waitFor();
    expect(await editor.inputValue()).toBe(original);
  });

  it('offers what may stand at the cursor', async () => {
    const tab = await open('/queues/duel/definition');
    const editor = tab.getByLabel('The definition as JSON');
    await tab.getByRole('button', { name: 'acceptance' }).click();
    await tab.getByText('acceptance.timeoutSeconds:').waitFor();
    expect(JSON.parse(await editor.inputValue())).toMatchObject({ acceptance: {} });
  });
});

describe('what if', () => {
  it('plays the queue in the browser, and prints the command that prints the same numbers', async () => {
    const tab = await open('/what-if/duel');
    await tab.getByText('measured from the latest matches').waitFor();
    await tab.getByLabel('Players', { exact: true }).fill('500');
    await tab.getByLabel('waitCost', { exact: true }).fill('9');
    await tab.getByRole('button', { name: 'Simulate' }).click();
    await tab.getByRole('columnheader', { name: 'waitCost 9' }).waitFor();
    await expectWellMade(tab);

    const command = (await tab.locator('.command > pre').textContent())!;
    const [definition, numbers] = await tab.locator('.command details pre').allTextContents();
    expect(JSON.parse(definition!)).toMatchObject({ name: 'duel', release: { waitCost: 9 } });
    const folder = mkdtempSync(join(tmpdir(), 'muster-console-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'definition.json');
    writeFileSync(file, definition!);
    const words = command.replace('definition.json', file).split(' ');
    expect(words.slice(0, 3)).toEqual(['npx', 'muster', 'simulate']);
    expect(words).toContain('500');
    const printed = await muster(...words.slice(2));
    expect(printed.stdout.trim()).toBe(numbers);
  });

  it('can be cancelled, and reports an option that is wrong', async () => {
    const tab = await open('/what-if/raid');
    await tab.getByLabel('Players', { exact: true }).fill('5000000');
    await tab.getByRole('button', { name: 'Simulate' }).click();
    await tab.getByRole('progressbar', { name: 'Progress of the simulation' }).waitFor();
    await tab.getByRole('button', { name: 'Cancel' }).click();
    await tab.getByRole('button', { name: 'Simulate' }).waitFor();
    await tab.getByLabel('Skills').fill('normal:x:1');
    await tab.getByRole('button', { name: 'Simulate' }).click();
    await tab.getByText('--skills: Expected').waitFor();
  });
});

it('has no errors, and sends no request to another machine', () => {
  expect(browser.complaints).toEqual([]);
});
