import * as z from 'zod';

/** How often something happened, by name. Absent names are 0. */
export type Counts<Name extends string = string> = Readonly<Partial<Record<Name, number>>>;

/** What was counted in one minute. */
export interface MinuteCounts<Name extends string = string> {
  /** Whole minutes since the epoch. */
  readonly minute: number;
  readonly counts: Counts<Name>;
}

/** The schema of stored counts. Names that only other versions know are kept. */
export const minuteCounts = z.array(
  z.object({ minute: z.number(), counts: z.record(z.string(), z.number()) }),
);

/** Statistics cover this many minutes: the current one and those before it. */
export const COUNTED_MINUTES = 6;

const MINUTE_MS = 60_000;

/** The minutes that statistics cover, oldest first. */
export function countedMinutes(nowMs: number, minutes = COUNTED_MINUTES): number[] {
  const now = Math.floor(nowMs / MINUTE_MS);
  return Array.from({ length: minutes }, (_, i) => now - minutes + 1 + i);
}

/** When the minutes that statistics cover begin. */
export function countedSinceMs(nowMs: number): number {
  return countedMinutes(nowMs)[0]! * MINUTE_MS;
}

/** The counts of the last minutes after adding these at this moment. */
export function withCounts<Name extends string>(
  before: readonly MinuteCounts<Name>[],
  counts: Counts<Name>,
  nowMs: number,
): MinuteCounts<Name>[] {
  const minutes = countedMinutes(nowMs);
  const all = [...before, { minute: minutes.at(-1)!, counts }];
  return minutes.flatMap((minute) => {
    const summed = sumOf(all.filter((one) => one.minute === minute));
    return Object.keys(summed).length === 0 ? [] : [{ minute, counts: summed }];
  });
}

/** The sum of the counts of the last minutes. @param minutes @default all that statistics cover */
export function recentCounts<Name extends string>(
  all: readonly MinuteCounts<Name>[],
  nowMs: number,
  minutes = COUNTED_MINUTES,
): Counts<Name> {
  const from = countedMinutes(nowMs, minutes)[0]!;
  return sumOf(all.filter(({ minute }) => minute >= from));
}

function sumOf<Name extends string>(all: readonly MinuteCounts<Name>[]): Counts<Name> {
  const sums: Partial<Record<Name, number>> = {};
  for (const { counts } of all)
    for (const [name, count] of Object.entries(counts) as [Name, number][])
      if (count !== 0) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}
