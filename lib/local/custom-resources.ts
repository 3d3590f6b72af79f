/** CloudFormation's custom resources: a function creates each one and reports its result to a given URL. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { LambdaFunction } from './lambda.ts';
import { ACCOUNT_ID, REGION } from './local-account.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import { readState, writeState } from './state-file.ts';
import type { Properties, Resource, Stack } from './template.ts';

/** CloudFormation invokes functions asynchronously, and Lambda takes no larger event so. Bytes. */
const EVENT_MAX_BYTES = 256 * 1_024;

/** The resources created earlier, by logical id. They distinguish an update from a creation. */
const createdResources = z.record(
  z.string(),
  z.object({ physicalResourceId: z.string(), properties: z.record(z.string(), z.unknown()) }),
);

/**
 * Creates the stack's custom resources and updates those whose properties have changed since the file was written.
 *
 * @param file records created resources; when omitted, all are recreated
 * @throws LocalCloudError when a function reports a failure, or does not report, or when the file cannot be read
 */
export async function deployCustomResources(
  stack: Stack,
  functions: readonly LambdaFunction[],
  file?: string,
): Promise<void> {
  const created = (file === undefined ? undefined : readState(file, createdResources)) ?? {};
  for (const resource of stack.customResources()) {
    const before = created[resource.logicalId];
    const properties = asStrings(resource.properties) as Properties;
    if (before !== undefined && isDeepStrictEqual(before.properties, properties)) continue;
    const change =
      before === undefined
        ? { RequestType: 'Create' }
        : {
            RequestType: 'Update',
            PhysicalResourceId: before.physicalResourceId,
            OldResourceProperties: before.properties,
          };
    const physicalResourceId = await request(
      resource,
      { ...change, ResourceProperties: properties },
      functions,
    );
    created[resource.logicalId] = { physicalResourceId, properties };
  }
  if (file !== undefined) writeState(file, created);
}

/** CloudFormation passes numbers and booleans as strings. */
function asStrings(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asStrings);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asStrings(item)]));
  }
  return String(value);
}

interface Report {
  readonly Status?: string;
  readonly Reason?: string;
  readonly PhysicalResourceId?: string;
}

async function request(
  { logicalId, type, properties }: Resource,
  change: object,
  functions: readonly LambdaFunction[],
): Promise<string> {
  const target = functions.find(({ arn }) => arn === properties.ServiceToken);
  if (target === undefined)
    throw new LocalCloudError(`${logicalId} needs a function of the template as its provider.`);
  const receiver = await receiveReport();
  try {
    const event = {
      ServiceToken: target.arn,
      ResponseURL: receiver.url,
      StackId: `arn:aws:cloudformation:${REGION}:${ACCOUNT_ID}:stack/muster/local`,
      RequestId: randomUUID(),
      LogicalResourceId: logicalId,
      ResourceType: type,
      ...change,
    };
    const bytes = Buffer.byteLength(JSON.stringify(event));
    if (bytes > EVENT_MAX_BYTES)
      throw new LocalCloudError(
        `${logicalId} failed: Lambda takes an asynchronous event of at most ${EVENT_MAX_BYTES} bytes, got ${bytes}.`,
      );
    const result = await target.invoke(event);
    if (!result.ok) throw new LocalCloudError(`${logicalId} failed: ${result.errorMessage}`);
    const report = receiver.report();
    if (report?.Status === 'SUCCESS') return String(report.PhysicalResourceId);
    throw new LocalCloudError(
      report === undefined
        ? `${logicalId} failed: its function sent no report to the ResponseURL.`
        : `${logicalId} failed: ${report.Reason ?? JSON.stringify(report)}`,
    );
  } finally {
    await receiver.close();
  }
}

/** Receives the report that a function PUTs. */
async function receiveReport() {
  let report: Report | undefined;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    report = JSON.parse(Buffer.concat(chunks).toString()) as Report;
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    report: () => report,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
