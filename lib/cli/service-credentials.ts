import type { AwsCredentials, Credentials } from '../client/index.ts';
import { serviceUrl } from '../client/service-url.ts';
import { isLoopback } from '../contract/outbound-url.ts';
import { Failure, InvalidInput } from './failure.ts';

/**
 * How the commands authorize their requests to a service: with a token if there is one; not at all on this machine and
 * without TLS, which AWS does not serve; elsewhere with the AWS credentials that the AWS CLI would use (environment,
 * profile, single sign-on, instance role).
 *
 * @throws InvalidInput when the URL is invalid, or when AWS credentials or a region are missing
 */
export async function serviceCredentials(url: string, token?: string): Promise<Credentials | undefined> {
  const checked = checkedUrl(url);
  if (token !== undefined) return { token };
  if (checked.protocol === 'http:' || isLoopback(checked)) return undefined;
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env;
  const region =
    /\.execute-api\.([a-z0-9-]+)\./.exec(checked.hostname)?.[1] ?? AWS_REGION ?? AWS_DEFAULT_REGION;
  if (region === undefined) {
    throw new InvalidInput(
      `Expected the region of ${url} in AWS_REGION, got none: it is not part of this host name.`,
    );
  }
  const provider = await awsProvider(` to sign requests to ${url} with`);
  return {
    async aws(): Promise<AwsCredentials> {
      try {
        return { ...(await provider()), region };
      } catch (error) {
        throw new Failure(`The AWS credentials could not be renewed: ${(error as Error).message}`);
      }
    },
  };
}

/**
 * The credentials that the AWS CLI would use. The provider caches them, and renews them before they expire.
 * @param purpose follows "AWS credentials" in the error
 * @throws InvalidInput without credentials
 */
export async function awsProvider(purpose = '') {
  // Imported on demand: most commands need no credentials.
  const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
  const provider = defaultProvider();
  await provider().catch((error: Error) => {
    throw new InvalidInput(
      `Expected AWS credentials${purpose}, got none (${error.message}). Sign in as for the AWS CLI.`,
    );
  });
  return provider;
}

function checkedUrl(url: string): URL {
  try {
    return new URL(serviceUrl(url));
  } catch (error) {
    throw new InvalidInput(`--url: ${(error as Error).message}`);
  }
}
