import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Emulator } from '../../lib/local/dynamodb-emulator.ts';
import type { LambdaFunction } from '../../lib/local/lambda.ts';
import type { InvocationResult } from '../../lib/local/lambda-worker.ts';
import type { Resource, Stack, Template } from '../../lib/local/template.ts';
import { readStack } from '../../lib/local/template.ts';
import { EMULATORS as ALL_EMULATORS } from '../aws/emulated-tables.ts';
import { eventually } from '../patience.ts';

/** The DynamoDB emulators, and whether each can run on this machine. */
export const EMULATORS: readonly (readonly [Emulator, boolean])[] = ALL_EMULATORS.map(
  ({ emulator, skipped }) => [emulator, skipped === undefined],
);

/** A stack of these resources with their references resolved. */
export function stackOf(resources: NonNullable<Template['Resources']>): Stack {
  return readStack(
    { Resources: resources },
    { awsEndpoint: 'http://127.0.0.1:1', apiUrl: 'http://127.0.0.1:2' },
  );
}

/** One resource of a stack, by its logical id. */
export function resourceOf(stack: Stack, type: string, logicalId: string): Resource {
  const found = stack.resources(type).find((resource) => resource.logicalId === logicalId);
  if (found === undefined) throw new Error(`The stack has no ${type} ${logicalId}.`);
  return found;
}

/** A function that runs in the test process and records the events it was invoked with. */
export function fakeFunction(
  name: string,
  answer: (event: never) => unknown = () => null,
): LambdaFunction & { readonly events: never[] } {
  const events: never[] = [];
  return {
    logicalId: name,
    name,
    arn: `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
    roleName: `${name}Role`,
    environment: {},
    timeoutMs: 3_000,
    accessKeyId: 'LOCALFUNCTION000',
    events,
    async invoke(event): Promise<InvocationResult> {
      events.push(event as never);
      try {
        return { ok: true, payload: await answer(event as never) };
      } catch (error) {
        return { ok: false, errorType: 'Error', errorMessage: String(error) };
      }
    },
    stop: async () => {},
  };
}

/** A new directory that is deleted after the test. */
export function scratchDir(): string {
  const dir = newDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export function newDir(): string {
  return mkdtempSync(join(tmpdir(), 'muster-test-'));
}

/** Writes the code of each function and returns the `assetPathOf` that finds it. */
export function writeCode(dir: string, sources: Readonly<Record<string, string>>) {
  for (const [logicalId, source] of Object.entries(sources)) {
    mkdirSync(join(dir, logicalId), { recursive: true });
    writeFileSync(join(dir, logicalId, 'index.mjs'), source);
  }
  return (logicalId: string) => join(dir, logicalId);
}

/** Settles when the condition holds. Fails when it never holds. */
export function until(condition: () => unknown): Promise<void> {
  return eventually(async () => {
    if (!(await condition())) throw new Error(`The condition never holds: ${condition}`);
  });
}
