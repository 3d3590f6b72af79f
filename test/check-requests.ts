/**
 * Random requests to the local service by Schemathesis, which reads the OpenAPI document: each operation alone, and sequences of
 * operations. No server error, and no response that the document does not describe. `npm run check:requests -- --cases 2000 --seed 7`
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { musterClient } from '../lib/client/index.ts';
import { openApi } from '../lib/contract/openapi.ts';
import { startMuster } from '../lib/local/start-muster.ts';
import { PYTHON_MISSING, pythonPrograms } from './tools.ts';

const SCHEMATHESIS = 'schemathesis==4.32.5';
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];
const { cases, seed } = parseArgs({
  options: {
    cases: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
}).values;

/** Queues whose tickets stay in each status; the last one is there to be closed. */
const QUEUES = [
  { name: 'open' },
  { name: 'asked', acceptance: { timeoutSeconds: 900 } },
  { name: 'placed', provisioner: { type: 'external', timeoutSeconds: 3600 }, backfill: {} },
  { name: 'rated', ladder: 'ranked', onePlace: true },
  { name: 'spare' },
];
const BASE = {
  teamSize: 1,
  imbalance: { alpha: 1, p: 1, q: 1 },
  release: { policy: 'greedy' },
  tickSeconds: 1,
  timeoutSeconds: 86_400,
};

if (PYTHON_MISSING === undefined) await check();
else console.log(`skipped: Schemathesis, because ${PYTHON_MISSING}`);

async function check(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'muster-check-requests-'));
  const cloud = await startMuster({ port: 0, log: ({ line }) => isError(line) && console.error(line) });
  try {
    const document = join(scratch, 'openapi.json');
    writeFileSync(document, JSON.stringify(withIds(openApi(), await played(cloud.url))));
    const bin = await pythonPrograms(SCHEMATHESIS);
    console.log(`${SCHEMATHESIS}: ${cases} cases for each operation, seed ${seed}`);
    const options = ['--checks', CHECKS.join(), '--seed', seed, '--max-examples', cases];
    // Definitions and tickets take long to draw; that is no fault of theirs.
    const unhurried = ['--suppress-health-check', 'too_slow,data_too_large', '--request-timeout', '60'];
    const limits = ['--continue-on-failure', '--no-color', ...unhurried];
    const args = ['run', document, '--url', cloud.url, ...options, ...limits];
    const [status] = await once(
      spawn(join(bin, 'schemathesis'), args, { cwd: scratch, stdio: 'inherit' }),
      'exit',
    );
    process.exitCode = status ?? 1;
  } finally {
    await cloud.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Whether a line of a log tells why a request was answered by 500. */
function isError(line: string): boolean {
  return line.includes('"level":"ERROR"');
}

/** The ids that requests use besides random ones, by the name of their parameter or field. */
type Ids = Readonly<Record<string, readonly unknown[]>>;

/** Plays a match in each queue. */
async function played(url: string): Promise<Ids> {
  const muster = musterClient({ url });
  await muster.request({ method: 'PUT', path: '/ladders/ranked', body: { name: 'ranked' } });
  const matches: string[] = [];
  const names = ['ann', 'bob'];
  for (const { name, ...own } of QUEUES) {
    await muster.queues.put({ ...BASE, ...own, name } as never);
    const tickets = names.map((player) => ({
      ticketId: `${name}-${player}`,
      players: [{ playerId: player, ...(own.ladder === undefined && { skill: 1500 }) }],
    }));
    for (const ticket of tickets) await muster.post(name, ticket as never);
    const until = ['REQUIRES_ACCEPTANCE', 'PLACING', 'COMPLETED'] as const;
    matches.push((await muster.waitForMatch(tickets[0]!.ticketId, { until })).matchId!);
  }
  return {
    queue: QUEUES.map(({ name }) => name),
    name: [...QUEUES.map(({ name }) => name), 'ranked'],
    ladder: ['ranked'],
    ticketId: QUEUES.flatMap(({ name }) => names.map((player) => `${name}-${player}`)),
    playerId: [...names, 'cem', 'dan'],
    matchId: matches,
    backfillId: ['b-1', 'b-2'],
    waitSeconds: [0, 0.2],
  };
}

/** The document with these ids as likely values; it describes the same. */
function withIds(document: object, ids: Ids): unknown {
  const likely = (name: string, schema: unknown) => ({ anyOf: [{ enum: ids[name] }, schema] });
  return JSON.parse(JSON.stringify(document), (key, value) => {
    if (typeof value !== 'object' || value === null) return value;
    if (typeof value.name === 'string' && value.in !== undefined && ids[value.name] !== undefined)
      return { ...value, schema: likely(value.name, value.schema) };
    if (key !== 'properties') return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, schema]) => [
        name,
        ids[name] === undefined ? schema : likely(name, schema),
      ]),
    );
  });
}
