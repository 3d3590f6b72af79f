/**
 * Second opinions about what only AWS would refuse, from tools of AWS: its template linter on the templates without and with every option,
 * and its DynamoDB Local under the suites of the stores. Names what it skips, because Python or Java is not here.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OPTION_NAMES, templateWith } from './infra/option-matrix.ts';
import { PYTHON_MISSING, pythonPrograms, ROOT, run, works } from './tools.ts';

const CFN_LINT = 'cfn-lint==1.58.0';
/** The CDK also names dependencies that a reference implies. */
const IGNORED = 'W3005';

const scratch = mkdtempSync(join(tmpdir(), 'muster-check-aws-'));
try {
  if (PYTHON_MISSING === undefined) await lintTemplates();
  else console.log(`skipped: cfn-lint, because ${PYTHON_MISSING}`);
  if (works('java', ['-version'])) await testStores();
  else console.log('skipped: DynamoDB Local, because java is not here');
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function lintTemplates(): Promise<void> {
  const bin = await pythonPrograms(CFN_LINT);
  const folder = () => mkdtempSync(join(scratch, 'app-'));
  const templates = join(scratch, 'templates');
  mkdirSync(templates);
  const files = (['dev', 'prod'] as const).flatMap((stage) =>
    [[], OPTION_NAMES].map((names) => {
      const file = join(templates, `${stage}-${names.length}.json`);
      writeFileSync(file, JSON.stringify(templateWith(stage, names, folder)));
      return file;
    }),
  );
  await run(ROOT, join(bin, 'cfn-lint'), '--ignore-checks', IGNORED, '--', ...files);
  console.log(`${CFN_LINT}: ${files.length} templates without a finding`);
}

async function testStores(): Promise<void> {
  const suites = ['limits', 'stores', 'ratings', 'connections', 'deliveries', 'receivers'];
  const files = suites.map((suite) => `test/aws/${suite}.conformance.test.ts`);
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const only = ['--mode', 'long', '-t', 'dynamodb-local'];
  console.log(await run(ROOT, process.execPath, vitest, 'run', ...only, ...files));
}
