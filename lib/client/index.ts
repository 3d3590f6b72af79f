/** The client of Muster for game backends, tools and browsers. It needs only `fetch` and WebCrypto. */
export type * from './api-types.ts';
export {
  type ChangeOptions,
  type ListOptions,
  type MusterClient,
  musterClient,
  type QueuesClient,
  type ReadDefinition,
} from './client.ts';
export type { AwsCredentials, Credentials } from './credentials.ts';
export {
  MusterProblem,
  MusterUnreachable,
  TicketEnded,
  UnexpectedResponse,
  WaitEnded,
  WebhookRejected,
} from './errors.ts';
export type { TicketResult } from './post-batch.ts';
export type { ClientOptions, RequestOptions, RouteRequest } from './requests.ts';
export { isFinal, type WaitOptions } from './wait-for-match.ts';
export { type Watch, type WatchOptions, watchBySocket } from './watch.ts';
export type { Change, WatchTarget } from './watch-types.ts';
export { readyMatch, type VerifyOptions, verifyWebhook, type WebhookHeaders } from './webhooks.ts';
