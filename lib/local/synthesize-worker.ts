/** Synthesizes in a process of its own and sends the result: see `synthesize-apart.ts`. */
import { Problem } from '../contract/problem.ts';
import { type SynthesizeOptions, synthesize } from '../infra/synthesize.ts';
import type { SynthesizedApart } from './synthesize-apart.ts';

process.once('message', (options: SynthesizeOptions) =>
  // Without its parent the result is of no use.
  process.send!(result(options), undefined, undefined, () => {}),
);

function result(options: SynthesizeOptions): SynthesizedApart {
  try {
    const { template, assetPathOf, outdir } = synthesize(options);
    const functions = Object.entries(template.Resources).filter(
      ([, { Type }]) => Type === 'AWS::Lambda::Function',
    );
    return { template, outdir, assets: Object.fromEntries(functions.map(([id]) => [id, assetPathOf(id)])) };
  } catch (error) {
    const { message, stack } = error as Error;
    const problem = error instanceof Problem ? { status: error.status, errors: error.errors } : undefined;
    return { failure: { message, ...(stack !== undefined && { stack }), ...(problem && { problem }) } };
  }
}
