import type { Match, WebhookEvent } from './api-types.ts';
import { WebhookRejected } from './errors.ts';

export interface VerifyOptions {
  /**
   * How old a webhook may be, and how far in the future, in seconds. A recorded webhook is rejected after this time.
   * @default 300
   */
  readonly toleranceSeconds?: number | undefined;
  /** Milliseconds since the epoch. @default Date.now() */
  readonly nowMs?: number | undefined;
}

/** The headers of a request: an object of the runtime, or those of Node's `IncomingMessage`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies the signature of a webhook (Standard Webhooks) and returns its event. The service may know further types of events
 * than this version: respond to them with status 2xx.
 * @param secret the secret of the webhook, `whsec_…`; or several, while one replaces another
 * @param body the body as it was received, before any parsing
 * @throws WebhookRejected when the webhook is not from Muster, or too old: respond with status 401
 */
export async function verifyWebhook(
  secret: string | readonly string[],
  headers: WebhookHeaders,
  body: string | Uint8Array,
  { toleranceSeconds = 300, nowMs = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (!/^\d+$/.test(timestamp)) throw new WebhookRejected('Expected the webhook-timestamp to be a number');
  const ageSeconds = Math.floor(nowMs / 1_000) - Number(timestamp);
  if (Math.abs(ageSeconds) > toleranceSeconds) {
    throw new WebhookRejected(
      `Expected a webhook of the last ${toleranceSeconds} s, got one that is ${ageSeconds} s old`,
    );
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  if (!(await isSigned([secret].flat(), signatures, signed)))
    throw new WebhookRejected('Expected the webhook to be signed with the secret');
  return JSON.parse(text);
}

/**
 * The match of the event after which its players can play, whatever its queue requires: start its game. One event of a match
 * returns it: `MatchFound`, or `MatchAccepted` in a queue with `acceptance`, or `MatchAssigned` in a queue with a provisioner; so
 * subscribe to all three. Like every event it may arrive twice: start one game for each `matchId`.
 * @returns undefined for every other event
 */
export function readyMatch({ data }: WebhookEvent): Match | undefined {
  return 'match' in data && data.ready ? data.match : undefined;
}

/** Whether one of the signatures, `v1,BASE64` separated by spaces, is by one of the secrets. */
async function isSigned(
  secrets: readonly string[],
  signatures: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const given = signatures.split(' ').flatMap((signature) => {
    const [version, base64 = ''] = signature.split(',');
    return version === 'v1' ? (bytesOf(base64) ?? []) : [];
  });
  for (const secret of secrets) {
    const raw = bytesOf(secret.replace(/^whsec_/, ''));
    if (raw === undefined || raw.length === 0)
      throw new TypeError('Expected the secret of a webhook to be whsec_ and base64');
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ]);
    for (const signature of given) {
      // The comparison takes constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true;
    }
  }
  return false;
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text = typeof value === 'object' && value !== null ? value[0] : value;
  if (text === undefined || text === null || text === '')
    throw new WebhookRejected(`Expected a webhook with the header ${name}`);
  return text;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}
