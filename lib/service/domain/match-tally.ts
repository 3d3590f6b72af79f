import * as z from 'zod';
import type { Read } from './unreadable.ts';

/**
 * Statistics of the matches of a range, by region and rule. All sums decay by a factor of e in an hour, so they cover about the
 * last hour. The size is bounded by the regions and rules of a queue.
 */
export const matchTally = z.object({
  /** The time of the last match that was added. */
  atMs: z.number(),
  matches: z.number(),
  /** `waitSeconds`: the sum of the waits of the tickets. */
  regions: z.record(
    z.string(),
    z.object({ matches: z.number(), tickets: z.number(), waitSeconds: z.number() }),
  ),
  /** The number of matches that the unrelaxed rule would forbid, and the sum of the costs of the rule, in imbalance. */
  rules: z.record(z.string(), z.object({ relaxed: z.number(), cost: z.number() })),
});
export type MatchTally = Read<typeof matchTally>;

/** A match to add to the tally. */
export interface TalliedMatch {
  readonly waitsMs: readonly number[];
  readonly region?: string | undefined;
  /** The costs that rules added to the imbalance. */
  readonly costs: Readonly<Record<string, number>>;
  readonly relaxed: readonly string[];
}

const HORIZON_MS = 3_600_000;
/** Clients choose the names of regions, and a definition has at most 30 rules. The least frequent names are dropped. */
const NAMES_MAX = 40;

/** Adds the matches of a tick. */
export function addMatches(
  tally: MatchTally | undefined,
  matches: readonly TalliedMatch[],
  nowMs: number,
): MatchTally | undefined {
  return mergedTallies([...(tally ? [tally] : []), ...matches.map((match) => tallyOf(match, nowMs))]);
}

/** Merges the tallies of several ranges at the time of the latest match; undefined without tallies. */
export function mergedTallies(tallies: readonly MatchTally[]): MatchTally | undefined {
  if (tallies.length === 0) return undefined;
  const atMs = Math.max(...tallies.map((tally) => tally.atMs));
  const parts = tallies.map((tally) => ({ tally, kept: Math.exp((tally.atMs - atMs) / HORIZON_MS) }));
  return {
    atMs,
    matches: rounded(parts.reduce((sum, { tally, kept }) => sum + kept * tally.matches, 0)),
    regions: summed(parts.map(({ tally, kept }) => [tally.regions, kept])),
    rules: summed(parts.map(({ tally, kept }) => [tally.rules, kept])),
  };
}

function tallyOf({ waitsMs, region, costs, relaxed }: TalliedMatch, atMs: number): MatchTally {
  const waitSeconds = waitsMs.reduce((sum, waitMs) => sum + waitMs, 0) / 1_000;
  const names = [...new Set([...Object.keys(costs), ...relaxed])];
  return {
    atMs,
    matches: 1,
    regions: region === undefined ? {} : { [region]: { matches: 1, tickets: waitsMs.length, waitSeconds } },
    rules: Object.fromEntries(
      names.map((name) => [name, { relaxed: relaxed.includes(name) ? 1 : 0, cost: costs[name] ?? 0 }]),
    ),
  };
}

/** Adds the fields of equal names, each with its weight. If there are too many names, those with the largest first field stay. */
function summed<T extends object>(parts: readonly (readonly [Readonly<Record<string, T>>, number])[]) {
  const sums = new Map<string, Record<string, number>>();
  for (const [record, kept] of parts) {
    for (const [name, fields] of Object.entries(record)) {
      const sum = sums.get(name) ?? {};
      for (const [field, value] of Object.entries(fields)) sum[field] = (sum[field] ?? 0) + kept * value;
      sums.set(name, sum);
    }
  }
  const first = (fields: Record<string, number>) => Object.values(fields)[0] ?? 0;
  const entries = [...sums].sort(([a, x], [b, y]) => first(y) - first(x) || (a < b ? -1 : 1));
  const kept = entries.slice(0, NAMES_MAX).map(([name, fields]): [string, T] => {
    const roundedFields = Object.entries(fields).map(([field, value]) => [field, rounded(value)]);
    return [name, Object.fromEntries(roundedFields) as T];
  });
  return Object.fromEntries(kept);
}

const rounded = (value: number) => Number(value.toPrecision(6));
