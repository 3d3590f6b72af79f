import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type {
  APIGatewayAuthorizerResult,
  APIGatewayAuthorizerWithContextResult,
  APIGatewayRequestAuthorizerEvent,
} from 'aws-lambda';
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
 * disconnects need no lookup. Every other client gets status 403 and no reason. It is denied by a policy, because an error would
 * count as a fault of the function.
 */
export async function handler(
  event: APIGatewayRequestAuthorizerEvent,
): Promise<APIGatewayAuthorizerResult | APIGatewayAuthorizerWithContextResult<WatcherContext>> {
  const token = event.queryStringParameters?.token ?? '';
  const watcher = await tokens.verify(token, clock.now());
  const policyDocument = (effect: 'Allow' | 'Deny') => ({
    Version: '2012-10-17',
    Statement: [{ Effect: effect, Action: 'execute-api:Invoke', Resource: event.methodArn }],
  });
  if (watcher === undefined) return { principalId: 'unknown', policyDocument: policyDocument('Deny') };
  return { principalId: watcher.ticketId, policyDocument: policyDocument('Allow'), context: { ...watcher } };
}
