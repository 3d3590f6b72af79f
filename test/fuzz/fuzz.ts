import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type FuzzFailure, fuzz } from './fuzz-run.ts';
import type { FuzzRequest } from './requests.ts';

/**
 * `npm run fuzz -- [--requests N] [--seed N]`: sends random valid and invalid requests, generated from the OpenAPI
 * document, to a local cloud. `--replay FILE` sends the requests of a file, one per line in the form that a failure prints.
 * The exit status is 1 when a response or an effect is not allowed.
 */
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    replay: { type: 'string' },
  },
});
const requests = Number(values.requests);
const seed = Number(values.seed);
const startMs = performance.now();
const replay =
  values.replay === undefined
    ? undefined
    : readFileSync(values.replay, 'utf8').split('\n').filter(Boolean).map(readRequest);

const { answers, failures, errors } = await fuzz({
  requests,
  seed,
  ...(replay && { replay }),
  onFailure: (failure) => console.error(`\n${described(failure)}`),
  progress: (sent) => {
    if (sent % 5_000 === 0) console.error(`${sent} requests sent`);
  },
});

const rows = [...answers].sort(([a], [b]) => a.localeCompare(b));
for (const [what, count] of rows) console.log(`${String(count).padStart(7)}  ${what}`);
const sent = rows.reduce((sum, [, count]) => sum + count, 0);
const seconds = (performance.now() - startMs) / 1_000;
console.log(
  `\n${sent} requests, seed ${seed}, ${seconds.toFixed(0)} s, ${failures.length} failures, ${errors.length} kinds of errors`,
);
for (const error of errors) console.log(`\na function logged an error: ${error}`);
process.exitCode = failures.length + errors.length === 0 ? 0 : 1;

function described({ number, request, status, body, faults }: FuzzFailure): string {
  return [
    `request ${number} of seed ${seed}: ${request.method} ${request.path.slice(0, 200)} got status ${status} ${body}`,
    ...faults.map((fault) => `  ${fault}`),
    '  to send it again to a new cloud, put this line into a file for --replay:',
    written(request),
  ].join('\n');
}

function written({ body, ...request }: FuzzRequest): string {
  return JSON.stringify({ ...request, ...(body && { body: body.toString('base64') }) });
}

function readRequest(line: string): FuzzRequest {
  const { body, ...request } = JSON.parse(line);
  return { ...request, ...(body !== undefined && { body: Buffer.from(body, 'base64') }) };
}
