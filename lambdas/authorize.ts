import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { APIGatewayAuthorizerWithContextResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { clock } from '../lib/aws/clock.ts';
import { environment } from '../lib/aws/environment.ts';
import { playerKeys, playerTokens } from '../lib/aws/player-tokens.ts';
import { REQUEST_TIMEOUTS } from '../lib/aws/request-timeouts.ts';
import type { WatcherContext } from '../lib/aws/watcher-context.ts';

const tokens = playerTokens(
  new SecretsManagerClient({ requestHandler: REQUEST_TIMEOUTS }),
  playerKeys.parse(JSON.parse(environment('PLAYER_KEYS'))),
);

/**
 * Lets a client connect whose token is valid. API Gateway keeps who it is for as long as the connection lasts, so frames and
 * disconnects need no lookup. Every other client gets status 401, which this error stands for, and no reason.
 */
export async function handler(
  event: APIGatewayRequestAuthorizerEvent,
): Promise<APIGatewayAuthorizerWithContextResult<WatcherContext>> {
  const token = event.queryStringParameters?.token ?? '';
  const watcher = await tokens.verify(token, clock.now());
  if (watcher === undefined) throw new Error('Unauthorized');
  return {
    principalId: watcher.ticketId,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource: event.methodArn }],
    },
    context: { ...watcher },
  };
}
