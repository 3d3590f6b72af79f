import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseQueueDefinition } from '../../lib/contract/queue-definition.ts';
import { readLadderDefinitions, readQueueDefinitions } from '../../lib/infra/definition-folders.ts';
import { defaultQueuesDir } from '../../lib/infra/stack-options.ts';
import { functionNamed, resourcesOf } from './resources.ts';
import { synthesized, temporaryFolder } from './synthesized.ts';

const duel = {
  name: 'duel',
  teamSize: 1,
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'greedy' },
  tickSeconds: 2,
  timeoutSeconds: 300,
};

function folder(files: Record<string, unknown>): string {
  const dir = temporaryFolder();
  for (const [file, content] of Object.entries(files)) {
    writeFileSync(join(dir, file), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
  return dir;
}

describe('a folder of ladder definitions', () => {
  const ranked = { name: 'ranked', beta: 200 };

  it('beside that of the queues becomes an input of deploy-queues too', () => {
    const project = temporaryFolder();
    for (const [kind, one] of Object.entries({ queues: { ...duel, ladder: 'ranked' }, ladders: ranked })) {
      mkdirSync(join(project, kind));
      writeFileSync(join(project, kind, 'one.json'), JSON.stringify(one, null, 2));
    }
    const { template } = synthesized({ queuesDir: join(project, 'queues') });
    const [resource] = resourcesOf(template, 'Custom::QueueDefinitions');
    expect(resource!.Properties).toMatchObject({
      definitions: { duel: JSON.stringify({ ...duel, ladder: 'ranked' }) },
      ladders: { ranked: JSON.stringify(ranked) },
    });
  });

  it('has only valid definitions, each with another name', () => {
    expect(readLadderDefinitions(folder({ 'ranked.json': ranked }))).toHaveProperty('ranked');
    expect(() => readLadderDefinitions(folder({ 'ranked.json': { ...ranked, beta: 0 } }))).toThrow(
      /ranked\.json.*#\/beta/s,
    );
    expect(() => readLadderDefinitions(folder({ 'one.json': ranked, 'two.json': ranked }))).toThrow(
      /Expected ladder names to be unique, got "ranked" in both .*one\.json and .*two\.json/,
    );
  });

  it('has the ladder that a queue names, or the queue is rejected with its file and what to do', () => {
    const dir = folder({ 'duel.json': { ...duel, ladder: 'ranked' } });
    expect(() => readQueueDefinitions(dir, {}, { ladders: { casual: '{}' } })).toThrow(
      /duel\.json.*#\/ladder: Expected the name of a ladder that has a file \(casual\), got ranked: add ladders\/ranked\.json/s,
    );
    expect(readQueueDefinitions(dir, {}, { ladders: { ranked: '{}' } })).toHaveProperty('duel');
  });
});

describe('a folder of queue definitions', () => {
  it('becomes the input of deploy-queues, which changes only when a definition changes', () => {
    const { template } = synthesized({
      queuesDir: folder({ 'a.json': duel, 'notes.md': 'not a definition' }),
    });
    const [resource] = resourcesOf(template, 'Custom::QueueDefinitions');
    expect(functionNamed(template, resource!.Properties.ServiceToken)).toBe('deploy-queues');
    expect(resource!.Properties.definitions).toEqual({ duel: JSON.stringify(duel) });
  });

  it('may be empty', () => {
    expect(readQueueDefinitions(folder({}), {})).toEqual({});
  });

  it('beside the app has only valid definitions', () => {
    for (const [name, text] of Object.entries(readQueueDefinitions(defaultQueuesDir, {}))) {
      expect(parseQueueDefinition(text, name).name).toBe(name);
    }
  });

  it('with an invalid definition is rejected with the file and the field', () => {
    const dir = folder({ 'duel.json': { ...duel, teamSize: 0 } });
    expect(() => synthesized({ queuesDir: dir })).toThrow(/duel\.json.*teamSize/s);
  });

  it('may have files with a byte order mark', () => {
    const dir = folder({ 'duel.json': `\uFEFF${JSON.stringify(duel)}` });
    expect(Object.keys(readQueueDefinitions(dir, {}))).toEqual(['duel']);
  });

  it('with a file that is not JSON is rejected with the file', () => {
    expect(() => readQueueDefinitions(folder({ 'duel.json': '{' }), {})).toThrow(/duel\.json/);
  });

  it('with two definitions of the same name is rejected with both files', () => {
    const dir = folder({ 'one.json': duel, 'two.json': duel });
    expect(() => readQueueDefinitions(dir, {})).toThrow(/"duel" in both .*one\.json and .*two\.json/);
  });

  it('with a URL that no deployment can call is rejected in production, with the file and the field', () => {
    const webhooks = [{ url: 'https://10.1.2.3/hook', secret: 'duel/hook' }];
    const dir = folder({ 'duel.json': { ...duel, webhooks } });
    expect(() => readQueueDefinitions(dir, {}, { isPublic: true })).toThrow(
      /duel\.json.*webhooks\/0\/url.*expected a public address, got 10\.1\.2\.3/s,
    );
    expect(readQueueDefinitions(dir, {})).toHaveProperty('duel');
  });

  it('with a secret that its queue may not use is rejected with the file, the field and the secret', () => {
    const webhooks = [{ url: 'https://game.example/hook', secret: 'arena/hook' }];
    const dir = folder({ 'duel.json': { ...duel, webhooks } });
    expect(() => readQueueDefinitions(dir, {})).toThrow(/duel\.json.*webhooks\/0\/secret.*arena\/hook/s);
    expect(readQueueDefinitions(dir, { 'arena/hook': ['duel'] })).toHaveProperty('duel');
  });
});
