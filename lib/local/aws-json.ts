/** AWS's JSON protocol, which DynamoDB, SQS, EventBridge and Secrets Manager use. */

export interface AwsCall {
  /** The service: the prefix of `X-Amz-Target`, such as `DynamoDB_20120810`. */
  readonly target: string;
  readonly operation: string;
  /** The request's body as text; `input` is the same, parsed. */
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: each operation has its own input type
  readonly input: any;
}

export interface AwsReply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Handles the calls of one service. It returns rejections as replies and throws only on faults. */
export type AwsService = (call: AwsCall) => Promise<AwsReply>;

export function jsonReply(value: unknown, status = 200): AwsReply {
  return { status, body: JSON.stringify(value) };
}

export function errorReply(code: string, message: string, status = 400): AwsReply {
  return jsonReply({ __type: code, message }, status);
}

/** Calls a service and returns its response. @throws AwsCallError when the service rejects the call */
export async function callAws<Reply>(
  service: AwsService,
  target: string,
  operation: string,
  input: object,
): Promise<Reply> {
  const reply = await service({ target, operation, body: JSON.stringify(input), input });
  const body = reply.body === '' ? {} : JSON.parse(reply.body);
  if (reply.status < 300) return body as Reply;
  const code = String(body.__type ?? 'UnknownError').replace(/^.*#/, '');
  throw new AwsCallError(code, `${operation}: ${body.message ?? body.Message ?? code}`);
}

export class AwsCallError extends Error {
  override readonly name = 'AwsCallError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
