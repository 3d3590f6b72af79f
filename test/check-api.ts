/**
 * Second opinions about the OpenAPI document: two linters find nothing, and the clients of four generators compile and post a ticket to the
 * local service. The example backends of other languages play 60 players each, their signatures are those of the client, and the game
 * client for Unity plays on Mono. Names what it skips, because a language is not here.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMuster } from '../lib/local/start-muster.ts';
import { playBackend } from './check-api/backends.ts';
import { checkSignatures } from './check-api/sigv4.ts';
import { playUnity } from './check-api/unity.ts';
import { PYTHON_MISSING, pythonPrograms, ROOT, run, works } from './tools.ts';

const REDOCLY = '@redocly/cli@2.77.0';
const SPECTRAL = '@stoplight/spectral-cli@6.16.0';
const HEY_API = '@hey-api/openapi-ts@0.95.0';
const TYPESCRIPT = [
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  'typescript@5.9.3',
  '@types/node@24.19.2',
];
const PYTHON = ['openapi-python-client==0.29.1', 'mypy==2.4.1'];
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const QUEUE = 'duel';

const document = join(ROOT, 'docs/openapi.json');
const calls = join(ROOT, 'test/check-api');
const scratch = mkdtempSync(join(tmpdir(), 'muster-check-api-'));
const cloud = await startMuster({ port: 0 });
try {
  await lint();
  await callFromTypeScript();
  if (PYTHON_MISSING === undefined) {
    await callFromPython();
    await playBackend('python', 'python3', ['backend.py']);
    await checkSignatures('python3', 'sigv4.py');
  } else console.log(`skipped: Python, because ${PYTHON_MISSING}`);
  if (works('go', ['version'])) {
    await callFromGo();
    await playBackend('go', 'go', ['run', 'backend.go']);
    await checkSignatures('go', 'run', 'sigv4.go');
  } else console.log('skipped: Go, because go is not here');
  if (works('java', ['-version'])) {
    await playBackend('java', 'java', ['Backend.java']);
    await checkSignatures('java', 'SigV4.java');
  } else console.log('skipped: Java, because java is not here');
  if (works('mcs', ['--version']) && works('mono', ['--version'])) {
    await playUnity();
    const signer = join(scratch, 'SigV4.exe');
    await run(ROOT, 'mcs', `-out:${signer}`, 'examples/sigv4/SigV4.cs');
    await checkSignatures('mono', signer);
  } else console.log("skipped: C#, because Mono is not here (Debian's mono-mcs and mono-runtime)");
} finally {
  await cloud.stop();
  rmSync(scratch, { recursive: true, force: true });
}

async function lint(): Promise<void> {
  const rules = join(scratch, 'spectral.yaml');
  writeFileSync(rules, 'extends: ["spectral:oas"]\n');
  const redocly = await run(scratch, 'npx', '--yes', REDOCLY, 'lint', document, '--format=json');
  const { totals } = JSON.parse(redocly.slice(redocly.indexOf('{')));
  if (totals.errors + totals.warnings > 0) throw new Error(redocly);
  console.log('redocly: no error, no warning');
  await run(scratch, 'npx', '--yes', SPECTRAL, 'lint', document, '--ruleset', rules, '--fail-severity=warn');
  console.log('spectral: no error, no warning');
}

async function callFromTypeScript(): Promise<void> {
  const folder = folderOf('typescript');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  cpSync(join(calls, 'call.mts'), join(folder, 'call.ts'));
  await run(folder, 'npm', 'install', '--no-audit', '--no-fund', HEY_API, ...TYPESCRIPT);
  await run(folder, 'npx', 'openapi-ts', '-i', document, '-o', 'hey', '-c', '@hey-api/client-fetch');
  await run(folder, 'npx', 'openapi-typescript', document, '-o', 'paths.ts');
  const flags = ['--strict', '--skipLibCheck', '--noEmit', '--allowImportingTsExtensions'];
  await run(folder, 'npx', 'tsc', ...flags, '--target', 'es2022', '--module', 'preserve', 'call.ts');
  const esbuild = join(ROOT, 'node_modules/.bin/esbuild');
  await run(folder, esbuild, 'call.ts', '--bundle', '--platform=node', '--format=esm', '--outfile=call.mjs');
  const said = await run(folder, process.execPath, 'call.mjs', cloud.url, QUEUE);
  console.log(`hey-api, openapi-typescript: ${said.trim().split('\n').join(', ')}`);
}

async function callFromPython(): Promise<void> {
  const folder = folderOf('python');
  const bin = await pythonPrograms(...PYTHON);
  await run(
    folder,
    join(bin, 'openapi-python-client'),
    'generate',
    '--path',
    document,
    '--output-path',
    '.',
    '--overwrite',
  );
  cpSync(join(calls, 'call.py'), join(folder, 'call.py'));
  await run(folder, join(bin, 'mypy'), 'call.py');
  console.log(
    `openapi-python-client: ${await run(folder, join(bin, 'python'), 'call.py', cloud.url, QUEUE)}`.trim(),
  );
}

async function callFromGo(): Promise<void> {
  const folder = folderOf('go');
  const generate = ['-package', 'main', '-generate', 'types,client,skip-prune', '-o', 'muster.go', document];
  await run(folder, 'go', 'run', OAPI_CODEGEN, ...generate);
  cpSync(join(calls, 'call.go'), join(folder, 'call.go'));
  await run(folder, 'go', 'mod', 'init', 'muster');
  await run(folder, 'go', 'mod', 'tidy');
  console.log(`oapi-codegen: ${await run(folder, 'go', 'run', '.', cloud.url, QUEUE)}`.trim());
}

function folderOf(language: string): string {
  const folder = join(scratch, language);
  mkdirSync(folder);
  return folder;
}
