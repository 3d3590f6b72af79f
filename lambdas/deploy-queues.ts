import { readFileSync } from 'node:fs';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import * as z from 'zod';
import { deploymentNotes } from '../lib/aws/deployment-notes.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { logger } from '../lib/aws/log.ts';
import * as aws from '../lib/aws/services.ts';
import { type Digests, deployDefinitions } from '../lib/service/definitions/deploy-definitions.ts';
import { digestOf } from '../lib/service/domain/stored-definition.ts';
import { readWith } from '../lib/service/domain/unreadable.ts';
import { checkedQueues } from '../lib/service/queues/queue-definitions.ts';
import { ladderDefinitions } from '../lib/service/ratings/ladders.ts';

/** CloudFormation rejects a report of more than 4 KB, and then waits for another one until its time-out. */
const REASON_LENGTH_MAX = 1_000;
const client = documentClient();
const ladders = aws.ladders(client);
const deps = {
  kinds: [
    ladderDefinitions(ladders),
    checkedQueues(aws.storedQueues(client), ladders, aws.deploymentRules()),
  ],
  deployments: deploymentNotes(client, environment('QUEUES_TABLE')),
};

/** Reports success or failure to the URL that CloudFormation gives. CloudFormation waits for the report. */
export const handler = async (event: CloudFormationCustomResourceEvent): Promise<void> => {
  const failure = event.RequestType === 'Delete' ? undefined : await deploy(event);
  const response = await fetch(event.ResponseURL, {
    method: 'PUT',
    // The URL is signed for a request without content type; fetch would add one.
    headers: { 'content-type': '' },
    body: JSON.stringify({
      Status: failure === undefined ? 'SUCCESS' : 'FAILED',
      Reason: (failure ?? 'done').slice(0, REASON_LENGTH_MAX),
      PhysicalResourceId: 'queue-definitions',
      StackId: event.StackId,
      RequestId: event.RequestId,
      LogicalResourceId: event.LogicalResourceId,
    }),
  });
  if (!response.ok) throw new Error(`CloudFormation rejected the report with status ${response.status}`);
};

/** Returns the reason of a failure; undefined after a success. */
async function deploy(event: CloudFormationCustomResourceEvent): Promise<string | undefined> {
  try {
    const wanted = definitionFiles.parse(JSON.parse(readFileSync(FILES, 'utf8')));
    // Lambda may repeat a request after a later deployment has replaced the files.
    if (event.ResourceProperties.digest !== digestOf(wanted))
      return 'A later deployment has replaced the definitions of this one.';
    const before = event.RequestType === 'Update' ? digestsOf(event.OldResourceProperties) : undefined;
    const request = { wanted, before, requestId: event.RequestId };
    const changed = await deployDefinitions(deps, request, Date.now());
    for (const conflict of changed.conflicts) logger.warn(conflict);
    logger.info('deployed definitions', { ...changed });
    return undefined;
  } catch (error) {
    logger.error('definitions could not be deployed', error as Error);
    return (error as Error).message;
  }
}

/** The digests of the definitions in the properties of an earlier template. */
function digestsOf(properties: Record<string, unknown>): Digests {
  return readWith(definitionFiles, properties, 'the properties of the definitions');
}

/** The definitions that the stack was synthesized with, as JSON by kind and name. They are a part of the code of this function. */
const FILES = new URL('definitions.json', import.meta.url);
const texts = z.record(z.string(), z.string());
const definitionFiles = z.object({ queue: texts.default({}), ladder: texts.exactOptional() });
