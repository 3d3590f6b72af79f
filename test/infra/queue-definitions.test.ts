import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib/core';
import { describe, expect, it } from 'vitest';
import { parseQueueDefinition } from '../../lib/contract/queue-definition.ts';
import { readLadderDefinitions, readQueueDefinitions } from '../../lib/infra/definition-folders.ts';
import { QueueDefinitions } from '../../lib/infra/queue-definitions.ts';
import { defaultQueuesDir } from '../../lib/infra/stack-options.ts';
import { stagePolicy } from '../../lib/infra/stage-policy.ts';
import { Store } from '../../lib/infra/store.ts';
import { localApp, type Synthesized, type Template } from '../../lib/infra/synthesize.ts';
import { digestOf } from '../../lib/service/domain/stored-definition.ts';
import { definition } from '../definition.ts';
import { functionNamed, resourcesOf } from './resources.ts';
import { synthesized, temporaryFolder } from './synthesized.ts';

const duel = definition({ tickSeconds: 2, timeoutSeconds: 300 });

function folder(files: Record<string, unknown>): string {
  const dir = temporaryFolder();
  for (const [file, content] of Object.entries(files)) {
    writeFileSync(join(dir, file), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
  return dir;
}

/** The definitions beside the code of deploy-queues, and the properties of its custom resource. */
function deployed({ template, assetPathOf }: Pick<Synthesized, 'template' | 'assetPathOf'>) {
  const [resource] = resourcesOf(template, 'Custom::QueueDefinitions');
  const { ServiceToken, ServiceTimeout: _, ...input } = resource!.Properties;
  expect(functionNamed(template, ServiceToken)).toBe('deploy-queues');
  const path = assetPathOf(ServiceToken['Fn::GetAtt'][0]);
  return { files: JSON.parse(readFileSync(join(path, 'definitions.json'), 'utf8')), input };
}

/** The same of a stack with their construct alone: the whole app takes a second. */
function deployedAlone(files: Record<string, unknown>) {
  const outdir = temporaryFolder();
  const context = { 'aws:cdk:enable-asset-metadata': true };
  const app = localApp(outdir, context);
  const stack = new Stack(app, 'Alone');
  const stage = stagePolicy('dev');
  new QueueDefinitions(stack, 'QueueDefinitions', {
    definitions: readQueueDefinitions(folder(files), {}),
    store: new Store(stack, 'Store', { stage }),
    secretGrants: {},
    gameSessionQueues: [],
    push: true,
    code: undefined,
    searching: [],
    stage,
  });
  const template: Template = app.synth().getStackArtifact(stack.artifactId).template;
  const assetPathOf = (id: string) =>
    join(outdir, String(template.Resources[id]!.Metadata!['aws:asset:path']));
  return deployed({ template, assetPathOf });
}

describe('a folder of ladder definitions', () => {
  const ranked = { name: 'ranked', beta: 200 };

  it('beside that of the queues becomes an input of deploy-queues too', () => {
    const project = temporaryFolder();
    for (const [kind, one] of Object.entries({ queues: { ...duel, ladder: 'ranked' }, ladders: ranked })) {
      mkdirSync(join(project, kind));
      writeFileSync(join(project, kind, 'one.json'), JSON.stringify(one, null, 2));
    }
    expect(deployed(synthesized({ queuesDir: join(project, 'queues') })).files).toEqual({
      queue: { duel: JSON.stringify({ ...duel, ladder: 'ranked' }) },
      ladder: { ranked: JSON.stringify(ranked) },
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
  it('becomes a part of deploy-queues, whose input changes only when a definition changes', () => {
    const first = deployedAlone({ 'a.json': duel, 'notes.md': 'not a definition' });
    expect(first.files).toEqual({ queue: { duel: JSON.stringify(duel) } });
    const { digest, queue } = first.input;
    expect(queue).toEqual({ duel: digestOf(parseQueueDefinition(JSON.stringify(duel), 'duel')) });
    const other = { ...duel, tickSeconds: 3 };
    expect(deployedAlone({ 'b.json': JSON.stringify(duel, null, 4) }).input).toEqual(first.input);
    expect(deployedAlone({ 'a.json': other }).input.digest).not.toBe(digest);
  });

  it('may be larger than any event, of which it takes only names and digests', () => {
    const files = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => {
        const name = `${'q'.repeat(60)}-${n}`;
        // To parse all values of all queues would take a second.
        if (n % 4 !== 0) return [`${n}.json`, { ...duel, name }];
        const values = Array.from({ length: 50 }, (_, v) => `${'map'.repeat(20)}-${v}`);
        const attributes = Object.fromEntries(
          ['first', 'second'].map((map) => [map, { type: 'string', values }]),
        );
        return [`${n}.json`, { ...duel, name, attributes }];
      }),
    );
    const { files: all, input } = deployedAlone(files);
    expect(JSON.stringify(all).length).toBeGreaterThan(256 * 1024);
    expect(2 * JSON.stringify(input).length).toBeLessThan((256 * 1024) / 2);
  });

  it('has at most 500 definitions, so that the names and digests of two deployments fit into an event', () => {
    const files = Object.fromEntries(
      Array.from({ length: 501 }, (_, n) => [`${n}.json`, { ...duel, name: `duel-${n}` }]),
    );
    expect(() => deployedAlone(files)).toThrow(
      'Expected at most 500 queue definitions in a folder, got 501. Create the others with PUT /queues/{queue}.',
    );
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
