import { AwsV4Signer } from 'aws4fetch';

/** How requests are authorized. A value may be a function, which is called before each request. */
export type Credentials =
  /** A token of the issuer that the deployment accepts. */
  | { readonly token: string | (() => string | Promise<string>) }
  /** AWS credentials of a role with access (Signature Version 4). */
  | { readonly aws: AwsCredentials | (() => AwsCredentials | Promise<AwsCredentials>) };

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /**
   * The region of the API.
   * @default - the one in the URL of the API; a domain of your own has none, so name it
   */
  readonly region?: string | undefined;
}

/** A request before it is sent. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
}

/** Returns the headers of a request with its authorization. A signature holds for some minutes, so each try is signed again. */
export async function authorized(
  { method, url, headers, body }: OutgoingRequest,
  credentials: Credentials | undefined,
): Promise<Headers> {
  if (credentials === undefined) return new Headers({ ...headers });
  if ('token' in credentials) {
    const { token } = credentials;
    return new Headers({
      ...headers,
      authorization: `Bearer ${typeof token === 'function' ? await token() : token}`,
    });
  }
  const { aws } = credentials;
  const { accessKeyId, secretAccessKey, sessionToken, region } =
    typeof aws === 'function' ? await aws() : aws;
  const signer = new AwsV4Signer({
    method,
    url,
    headers: { ...headers },
    ...(body !== undefined && { body }),
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    ...(region !== undefined && { region }),
    service: 'execute-api',
  });
  return (await signer.sign()).headers;
}
