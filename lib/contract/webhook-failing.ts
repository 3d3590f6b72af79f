/** The latest results of a webhook in one function, at most 20. */
export interface RecentResults {
  readonly posted: number;
  readonly failed: number;
}

/** The number of failures in a row, or among the latest results, that cannot be due to one event. */
const FAILING = { inARow: 3, ofRecent: 5 } as const;

/**
 * Whether a webhook is failing, for the alarm and the overview.
 * @param failures the number since its last success
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
