import { Webhook as Signer } from 'standardwebhooks';

/** Whether a secret can sign: `whsec_` and base64. */
export function canSign(secret: string): boolean {
  try {
    return new Signer(secret) !== undefined;
  } catch {
    return false;
  }
}

/** The headers of the Standard Webhooks scheme. */
export function signed(secret: string, id: string, body: string, nowMs: number): Record<string, string> {
  const at = new Date(nowMs);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(nowMs / 1_000)),
    'webhook-signature': new Signer(secret).sign(id, at, body),
  };
}
