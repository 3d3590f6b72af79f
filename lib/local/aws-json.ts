/** AWS's JSON protocol, in which DynamoDB, SQS, EventBridge and Secrets Manager are called. */

export interface AwsCall {
  /** The service: the prefix of `X-Amz-Target`, such as `DynamoDB_20120810`. */
  readonly target: string;
  readonly operation: string;
  /** The request's body, as it came and as it reads. */
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: each operation has an input of its own form
  readonly input: any;
}

export interface AwsReply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What answers the calls of one service. It answers refusals as replies, and throws on faults only. */
export type AwsService = (call: AwsCall) => Promise<AwsReply>;

export function jsonReply(value: unknown, status = 200): AwsReply {
  return { status, body: JSON.stringify(value) };
}

export function errorReply(code: string, message: string, status = 400): AwsReply {
  return jsonReply({ __type: code, message }, status);
}

/** Calls a service and returns its answer. @throws AwsCallError when it refuses. */
export async function callAws<Answer>(
  service: AwsService,
  target: string,
  operation: string,
  input: object,
): Promise<Answer> {
  const reply = await service({ target, operation, body: JSON.stringify(input), input });
  const answer = reply.body === '' ? {} : JSON.parse(reply.body);
  if (reply.status < 300) return answer as Answer;
  const code = String(answer.__type ?? 'UnknownError').replace(/^.*#/, '');
  throw new AwsCallError(code, `${operation}: ${answer.message ?? answer.Message ?? code}`);
}

export class AwsCallError extends Error {
  override readonly name = 'AwsCallError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
