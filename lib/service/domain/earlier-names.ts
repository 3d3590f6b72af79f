/**
 * A match with the current field names. Up to version 0.1 `teamGap` was stored as `fairness` and `skillSpread` as
 * `uniformity`; `optimal` follows from the numbers.
 */
export function withPresentNames(match: unknown): unknown {
  if (typeof match !== 'object' || match === null) return match;
  const { fairness, uniformity, ...rest } = match as Record<string, unknown>;
  const named: Record<string, unknown> = {
    ...(fairness !== undefined && { teamGap: fairness }),
    ...(uniformity !== undefined && { skillSpread: uniformity }),
    ...rest,
  };
  return { optimal: Number(named.lowerBound) >= Number(named.priority), ...named };
}
