/** Synthesizes in a process of its own and sends the result: see `synthesize-in-process.ts`. */
import module from 'node:module';
import type { SynthesizeOptions } from '../infra/synthesize.ts';
import type { SynthesisMessage } from './synthesize-in-process.ts';

// Caches the compiled CDK for later processes, as `lib/cli/muster.ts` does for the commands. It saves a sixth of their CPU time.
module.enableCompileCache?.();
const { Problem } = await import('../contract/problem.ts');
const { synthesize } = await import('../infra/synthesize.ts');

process.once('message', (options: SynthesizeOptions) =>
  // Without its parent the result is of no use.
  process.send!(result(options), undefined, undefined, () => {}),
);

function result(options: SynthesizeOptions): SynthesisMessage {
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
