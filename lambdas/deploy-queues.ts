import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import * as z from 'zod';
import { deploymentNotes } from '../lib/aws/deployment-notes.ts';
import { deploymentRules } from '../lib/aws/deployment-rules.ts';
import { documentClient } from '../lib/aws/dynamo.ts';
import { environment } from '../lib/aws/environment.ts';
import { logger } from '../lib/aws/log.ts';
import { queueStore } from '../lib/aws/queue-store.ts';
import { readWith } from '../lib/service/domain/unreadable.ts';
import { deployQueues } from '../lib/service/queues/deploy-queues.ts';

const rules = deploymentRules(environment('SECRET_GRANTS'), environment('GAME_SESSION_QUEUES'));
/** CloudFormation rejects a report of more than 4 KB, and then waits for another until its time is over. */
const REASON_LENGTH_MAX = 1_000;
const client = documentClient();
const table = environment('QUEUES_TABLE');
const deps = { queues: queueStore(client, table), deployments: deploymentNotes(client, table) };

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

/** Returns the reason of a failure, or undefined. */
async function deploy(event: CloudFormationCustomResourceEvent): Promise<string | undefined> {
  try {
    const wanted = definitionsOf(event.ResourceProperties);
    const before = event.RequestType === 'Update' ? definitionsOf(event.OldResourceProperties) : undefined;
    const request = { wanted, before, requestId: event.RequestId };
    const changed = await deployQueues(deps, request, rules, Date.now());
    for (const conflict of changed.conflicts) logger.warn(conflict);
    logger.info('deployed queue definitions', { ...changed });
    return undefined;
  } catch (error) {
    logger.error('queue definitions could not be deployed', error as Error);
    return (error as Error).message;
  }
}

/** The definitions in the properties of this or, in an update, of an earlier template: JSON by name. */
function definitionsOf(properties: Record<string, unknown>): Record<string, string> {
  return readWith(definitionsProperty, properties, 'the properties of the queue definitions').definitions;
}

const definitionsProperty = z.object({ definitions: z.record(z.string(), z.string()).default({}) });
