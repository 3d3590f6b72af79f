import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FieldProblem, Problem, type ProblemStatus } from '../contract/problem.ts';
import type { Synthesized, SynthesizeOptions, Template } from '../infra/synthesize.ts';

/** A message of the process. */
export type SynthesisMessage =
  | {
      readonly template: Template;
      readonly outdir: string;
      readonly assets: Readonly<Record<string, string>>;
    }
  | {
      readonly failure: {
        readonly message: string;
        readonly stack?: string;
        readonly problem?: { readonly status: ProblemStatus; readonly errors: readonly FieldProblem[] };
      };
    };

/**
 * Synthesizes as {@link synthesize}, in a process that ends afterwards. The CDK and its output take 250 MB, which a service that
 * runs for hours does not need. A thread would not free most of it.
 *
 * @throws Problem when a queue definition is invalid
 */
export async function synthesizeInProcess(options: SynthesizeOptions): Promise<Synthesized> {
  // In the published package it is JavaScript.
  const javascript = new URL('./synthesize-worker.js', import.meta.url);
  const entry = existsSync(javascript) ? javascript : new URL('./synthesize-worker.ts', import.meta.url);
  // The CDK may delete a temporary folder when its process ends.
  const folder = options.outdir ?? (await mkdtemp(join(await realpath(tmpdir()), 'muster-')));
  const result = await resultOf(fileURLToPath(entry), { ...options, outdir: folder });
  if ('failure' in result) {
    if (options.outdir === undefined) await rm(folder, { recursive: true, force: true });
    const { message, stack, problem } = result.failure;
    if (problem !== undefined) throw new Problem(problem.status as 400, message, { errors: problem.errors });
    throw Object.assign(new Error(message), { stack });
  }
  const { template, outdir, assets } = result;
  const assetPathOf = (id: string): string => {
    if (assets[id] !== undefined) return assets[id];
    throw new Error(`Expected the logical id of a function with a bundle, got "${id}".`);
  };
  return { template, outdir, assetPathOf };
}

function resultOf(entry: string, options: SynthesizeOptions): Promise<SynthesisMessage> {
  return new Promise((resolve, reject) => {
    const child = fork(entry, { execArgv: [], serialization: 'advanced' });
    child.once('message', (result: SynthesisMessage) => {
      resolve(result);
      child.disconnect();
    });
    child.once('error', reject);
    child.once('exit', (status, signal) =>
      reject(new Error(`The process that synthesizes the app has ended (${signal ?? status}).`)),
    );
    child.send(options);
  });
}
