/** The latest results of a webhook: those that one function has seen, 20 at most. */
export interface RecentResults {
  readonly posted: number;
  readonly failed: number;
}

/** So many failures in a row, or among the latest results, are not a matter of one event. */
const FAILING = { inARow: 3, ofRecent: 5 } as const;

/**
 * Whether a webhook fails, as the alarm and the overview report it.
 * @param failures since its last success
 */
export function isFailing({
  failures,
  recent,
}: {
  readonly failures: number;
  readonly recent?: RecentResults | undefined;
}): boolean {
  return failures >= FAILING.inARow || failsOften({ recent });
}

/** Whether a webhook fails although some of its events arrive. */
export function failsOften({ recent }: { readonly recent?: RecentResults | undefined }): boolean {
  return (recent?.failed ?? 0) >= FAILING.ofRecent;
}
