import { generate } from 'selfsigned';

/** A certificate with its private key, PEM. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
const KEYS = { keyType: 'ec', algorithm: 'sha256' } as const;

/** An authority that signs certificates. */
export async function authority(name: string): Promise<Pair> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    ...KEYS,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { cert, key };
}

/** A certificate for 127.0.0.1 and for clients. With `expired` it was valid until yesterday. */
export async function signedBy(ca: Pair, { expired = false } = {}): Promise<Pair> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    ...KEYS,
    ca,
    ...(expired && {
      notBeforeDate: new Date(Date.now() - 9 * DAY_MS),
      notAfterDate: new Date(Date.now() - DAY_MS),
    }),
  });
  return { cert, key };
}
