import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startMuster } from '../../lib/local/start-muster.ts';
import { definition } from '../service/definitions.ts';
import { studioAround } from './muster.ts';

const project = mkdtempSync(join(tmpdir(), 'muster-ladders-test-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));
for (const folder of ['queues', 'ladders']) mkdirSync(join(project, folder));

const write = (path: string, content: object) =>
  writeFileSync(join(project, path), JSON.stringify(content, null, 2));
const ladder = (name: string, beta: number) => write(`ladders/${name}.json`, { name, beta });

/** Deploys the project as it is, as `muster serve --queues queues --data data` does. */
const deploy = async () =>
  studioAround(
    await startMuster({ port: 0, queuesDir: join(project, 'queues'), dataDir: join(project, 'data') }),
  );

it('ladders are deployed from their files, and a live change is kept, told in a conflict and taken back', async () => {
  ladder('ranked', 200);
  ladder('casual', 100);
  write('queues/arena.json', definition({ name: 'arena', ladder: 'ranked' }));
  const first = await deploy();
  const { ladders } = (await first.api.get('/ladders')).body;
  expect(ladders).toMatchObject([
    { name: 'casual', beta: 100 },
    { name: 'ranked', beta: 200 },
  ]);
  expect((await first.api.get('/queues/arena')).body.ladder).toBe('ranked');
  expect((await first.api.get('/ladders/ranked/versions')).body.versions).toMatchObject([
    { version: 1, changedBy: 'deployment', isDeployed: true },
  ]);
  await first.api.put('/ladders/casual', { name: 'casual', beta: 150 });
  await first.stop();

  ladder('ranked', 210);
  const second = await deploy();
  expect((await second.api.get('/ladders/ranked')).body.beta).toBe(210);
  expect((await second.api.get('/ladders/casual/versions')).body.versions).toMatchObject([
    { version: 2, isDeployed: false, definition: { beta: 150 } },
    { version: 1, changedBy: 'deployment', definition: { beta: 100 } },
  ]);
  await second.stop();

  ladder('casual', 120);
  ladder('ranked', 220);
  await expect(deploy()).rejects.toThrow(
    /Ladder casual: its file was changed.*GET \/ladders\/casual.*PUT \/ladders\/casual.*Nothing was changed\./s,
  );

  ladder('casual', 100);
  const third = await deploy();
  expect((await third.api.get('/ladders/ranked')).body.beta).toBe(220);
  const restored = await third.api.send('POST', '/ladders/casual/versions/1/restore');
  expect(restored.body).toMatchObject({ version: 3, restored: 1, definition: { beta: 100 } });
  await third.stop();

  ladder('casual', 120);
  write('queues/duel.json', definition({ name: 'duel', ladder: 'casual' }));
  rmSync(join(project, 'queues/arena.json'));
  rmSync(join(project, 'ladders/ranked.json'));
  const fourth = await deploy();
  expect((await fourth.api.get('/ladders')).body.ladders).toMatchObject([{ name: 'casual', beta: 120 }]);
  expect((await fourth.api.get('/queues/duel')).body.ladder).toBe('casual');
  await fourth.stop();
});
