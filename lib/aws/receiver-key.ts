import { createHash } from 'node:crypto';

/** The key of a webhook receiver: a hash of its URL, which may be longer than a key. */
export function receiverKey(url: string): string {
  return createHash('sha256').update(url).digest('base64url');
}
