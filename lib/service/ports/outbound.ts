/** The response of an endpoint of the studio, with any status. */
export type OutboundResult =
  | { outcome: 'responded'; status: number; body: string }
  /** No response arrived in time (`timedOut`), the connection failed, or the response was too large. A retry may succeed. */
  | { outcome: 'unreachable'; error: string; timedOut?: true }
  /** The service may not call this address. A retry cannot succeed. */
  | { outcome: 'forbidden'; error: string };

/** A client certificate for mutual TLS. PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
  /** The authorities that the server's certificate is checked against. @default those that Node trusts */
  readonly ca?: string;
}

/** Calls endpoints of the studio. */
export interface Outbound {
  /** POSTs JSON without following redirects. */
  post(
    url: string,
    body: string,
    headers: Record<string, string>,
    timeoutMs: number,
    certificate?: ClientCertificate,
  ): Promise<OutboundResult>;
}
