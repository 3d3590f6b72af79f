/** What an endpoint of the studio answered. */
export type OutboundResult =
  | { outcome: 'answered'; status: number; body: string }
  | { outcome: 'unreachable'; error: string }
  | { outcome: 'forbidden'; error: string };
export interface Outbound {
  /** POSTs JSON; follows no redirects. `forbidden`: the address is not one this service may call. */
  post(
    url: string,
    body: string,
    headers: Record<string, string>,
    timeoutMs: number,
  ): Promise<OutboundResult>;
}
