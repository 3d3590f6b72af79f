/** Synthesizes the app into a folder and prints what tests need of it as JSON: see `built-app.ts`. */
import { ALL_SECRETS } from '../../lib/contract/secret-grants.ts';
import { synthesize, type Template } from '../../lib/infra/synthesize.ts';

/** A synthesized app, and the folder of each function's bundle by its logical id. */
export interface BuiltApp {
  readonly template: Template;
  readonly outdir: string;
  readonly assets: Readonly<Record<string, string>>;
}

const [variant, outdir] = process.argv.slice(2) as [string, string];
const app = synthesize({ outdir, ...(variant === 'local' && { secretGrants: ALL_SECRETS, push: true }) });
const functions = Object.entries(app.template.Resources).filter(
  ([, { Type }]) => Type === 'AWS::Lambda::Function',
);
const built: BuiltApp = {
  template: app.template,
  outdir: app.outdir,
  assets: Object.fromEntries(functions.map(([id]) => [id, app.assetPathOf(id)])),
};
process.stdout.write(JSON.stringify(built));
