import type { AwsClient } from 'aws4fetch';

/** Sends a request to the service, with the caller's authorization. */
export type ServiceConnection = (path: string, init: RequestInit) => Promise<Response>;

export interface ConnectionOptions {
  /** The URL of the service. */
  readonly url: string;
  /** A bearer token for a service that requires JWTs. @default requests to AWS are signed, others are not */
  readonly token?: string | undefined;
}

/** The options cannot connect to any service. The message says what to change. */
export class ConnectionFault extends Error {
  override readonly name = 'ConnectionFault';
}

/**
 * Connects to a service: on this machine without authorization, elsewhere with the token, or signed with the AWS
 * credentials that the AWS CLI would use (environment, profile, single sign-on, instance role).
 *
 * @throws ConnectionFault when the URL is invalid, or when credentials or a region are missing
 */
export async function connectTo({ url, token }: ConnectionOptions): Promise<ServiceConnection> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new ConnectionFault(`Expected --url to be a URL such as http://127.0.0.1:3000, got ${url}`);
  const base = url.replace(/\/+$/, '');
  if (token !== undefined) {
    return (path, init) =>
      fetch(base + path, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });
  }
  if (isThisMachine(new URL(url).hostname)) return (path, init) => fetch(base + path, init);
  const signer = await awsSigner(url);
  return async (path, init) => (await signer()).fetch(base + path, init);
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host);
}

/** A function that returns a client with credentials that are still valid. */
async function awsSigner(url: string): Promise<() => Promise<AwsClient>> {
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  const region =
    /\.execute-api\.([a-z0-9-]+)\./.exec(new URL(url).hostname)?.[1] ?? AWS_REGION ?? AWS_DEFAULT_REGION;
  if (region === undefined) {
    throw new ConnectionFault(
      `Expected the region of ${url} in AWS_REGION, got none: it is not part of this host name.`,
    );
  }
  // Imported on demand: a console of the local cloud needs neither.
  const [{ AwsClient }, { defaultProvider }] = await Promise.all([
    import('aws4fetch'),
    import('@aws-sdk/credential-provider-node'),
  ]);
  // The provider caches the credentials, and renews them before they expire.
  const credentials = defaultProvider();
  const signer = async () => {
    const { accessKeyId, secretAccessKey, sessionToken } = await credentials();
    return new AwsClient({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: 'execute-api',
      region,
      // The page shows a failure at once and asks again by itself.
      retries: 0,
    });
  };
  try {
    await signer();
  } catch (error) {
    throw new ConnectionFault(
      `Expected AWS credentials to sign requests to ${url} with, got none (${(error as Error).message}). ` +
        'Sign in as for the AWS CLI, or pass --token.',
    );
  }
  return signer;
}
