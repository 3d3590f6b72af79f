import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { type Caller, type Scope, tokenScope } from '../contract/callers.ts';
import { Problem } from '../contract/problem.ts';

/** The caller, as the authorizer of the route reports it to API Gateway. */
interface Authorizer {
  readonly iam?: { readonly userArn?: unknown };
  readonly jwt?: { readonly claims?: Readonly<Record<string, unknown>> };
}

/**
 * The caller of a request. API Gateway has checked the signature or the token and admits only callers with the route's scopes.
 * This function selects the scope that counts, and rejects callers that API Gateway has not verified.
 *
 * A signed request (IAM) comes from a server or an admin: players have no AWS credentials. If a token has several of the route's
 * scopes, the caller is a player only if it has no other.
 * @param scopes the scopes of the route
 * @throws Problem (403)
 */
export function callerOf(event: APIGatewayProxyEventV2, scopes: readonly Scope[]): Caller {
  if (scopes.length === 0) return { scope: 'anybody' };
  const trusted = scopes.filter((scope) => scope !== 'player');
  const { authorizer } = event.requestContext as { authorizer?: Authorizer };
  if (authorizer?.iam && trusted[0]) {
    const { userArn } = authorizer.iam;
    return { scope: trusted[0], ...(typeof userArn === 'string' && { name: userArn }) };
  }
  const claims = authorizer?.jwt?.claims ?? {};
  const carried = new Set([...scopeList(claims.scope), ...scopeList(claims.scp)]);
  const carries = (scope: Scope) => carried.has(tokenScope(scope));
  const trustedScope = trusted.find(carries);
  const { sub } = claims;
  const isNamed = typeof sub === 'string' && sub !== '';
  if (trustedScope) return { scope: trustedScope, ...(isNamed && { name: sub }) };
  if (scopes.includes('player') && carries('player') && isNamed) {
    return { scope: 'player', playerId: sub };
  }
  throw new Problem(403, `Expected a caller with the scope ${scopes.map(tokenScope).join(' or ')}.`);
}

/** API Gateway passes claims as text: a list `["a", "b"]` of the token arrives as `[a b]`. */
function scopeList(claim: unknown): string[] {
  if (typeof claim !== 'string') return [];
  return claim.replace(/^\[(.*)\]$/, '$1').split(' ');
}
