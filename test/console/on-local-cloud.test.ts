import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startLobby } from '../../examples/lobby/server.ts';
import { queuesOf } from '../../lib/cli/client.ts';
import { nothingSeen, playBackend } from '../../lib/cli/demo/game-backend.ts';
import { playerNames } from '../../lib/cli/demo/player-names.ts';
import { type MusterClient, MusterProblem, musterClient } from '../../lib/client/index.ts';
import { type Console, startConsole } from '../../lib/console/console-server.ts';
import { connectTo } from '../../lib/console/service-connection.ts';
import { type LocalCloud, startLocalCloud } from '../../lib/local/local-cloud.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { Growing } from '../end-to-end/growing.ts';
import { builtApp } from '../infra/built-app.ts';
import { eventually } from '../patience.ts';
import { expectAccessible, startBrowser, type TestBrowser } from './browser.ts';

/** Text that would run if a page took it for HTML. It is as short as a name in the lobby. */
const HOSTILE = '<img src onerror=1>';

/** The service on this machine with the demo's traffic, its console, and a browser. */
let browser: TestBrowser;
let cloud: LocalCloud;
let client: MusterClient;
let page: Console;
const traffic = new AbortController();
let playing: Promise<void>[];
const dataDir = mkdtempSync(join(tmpdir(), 'muster-console-'));

beforeAll(async () => {
  [browser, cloud] = await Promise.all([
    startBrowser(),
    startLocalCloud({ ...builtApp('local'), port: 0, dataDir }),
  ]);
  client = musterClient({ url: cloud.url });
  page = await startConsole({ port: 0, service: connectTo({ url: cloud.url }), serviceUrl: cloud.url });
  const random = seededRandom(1);
  playing = (await queuesOf((send) => send(client))).map((definition) =>
    playBackend({
      ask: (send) => send(client),
      definition,
      rate: 2,
      random: random.fork(definition.name),
      nextName: playerNames(random.fork('names')),
      signal: traffic.signal,
      seen: nothingSeen(definition.name),
    }),
  );
  afterAll(async () => {
    traffic.abort();
    await Promise.all(playing);
    await page.stop();
    await cloud.stop();
    rmSync(dataDir, { recursive: true });
  });
});

async function open(path: string): Promise<Page> {
  const tab = await browser.page();
  onTestFinished(() => tab.close());
  await tab.goto(page.url + path);
  return tab;
}

describe('the console of a local cloud with the traffic of the demo', () => {
  it('shows its queues, a match, its tickets and why another ticket waits', async () => {
    const tab = await open('/');
    const raid = tab.getByRole('row').filter({ hasText: 'raid' });
    // A share is shown once there are matches.
    await raid
      .getByText(/^\d+ %$/)
      .first()
      .waitFor();
    await expectAccessible(tab);

    await raid.getByRole('link', { name: 'raid' }).click();
    await tab.getByRole('heading', { name: 'Latest matches' }).waitFor();
    await tab.getByRole('heading', { name: 'Why they wait' }).waitFor();
    const match = tab.getByRole('link', { name: /^\d\d:\d\d:\d\d$/ }).first();
    await match.waitFor();
    await expectAccessible(tab);

    await match.click();
    await tab.getByRole('heading', { level: 1, name: /^Match of/ }).waitFor();
    await tab.getByText(/^(Proved best|No match of the players)/).waitFor();
    await expectAccessible(tab);

    await tab.getByRole('region', { name: 'Team 1' }).getByRole('link').first().click();
    await tab.getByText('Match found').waitFor();
    await expectAccessible(tab);

    // Nobody else is within hundreds of points.
    await client.post('duel', { ticketId: 'far-away', players: [{ playerId: 'eve', skill: 99_000 }] });
    await tab.getByRole('searchbox').fill('far-away');
    await tab.keyboard.press('Enter');
    await tab.getByRole('heading', { name: 'How long yet' }).waitFor();
    await expectAccessible(tab);
  });

  it('tries a definition on the waiting tickets, saves it, and simulates it', async () => {
    const tab = await open('/queues/arena/definition');
    const editor = tab.getByLabel('The definition as JSON');
    await editor.waitFor();
    await editor.fill((await editor.inputValue()).replace('"waitCost": 10', '"waitCost": 12'));
    await tab.getByRole('button', { name: 'Run' }).click();
    await tab.getByRole('rowheader', { name: 'players in them' }).waitFor();
    await tab.getByRole('button', { name: 'Save as a new version' }).click();
    await tab.getByText('Saved. The definition is in force.').waitFor();
    expect(await client.queues.get('arena')).toMatchObject({ release: { waitCost: 12 } });
    await expectAccessible(tab);

    // The page measures once, and the queue needs some matches for it.
    await eventually(async () => {
      await tab.goto(`${page.url}/what-if/arena`);
      await tab.getByText(/^(measured from|assumed:)/).waitFor();
      expect(await tab.getByText('measured from the latest matches').isVisible()).toBe(true);
    });
    await tab.getByLabel('Players', { exact: true }).fill('500');
    await tab.getByRole('button', { name: 'Simulate' }).click();
    await tab.locator('.command > pre').waitFor();
    await expectAccessible(tab);
  });

  it('shows a hostile address as text; the service rejects a hostile name of a player', async () => {
    const players = [{ playerId: HOSTILE, skill: 1 }];
    const rejected = await client.post('duel', { ticketId: 'hostile', players }).catch((error) => error);
    expect(rejected).toBeInstanceOf(MusterProblem);
    expect(rejected.status).toBe(400);

    const duel = await client.queues.get('duel');
    await client.queues.put({ ...duel, name: 'hosted', provisioner: { type: 'external' } });
    for (const playerId of ['ann', 'bob']) {
      const ticketId = `hosted-${playerId}`;
      await client.post('hosted', { ticketId, players: [{ playerId, skill: 10 }] });
    }
    const { matchId } = await client.waitForMatch('hosted-ann', { until: ['PLACING'] });
    await client.assign(matchId!, { address: HOSTILE, port: 1, sessionId: HOSTILE });
    const tab = await open(`/matches/${matchId}`);
    await tab.getByText(HOSTILE).first().waitFor();
    expect(await tab.locator('main img').count()).toBe(0);
  });
});

