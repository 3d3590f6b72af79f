/**
 * A stand-in for API Gateway's JWT and IAM authorization. Only tokens are checked, and by default nothing, because the API
 * listens on this machine only.
 */
import type { IncomingMessage } from 'node:http';
import { ACCOUNT_ID } from './local-account.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import type { Properties, Resource, Stack } from './template.ts';

/** Returns a token's claims. Throws unless the token has the issuer and one of the audiences, and is valid now. */
export type TokenVerifier = (token: string, expected: ExpectedToken) => Promise<Claims>;

export interface ExpectedToken {
  readonly issuer: string;
  /** The token's `aud` must contain one of them, or its `client_id` must be one of them. */
  readonly audience: readonly string[];
}

export type Claims = Readonly<Record<string, unknown>>;

/** The information about the caller for the function, or the response that rejects the request. */
export type Admission =
  | { readonly admitted: true; readonly authorizer?: object }
  | { readonly admitted: false; readonly status: 401 | 403; readonly message: string };

export type Authorizer = (request: IncomingMessage) => Promise<Admission>;

const UNAUTHORIZED: Admission = { admitted: false, status: 401, message: 'Unauthorized' };
const FORBIDDEN: Admission = { admitted: false, status: 403, message: 'Forbidden' };

/**
 * @param verify checks the tokens of requests to a route with a JWT authorizer. @default every request is admitted with all
 * scopes of its route
 * @throws LocalCloudError when the route's authorizer is missing or has no local counterpart
 */
export function routeAuthorizer(route: Resource, stack: Stack, verify?: TokenVerifier): Authorizer {
  const type = route.properties.AuthorizationType ?? 'NONE';
  switch (type) {
    case 'NONE':
      return async () => ({ admitted: true });
    case 'AWS_IAM':
      return async () => ({ admitted: true, authorizer: { iam: LOCAL_CALLER } });
    case 'JWT':
      return jwtAuthorizer(route, stack, verify);
    default:
      throw new LocalCloudError(
        `The route ${route.logicalId} has the authorization type ${type}, which has no local counterpart.`,
      );
  }
}

const LOCAL_CALLER = {
  accessKey: 'LOCALCALLER',
  accountId: ACCOUNT_ID,
  callerId: 'LOCALCALLER',
  cognitoIdentity: null,
  principalOrgId: null,
  userArn: `arn:aws:iam::${ACCOUNT_ID}:user/local`,
  userId: 'LOCALCALLER',
};

function jwtAuthorizer(route: Resource, stack: Stack, verify: TokenVerifier | undefined): Authorizer {
  const scopes = (route.properties.AuthorizationScopes as string[] | undefined) ?? null;
  const expected = expectedToken(route, stack);
  return async ({ headers }) => {
    if (verify === undefined) return admitted({ sub: 'local', scope: (scopes ?? []).join(' ') }, scopes);
    const token = (headers.authorization ?? '').replace(/^Bearer\s+/i, '');
    if (token === '') return UNAUTHORIZED;
    let claims: Claims;
    try {
      claims = await verify(token, expected);
    } catch {
      return UNAUTHORIZED;
    }
    const carried = [claims.scope, claims.scp].flat().flatMap((scope) => String(scope ?? '').split(' '));
    if (scopes !== null && !scopes.some((scope) => carried.includes(scope))) return FORBIDDEN;
    return admitted(claims, scopes);
  };
}

function expectedToken({ logicalId, properties }: Resource, stack: Stack): ExpectedToken {
  const authorizer = stack
    .resources('AWS::ApiGatewayV2::Authorizer')
    .find(({ ref }) => ref === properties.AuthorizerId);
  const { Issuer, Audience } = (authorizer?.properties.JwtConfiguration ?? {}) as Properties;
  if (typeof Issuer !== 'string' || !Array.isArray(Audience)) {
    throw new LocalCloudError(`The route ${logicalId} needs a JWT authorizer of the template.`);
  }
  return { issuer: Issuer, audience: Audience.map(String) };
}

/** API Gateway passes claims to functions as text, a list as `[a b]`. */
function admitted(claims: Claims, scopes: readonly string[] | null): Admission {
  const texts = Object.entries(claims).map(([name, value]) => [
    name,
    Array.isArray(value) ? `[${value.join(' ')}]` : String(value),
  ]);
  return { admitted: true, authorizer: { jwt: { claims: Object.fromEntries(texts), scopes } } };
}
