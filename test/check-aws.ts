/**
 * Second opinions about what only AWS would refuse, from tools of AWS: its template linter on the templates without and with every option,
 * and its DynamoDB Local under the suites of the stores. Names what it skips, because Python or Java is not here.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OPTION_NAMES, templateWith } from './infra/option-matrix.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CFN_LINT = '1.58.0';
const VENV = join(ROOT, `node_modules/.cache/cfn-lint-${CFN_LINT}`);
/** The CDK also names dependencies that a reference implies. */
const IGNORED = 'W3005';

const scratch = mkdtempSync(join(tmpdir(), 'muster-check-aws-'));
try {
  if (works('python3', ['-c', 'import venv, ensurepip'])) lintTemplates();
  else console.log('skipped: cfn-lint, because python3 with venv is not here');
  if (works('java', ['-version'])) testStores();
  else console.log('skipped: DynamoDB Local, because java is not here');
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function lintTemplates(): void {
  if (!existsSync(join(VENV, 'bin/cfn-lint'))) {
    run('python3', ['-m', 'venv', '--clear', VENV]);
    run(join(VENV, 'bin/pip'), ['install', '--quiet', `cfn-lint==${CFN_LINT}`]);
  }
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
  run(join(VENV, 'bin/cfn-lint'), ['--ignore-checks', IGNORED, '--', ...files]);
  console.log(`cfn-lint ${CFN_LINT}: ${files.length} templates without a finding`);
}

function testStores(): void {
  const suites = ['limits', 'stores', 'ratings', 'connections', 'deliveries', 'receivers'];
  const files = suites.map((suite) => `test/aws/${suite}.conformance.test.ts`);
  run(process.execPath, [
    join(ROOT, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--mode',
    'long',
    '-t',
    'dynamodb-local',
    ...files,
  ]);
}

function works(command: string, args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** Ends this process when the command fails. */
function run(command: string, args: string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: 'inherit' });
  if (status === 0) return;
  throw new Error(`${command} ${args[0]} failed: ${error?.message ?? `status ${status}`}`);
}
