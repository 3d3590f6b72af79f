/** Synthesizes the variants of the app into a folder and prints what tests need of them as JSON: see `built-app.ts`. */
import { join } from 'node:path';
import { ALL_SECRETS } from '../../lib/contract/secret-grants.ts';
import { type SynthesizeOptions, synthesize, type Template } from '../../lib/infra/synthesize.ts';
import { AUDIENCE, ISSUER, ORIGIN } from '../local/tokens.ts';
import type { AppVariant } from './built-app.ts';

/** A synthesized app, and the folder of each function's bundle by its logical id. */
export interface BuiltApp {
  readonly template: Template;
  readonly outdir: string;
  readonly assets: Readonly<Record<string, string>>;
}

/** What `muster serve` asks for. */
const LOCAL: SynthesizeOptions = { secretGrants: ALL_SECRETS };

const [folder] = process.argv.slice(2) as [string];
// The functions are bundled once for all.
const built: Record<AppVariant, BuiltApp> = {
  plain: builtAs('plain', { context: { push: 'false' } }),
  local: builtAs('local', LOCAL),
  tokens: builtAs('tokens', {
    ...LOCAL,
    jwt: { issuer: ISSUER, audience: [AUDIENCE] },
    context: { allowedOrigins: ORIGIN },
  }),
  whole: builtAs('whole', { context: { gameSessionQueues: 'arenas' } }),
};
process.stdout.write(JSON.stringify(built));

function builtAs(variant: AppVariant, options: SynthesizeOptions = {}): BuiltApp {
  const outdir = join(folder, variant);
  const { template, outdir: assembly, assetPathOf } = synthesize({ ...options, outdir });
  const functions = Object.entries(template.Resources).filter(
    ([, { Type }]) => Type === 'AWS::Lambda::Function',
  );
  return {
    template,
    outdir: assembly,
    assets: Object.fromEntries(functions.map(([id]) => [id, assetPathOf(id)])),
  };
}
