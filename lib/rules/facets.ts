import type { Facet } from '../engine/types.ts';
import { getOrCreate } from '../vocabulary/get-or-create.ts';
import type { RangeState } from './states/range-state.ts';
import type { SetState } from './states/set-state.ts';
import { numberedIn } from './states/state-group.ts';

/** A facet with the values that its games share. */
export interface RuleFacet extends Facet {
  readonly restrictions: readonly Restriction[];
}

/** A value that all players of a facet's games share, of the rule of this index among the `SetState`s. */
interface Restriction {
  readonly set: number;
  readonly value: number;
}

/**
 * Divides a pool by the rules that separate it: by a region or a value of a list that all share, by one value that all
 * have, and by overlapping blocks of a number that must be within a limit. A rule separates the pool when one facet of a
 * ticket contains far fewer tickets than it may play with in all; when nearly all players share a value, one index is
 * faster. Undefined when no rule separates the pool.
 */
export function facetsOf(
  tickets: readonly number[],
  sets: readonly SetState[],
  ranges: readonly RangeState[],
): readonly RuleFacet[] | undefined {
  const all = [...dimensionsOfSets(tickets, sets), ...dimensionsOfRanges(tickets, ranges)];
  all.sort((a, b) => b.separation - a.separation || a.memberships - b.memberships);
  const chosen: Dimension[] = [];
  let memberships = 1;
  for (const dimension of all) {
    if (dimension.separation < leastSeparation) break;
    if (memberships * dimension.memberships > membershipsMax) continue;
    memberships *= dimension.memberships;
    chosen.push(dimension);
  }
  if (chosen.length === 0) return undefined;
  return facetsBy(chosen, tickets);
}

/** A facet for each combination of values that some ticket has, in the order of their first tickets. */
function facetsBy(dimensions: readonly Dimension[], tickets: readonly number[]): RuleFacet[] {
  const facets = new Map<string, { readonly tickets: number[]; readonly values: readonly number[] }>();
  tickets.forEach((ticket, i) => {
    let combinations: (readonly number[])[] = [[]];
    for (const { lists } of dimensions)
      combinations = combinations.flatMap((values) => lists[i].map((value) => [...values, value]));
    for (const values of combinations)
      getOrCreate(facets, values.join(), () => ({ tickets: [], values })).tickets.push(ticket);
  });
  return Array.from(facets.values(), ({ tickets: own, values }, id) => ({
    id,
    tickets: own,
    restrictions: dimensions.flatMap(({ set }, d) => (set === undefined ? [] : [{ set, value: values[d] }])),
  }));
}

/** One rule by which a pool may be divided. */
interface Dimension {
  /** The rule's index among the sets; undefined for a range, whose facets restrict nothing but their tickets. */
  readonly set: number | undefined;
  /** The number of tickets that a ticket may play with, divided by the number in one of its facets. */
  readonly separation: number;
  /** The mean number of facets of a ticket. */
  readonly memberships: number;
  /** The values of each ticket, in the order of the tickets. */
  readonly lists: readonly (readonly number[])[];
}

/** From this separation on facets are faster. At 1.2, of 6 to 8 regions out of 8, they are five times slower. */
const leastSeparation = 1.3;

/** The maximum mean number of facets of a ticket. */
const membershipsMax = 32;

/** The number of pairs that are sampled to estimate how many tickets may play together. */
const pairsSampled = 4000;

function dimensionsOfSets(tickets: readonly number[], sets: readonly SetState[]): Dimension[] {
  return sets.flatMap((set, index): Dimension[] => {
    const isHard = tickets.every((ticket) => set.needed[set.levels.of(ticket)] === 1);
    if (!isHard || set.needed.some((needed) => needed > 1)) return [];
    const lists = tickets.map((ticket) => set.accepted(ticket));
    return [{ set: index, lists, ...separationOf(lists, set.values.length) }];
  });
}

/** @param lists the facets of each ticket */
function separationOf(
  lists: readonly (readonly number[])[],
  values: number,
): { separation: number; memberships: number } {
  const frequency = new Float64Array(values);
  let memberships = 0;
  for (const list of lists) {
    for (const value of list) frequency[value]++;
    memberships += list.length;
  }
  // The share of all tickets that are in a random facet of a random ticket.
  const inFacet = frequency.reduce((sum, count) => sum + count * count, 0) / memberships / lists.length;
  let together = 0;
  for (let pair = 0; pair < pairsSampled; pair++) {
    const a = lists[(pair * 7919) % lists.length];
    const b = lists[(pair * 104_729 + 1) % lists.length];
    if (a.some((value) => b.includes(value))) together++;
  }
  return {
    separation: memberships === 0 ? 0 : together / pairsSampled / inFacet,
    memberships: memberships / lists.length,
  };
}

/**
 * A game whose numbers differ by at most L is in the block of twice that width that starts at the multiple of L below its
 * least, counted from the least number of all. So each ticket is in two blocks, and where L is 0 in one.
 *
 * Blocks are numbered as tickets name them, so that their number does not grow with the values.
 */
function dimensionsOfRanges(tickets: readonly number[], ranges: readonly RangeState[]): Dimension[] {
  return ranges.flatMap((range): Dimension[] => {
    let limit = 0;
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (const ticket of tickets) {
      limit = Math.max(limit, range.limits[range.levels.of(ticket)]);
      low = Math.min(low, range.low[ticket]);
      high = Math.max(high, range.high[ticket]);
    }
    if (limit === Number.POSITIVE_INFINITY || !(high - low > 0)) return [];
    const blocks = limit === 0 ? (ticket: number) => [range.low[ticket]] : blocksOf(range, limit, low, high);
    const numbers = new Map<number, number>();
    const hasValue = (ticket: number) => range.low[ticket] !== Number.POSITIVE_INFINITY;
    const own = tickets.map((ticket) =>
      hasValue(ticket) ? blocks(ticket).map((block) => numberedIn(numbers, block)) : undefined,
    );
    const all = [...numbers.values()];
    // A ticket without a value is in every block.
    const lists = own.map((list) => list ?? all);
    const everywhere = own.filter((list) => list === undefined).length;
    const memberships = (limit === 0 ? 1 : 2) + (everywhere * all.length) / tickets.length;
    // A ticket may play with tickets within L on both sides, but a search without blocks visits all tickets.
    const separation = limit === 0 ? all.length : (high - low) / (2 * limit);
    return [{ set: undefined, lists, separation, memberships }];
  });
}

/** The blocks of a ticket, ascending, for a limit above 0. */
function blocksOf(range: RangeState, limit: number, low: number, high: number) {
  // A little wider than the limit, so that a block may end before its last number. With more blocks, rounding is wider.
  const width = Math.max(limit * (1 + 1e-9), (high - low) / blocksMax);
  // The tickets above the last start are in the block before, too.
  const lastBlock = Math.max(0, Math.floor((high - low) / width) - 1);
  return (ticket: number): number[] => {
    const last = Math.min(lastBlock, Math.floor((range.low[ticket] - low) / width));
    const first = Math.max(0, Math.floor((range.high[ticket] - low) / width) - 1);
    // A party whose numbers are further apart than the limit is in none.
    return [first, last].filter((block, i) => block <= last && (i === 0 || block > first));
  };
}

/** The maximum of blocks of a rule: the place of a number among them is then exact to 1e-9 of a block. */
const blocksMax = 1e6;
