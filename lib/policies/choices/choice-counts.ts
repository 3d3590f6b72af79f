import * as z from 'zod';
import type { Ticket } from '../../engine/types.ts';
import type { RuledPlayer } from '../../rules/types.ts';
import { type Accepted, acceptedBy, type Choice } from './choices.ts';

/** Players who accept the same. */
export interface AcceptedCount extends Accepted {
  /** How many; with decay not a whole number. */
  readonly players: number;
}

/** The players of one choice of a queue, by what they accept. */
export interface ChoiceCounts {
  readonly of: Choice['of'];
  readonly counts: readonly AcceptedCount[];
}

/** The schema of stored counts. */
export const choiceCounts = z.object({
  of: z.enum(['sides', 'roles', 'regions']),
  counts: z.array(
    z.object({
      accepts: z.array(z.string()),
      regions: z.array(z.string()).exactOptional(),
      players: z.number(),
    }),
  ),
}) satisfies z.ZodType<ChoiceCounts>;

/** The maximum of counts of one choice in a memory. */
export const COUNTS_MAX = 32;

/**
 * Adds the players of some tickets.
 *
 * @param kept the share of its value, in (0, 1], that each existing count keeps
 * @param countsMax beyond it the rarest counts are merged
 * @param playersMax of more players, as many are counted, evenly chosen, each for several. @default all are counted
 */
export function addChoices(
  before: readonly ChoiceCounts[],
  choices: readonly Choice[],
  tickets: readonly Ticket[],
  kept: number,
  countsMax: number,
  playersMax = Number.POSITIVE_INFINITY,
): ChoiceCounts[] {
  const newcomers = tickets.flatMap((ticket) => ticket.players as readonly RuledPlayer[]);
  const each = Math.max(1, newcomers.length / playersMax);
  const counted = Array.from(
    { length: Math.min(newcomers.length, playersMax) },
    (_, i) => newcomers[Math.floor(i * each)],
  );
  return choices.map((choice) => {
    const old = before.find(({ of }) => of === choice.of)?.counts ?? [];
    const added = counted.map((player) => ({ ...acceptedBy(choice, player), players: each }));
    const faded = old.map((count) => ({ ...count, players: count.players * kept }));
    return { of: choice.of, counts: merged([...faded, ...added], countsMax) };
  });
}

/** The counts of several populations together, each with its share of the whole. */
export function mixedChoices(
  parts: readonly { readonly choices: readonly ChoiceCounts[]; readonly share: number }[],
): ChoiceCounts[] {
  const kinds = [...new Set(parts.flatMap(({ choices }) => choices.map(({ of }) => of)))];
  return kinds.map((of) => {
    const some = parts.flatMap(({ choices, share }) => {
      const counts = choices.find((one) => one.of === of)?.counts ?? [];
      const players = playersOf(counts);
      return players > 0 && share > 0 ? [{ counts, players, share }] : [];
    });
    const total = some.reduce((sum, { players }) => sum + players, 0);
    const shares = some.reduce((sum, { share }) => sum + share, 0);
    const scaled = some.flatMap(({ counts, players, share }) => {
      const factor = (total * share) / (shares * players);
      return counts.map((count) => ({ ...count, players: factor * count.players }));
    });
    return { of, counts: merged(scaled, COUNTS_MAX) };
  });
}

/** All players of these counts. */
export function playersOf(counts: readonly AcceptedCount[]): number {
  return counts.reduce((sum, { players }) => sum + players, 0);
}

/**
 * One count for each set of accepted values, the largest first. Beyond the maximum, the smallest are merged: those that
 * accept the same sides or roles into one that can play in the regions of all of them, then all that is still too much. A
 * merged count looks more flexible than its players are, so merging never causes a warning.
 */
function merged(counts: readonly AcceptedCount[], countsMax: number): AcceptedCount[] {
  let groups = grouped(counts, ({ accepts, regions }) => JSON.stringify([accepts, regions]));
  if (groups.length > countsMax) {
    const large = groups.slice(0, Math.floor(countsMax / 2));
    const small = grouped(groups.slice(large.length), ({ accepts }) => JSON.stringify(accepts));
    groups = [...large, ...small];
  }
  if (groups.length > countsMax) {
    groups = [...groups.slice(0, countsMax - 1), ...grouped(groups.slice(countsMax - 1), () => '')];
  }
  return groups.map((count) => ({ ...count, players: Number(count.players.toPrecision(6)) }));
}

/** Merges the counts that have the same key; the largest first. */
function grouped(counts: readonly AcceptedCount[], keyOf: (count: AcceptedCount) => string): AcceptedCount[] {
  const groups = new Map<string, AcceptedCount>();
  for (const count of counts) {
    const key = keyOf(count);
    const group = groups.get(key);
    groups.set(key, group === undefined ? count : together(group, count));
  }
  return [...groups]
    .sort(([keyA, a], [keyB, b]) => b.players - a.players || (keyA < keyB ? -1 : 1))
    .map(([, count]) => count);
}

/** Players who accept what either accepts. */
function together(a: AcceptedCount, b: AcceptedCount): AcceptedCount {
  const acceptAll = a.accepts.length === 0 || b.accepts.length === 0;
  return {
    accepts: acceptAll ? [] : union(a.accepts, b.accepts),
    ...(a.regions && b.regions && { regions: union(a.regions, b.regions) }),
    players: a.players + b.players,
  };
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return a.every((value, i) => value === b[i]) && a.length === b.length
    ? a
    : [...new Set([...a, ...b])].sort();
}
