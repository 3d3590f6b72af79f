import type { Scope } from '../../lib/contract/callers.ts';
import { ROUTE_KEYS, routeOf } from '../../lib/contract/routes.ts';

/** The IAM statement of a scope, as the table of routes has it. A path parameter is a `*`. */
export function rightsOf(scope: Scope): string {
  const Resource = ROUTE_KEYS.map(routeOf)
    .filter(({ scopes }) => scopes.includes(scope))
    .map(({ method, path }) => `${method}${path.replaceAll(/\{\w+\}/g, '*')}`)
    .map((route) => `arn:aws:execute-api:REGION:ACCOUNT:API_ID/$default/${route}`);
  const statement = { Effect: 'Allow', Action: 'execute-api:Invoke', Resource };
  return ['```json', JSON.stringify(statement, null, 2), '```'].join('\n');
}
