/** The response of an endpoint of the studio, with any status. */
export type OutboundResult =
  | { outcome: 'responded'; status: number; body: string }
  /** No response in time, or too large a response. A retry may succeed. */
  | { outcome: 'unreachable'; error: string }
  /** The service may not call this address. A retry cannot succeed. */
  | { outcome: 'forbidden'; error: string };

/** Calls endpoints of the studio. */
export interface Outbound {
  /** POSTs JSON without following redirects. */
  post(
    url: string,
    body: string,
    headers: Record<string, string>,
    timeoutMs: number,
  ): Promise<OutboundResult>;
}
