import type {
  APIGatewayAuthorizerResult,
  APIGatewayAuthorizerWithContextResult,
  APIGatewayRequestAuthorizerEvent,
} from 'aws-lambda';
import { clock } from '../lib/aws/clock.ts';
import * as aws from '../lib/aws/services.ts';
import type { WatcherContext } from '../lib/aws/watcher-context.ts';

const tokens = aws.playerTokens();

/**
 * Admits a client with a valid token. API Gateway keeps the identity for the whole connection, so frames and disconnects need no
 * lookup. Every other client gets status 403 and no reason. It is denied by a policy, because an error would count as a fault of
 * the function.
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