describe('the lobby of the example', () => {
  let lobby: Awaited<ReturnType<typeof startLobby>>;
  beforeAll(async () => {
    // On a busy machine nobody runs out of time.
    const queue = { timeoutSeconds: 1_200, acceptance: { timeoutSeconds: 600 } };
    lobby = await startLobby({ musterUrl: cloud.url, port: 0, queue });
  });
  afterAll(() => lobby.stop());

  it('makes one match of ten tabs, which accept and see the same teams', async () => {
    const names = [HOSTILE, ...Array.from({ length: 9 }, (_, i) => `player ${i + 1}`)];
    const tabs = await Promise.all(
      names.map(async (name, i) => {
        const tab = await browser.page();
        await tab.goto(lobby.url);
        await tab.getByLabel('Name').fill(name);
        await tab.getByLabel('Skill').fill(String(1_500 + 10 * i));
        return tab;
      }),
    );
    await expectAccessible(tabs[0]!);
    for (const tab of tabs) await tab.getByRole('button', { name: 'Find match' }).click();
    await Promise.all(tabs.map((tab) => tab.getByRole('button', { name: 'Accept' }).click()));
    const teams = await Promise.all(
      tabs.map(async (tab) => {
        const team = tab.getByRole('list');
        await team.nth(1).waitFor();
        return Promise.all([0, 1].map((at) => team.nth(at).getByRole('listitem').allTextContents()));
      }),
    );
    for (const seen of teams) expect(seen).toEqual(teams[0]);
    expect(teams[0]!.map(({ length }) => length)).toEqual([5, 5]);
    expect(teams[0]!.flat().sort()).toEqual(names.toSorted());
    expect(await tabs[1]!.locator('img').count()).toBe(0);
    await expectAccessible(tabs[0]!);
    await Promise.all(tabs.map((tab) => tab.close()));
  });

  it('ignores messages that are none, and serves nothing but its page', async () => {
    const messages = new Growing<unknown>();
    const socket = new WebSocket(lobby.url.replace('http', 'ws'));
    socket.onmessage = ({ data }) => messages.add(JSON.parse(data));
    await new Promise((open) => {
      socket.onopen = open;
    });
    for (const text of ['nonsense', 'null', '[]', '{"do":"find"}', '{"do":"answer","accepted":true}'])
      socket.send(text);
    socket.send('{"do":"leave"}');
    expect(await messages.until(({ length }) => length > 0)).toEqual([{ at: 'home' }]);
    socket.close();

    expect((await fetch(`${lobby.url}/../secrets.json`)).status).toBe(404);
  });
});

it('says that the service is gone, keeps its data, and goes on when it is back', async () => {
  const tab = await open('/');
  const duel = tab.getByRole('row').filter({ hasText: 'duel' });
  await duel.waitFor();
  traffic.abort();
  await Promise.all(playing);
  const port = Number(new URL(cloud.url).port);
  await cloud.stop();
  await tab.getByText('Not everything can be read since').waitFor();
  await duel.waitFor();
  await expectAccessible(tab);
  cloud = await startLocalCloud({ ...builtApp('local'), port, dataDir });
  await tab.getByText('Not everything can be read since').waitFor({ state: 'detached' });
  await duel.waitFor();
});

it('has no errors, and sends no request to another machine', () => {
  expect(browser.complaints).toEqual([]);
});
