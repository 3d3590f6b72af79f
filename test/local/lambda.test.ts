import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_DELAYS } from '../../lib/local/aws-delays.ts';
import { type LambdaFunction, makeFunctions } from '../../lib/local/lambda.ts';
import { LocalCloudError } from '../../lib/local/local-cloud-error.ts';
import { newDir, stackOf, until, writeCode } from './fixtures.ts';

const SOURCES = {
  Echo: `
    let invocations = 0;
    export const handler = async (event, context) => {
      console.log('got', JSON.stringify(event));
      return { event, invocations: ++invocations, env: process.env, name: context.functionName,
        arn: context.invokedFunctionArn, remainingMs: context.getRemainingTimeInMillis() };
    };`,
  Throws: `export const handler = async () => { throw new RangeError('too far'); };`,
  Hangs: `export const handler = async () => { for (;;); };`,
  Exits: `export const handler = async () => process.exit(3);`,
  Rejects: `export const handler = () => new Promise(() => { Promise.reject(new Error('unhandled')); });`,
  Broken: `throw new Error('cannot start');`,
  NoHandler: `export const other = 1;`,
  Undefined: `export const handler = async () => undefined;`,
  Large: `export const handler = async () => 'x'.repeat(7 * 1024 * 1024);`,
  Gate: `
    export const handler = async ({ id }) => { console.log('in', id); return fetch(process.env.GATE + id).then((r) => r.text()); };`,
} as const;

/** What the template says of a function besides what all have. */
const MORE: Readonly<Record<string, object>> = {
  Gate: { ReservedConcurrentExecutions: 1 },
  // It keeps a processor busy until then.
  Hangs: { Timeout: 0.2 },
};

const dir = newDir();
const lines: string[] = [];
const problems: string[] = [];
let functions: Map<string, LambdaFunction>;

beforeAll(() => {
  const resource = (Variables: object, rest: object = {}) => ({
    Type: 'AWS::Lambda::Function',
    Properties: {
      Handler: 'index.handler',
      Role: 'arn:aws:iam::000000000000:role/R',
      Timeout: 900,
      Environment: { Variables },
      ...rest,
    },
  });
  const stack = stackOf(
    Object.fromEntries(
      Object.keys(SOURCES).map((name) => [name, resource({ TABLE: { Ref: 'AWS::Region' } }, MORE[name])]),
    ),
  );
  const made = makeFunctions(stack.resources('AWS::Lambda::Function'), {
    assetPathOf: writeCode(dir, SOURCES),
    awsEndpoint: 'http://127.0.0.1:1',
    delays: NO_DELAYS,
    log: (name, line) => lines.push(`${name} ${line}`),
    failed: (name, problem) => problems.push(`${name} ${problem}`),
  });
  functions = new Map(made.map((fn) => [fn.name, fn]));
});

afterAll(async () => {
  await Promise.all([...functions.values()].map((fn) => fn.stop()));
  rmSync(dir, { recursive: true });
});

const invoke = (name: keyof typeof SOURCES, event: unknown = {}) => functions.get(name)!.invoke(event);

describe('a function', () => {
  test('receives the event and the context, and its result is returned', async () => {
    const result = await invoke('Echo', { a: [1, null], b: undefined });
    expect(result).toMatchObject({
      ok: true,
      payload: {
        event: { a: [1, null] },
        name: 'Echo',
        arn: 'arn:aws:lambda:us-east-1:000000000000:function:Echo',
      },
    });
    const { remainingMs } = (result as { payload: { remainingMs: number } }).payload;
    expect(remainingMs).toBeGreaterThan(0);
    expect(remainingMs).toBeLessThanOrEqual(900_000);
    await until(() => lines.includes('Echo got {"a":[1,null]}'));
  });

  test('has the environment of the template and of Lambda, and no variable of the host', async () => {
    const { env } = ((await invoke('Echo')) as { payload: { env: Record<string, string> } }).payload;
    expect(env).toMatchObject({
      TABLE: 'us-east-1',
      AWS_REGION: 'us-east-1',
      AWS_LAMBDA_FUNCTION_NAME: 'Echo',
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
      MUSTER_LOCAL: '1',
    });
    expect(env.PATH).toBeUndefined();
    expect(Object.keys(env).filter((name) => !/^(AWS_|TABLE$|MUSTER_LOCAL$)/.test(name))).toEqual([]);
  });

  test('keeps its worker from one invocation to the next', async () => {
    const first = (await invoke('Echo')) as { payload: { invocations: number } };
    const second = (await invoke('Echo')) as { payload: { invocations: number } };
    expect(second.payload.invocations).toBe(first.payload.invocations + 1);
  });

  test('that returns undefined has the result null', async () => {
    expect(await invoke('Undefined')).toEqual({ ok: true, payload: null });
  });

  test.each([
    ['Throws', { errorType: 'RangeError', errorMessage: 'too far' }],
    ['Hangs', { errorType: 'Sandbox.Timedout', errorMessage: 'Task timed out after 0.20 seconds' }],
    ['Exits', { errorType: 'Runtime.ExitError' }],
    ['Rejects', { errorType: 'Error', errorMessage: 'unhandled' }],
    ['Broken', { errorType: 'Error', errorMessage: 'cannot start' }],
    ['NoHandler', { errorType: 'TypeError' }],
    ['Large', { errorType: 'Function.ResponseSizeTooLarge' }],
  ] as const)('%s reports its failure as a result in every invocation', async (name, failure) => {
    expect(await invoke(name)).toMatchObject({ ok: false, ...failure });
    expect(await invoke(name)).toMatchObject({ ok: false, ...failure });
    expect(problems.filter((problem) => problem.startsWith(`${name} ${failure.errorType}: `))).toHaveLength(
      2,
    );
  });

  test('runs one invocation at a time per worker, in the order of arrival', async () => {
    // No gate listens, so each invocation fails, one after the other in the only worker.
    const results = await Promise.all([1, 2, 3].map((id) => invoke('Gate', { id })));
    expect(results.every(({ ok }) => !ok)).toBe(true);
    await until(() => lines.filter((line) => line.startsWith('Gate in')).length === 3);
    expect(lines.filter((line) => line.startsWith('Gate in'))).toEqual([
      'Gate in 1',
      'Gate in 2',
      'Gate in 3',
    ]);
  });
});

test('making functions throws when the code of a handler is missing', () => {
  const stack = stackOf({
    Lost: { Type: 'AWS::Lambda::Function', Properties: { Handler: 'index.handler', Role: 'r' } },
  });
  const make = () =>
    makeFunctions(stack.resources('AWS::Lambda::Function'), {
      assetPathOf: () => dir,
      awsEndpoint: '',
      delays: NO_DELAYS,
      log: () => {},
      failed: () => {},
    });
  expect(make).toThrow(LocalCloudError);
  expect(make).toThrow('Lost: expected the code of the handler "index.handler"');
});
