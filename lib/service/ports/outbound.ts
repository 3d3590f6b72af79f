/** The response of an endpoint of the studio. */
export type OutboundResult =
  | { outcome: 'answered'; status: number; body: string }
  | { outcome: 'unreachable'; error: string }
  | { outcome: 'forbidden'; error: string };
export interface Outbound {
  /** POSTs JSON without following redirects. `forbidden`: the service may not call this address. */
  post(
    url: string,
    body: string,
    headers: Record<string, string>,
    timeoutMs: number,
  ): Promise<OutboundResult>;
}
