import { lemma6 } from '../bounds/range-bounds.ts';
import { isFreeForAll, shapeOf } from '../model/game-shape.ts';
import type { GameRules, TeamKind } from '../types.ts';

/** Teams of a game that are interchangeable: same size, roles and offset. */
export interface Kind {
  /** Absent where the rules give a number of teams. */
  readonly name: string | undefined;
  readonly size: number;
  /** The fewest players; `size` unless teams may start short. */
  readonly minSize: number;
  readonly count: number;
  readonly offset: number;
  readonly roles: Readonly<Record<string, number>> | undefined;
}

/** Seats that the same players can take: those of one role in the teams of one kind. */
export interface SeatClass {
  readonly kind: number;
  readonly role: string | undefined;
  /** In one team, and in the game. */
  readonly perTeam: number;
  readonly seats: number;
}

/** The teams of a game in the form that searches need. Built once per rules. */
export interface Layout {
  readonly kinds: readonly Kind[];
  /** The kind of each team, in the order of the rules. */
  readonly kindOf: readonly number[];
  /** The name of each team; undefined where the rules name none. */
  readonly names: readonly string[] | undefined;
  readonly teams: number;
  readonly seats: number;
  readonly seatsMin: number;
  /** The size of the largest team: no party is larger, unless it may be split. */
  readonly partyMax: number;
  /** The classes of seats; undefined when every player can take every seat. */
  readonly classes: readonly SeatClass[] | undefined;
  /** Whether all teams have one player and no offset: teamGap is then the range of skills. */
  readonly isFreeForAll: boolean;
  /** The imbalance of each empty seat. */
  readonly emptySeatCost: number;
}

/** Games of at most this many seats are searched exactly. */
export const exactSeatsMax = 16;

/** Kinds of team and classes of seats are the bits of a number with a sign. */
const classesMax = 30;

/**
 * The layout of full games or, with `isShort`, of games whose teams may start with `minSize` players.
 * @throws RangeError for more than 30 kinds of team, or classes of seats
 */
export function layoutOf(rules: GameRules, isShort = false): Layout {
  const known = (isShort ? builtShort : built).get(rules);
  if (known) return known;
  const kinds = kindsOf(rules, isShort);
  const kindOf = kinds.flatMap(({ count }, kind) => new Array<number>(count).fill(kind));
  const classes = kinds.flatMap(classesOf);
  if (classes.length > classesMax)
    throw new RangeError(`Expected at most ${classesMax} pairs of a team and a role, got ${classes.length}`);
  const { seats, seatsMin } = shapeOf(rules);
  const isNamed = kinds[0].name !== undefined;
  const layout: Layout = {
    kinds,
    kindOf,
    names: isNamed ? kinds.flatMap(namesOf) : undefined,
    teams: kindOf.length,
    seats,
    seatsMin: isShort ? seatsMin : seats,
    partyMax: Math.max(...kinds.map(({ size }) => size)),
    classes: classes.length > 1 || classes[0].role !== undefined ? classes : undefined,
    isFreeForAll: isFreeForAll(rules),
    emptySeatCost: rules.short?.cost ?? 0,
  };
  (isShort ? builtShort : built).set(rules, layout);
  return layout;
}

/**
 * The layout without classes of seats where every ticket can take every seat of the teams that are large enough for it. Who
 * plays where is then a matter of sizes alone.
 */
export function whereAllFit(
  layout: Layout,
  tickets: readonly { readonly kinds: Int32Array; readonly size: number; readonly isSplit: boolean }[],
): Layout {
  const { classes, kinds } = layout;
  if (classes === undefined || kinds.some(({ roles }) => roles !== undefined)) return layout;
  const largeEnough = (players: number) =>
    kinds.reduce((mask, { size }, kind) => (size >= players ? mask | (1 << kind) : mask), 0);
  const isFree = tickets.every(({ kinds: masks, size, isSplit }) => {
    const all = largeEnough(isSplit ? 1 : size);
    return masks.every((mask) => mask === all);
  });
  return isFree ? { ...layout, classes: undefined } : layout;
}

/** Above the imbalance of every game of players within these skills. */
export function highestOf(
  { kinds, seats, seatsMin, teams, emptySeatCost }: Layout,
  { alpha }: Pick<GameRules, 'alpha'>,
  low: number,
  high: number,
): number {
  const offsets = kinds.map(({ offset }) => offset);
  const range = Math.max(0, high - low) * (1 + 1e-9) + 1e-13 * high + 1e-150;
  return (
    1.000001 *
    ((1 + alpha * (seats / teams)) * range +
      alpha * (Math.max(...offsets) - Math.min(...offsets)) +
      emptySeatCost * (seats - seatsMin))
  );
}

/**
 * At most the imbalance of every game of players within these skills. In a game of range r, the p-means of two teams differ
 * by at most r, so offsets that differ by Δ leave teamGap ≥ Δ − k̄^(1/p)·r, and v_q ≥ c·r (Lemma 6). The sum is convex in r.
 */
export function lowestOf(
  { kinds, seats, teams }: Layout,
  { alpha, p, q }: Pick<GameRules, 'alpha' | 'p' | 'q'>,
  low: number,
  high: number,
): number {
  const offsets = kinds.map(({ offset }) => offset);
  const difference = Math.max(...offsets) - Math.min(...offsets);
  const scale = (seats / teams) ** (1 / p);
  const perRange = lemma6(seats / 2, q);
  const range = perRange < alpha * scale ? Math.min(Math.max(0, high - low), difference / scale) : 0;
  const least = alpha * Math.max(0, difference - scale * range) + perRange * range;
  return Math.max(0, least * (1 - 1e-9) - 1e-13 * (1 + alpha * scale) * high);
}

const built = new WeakMap<GameRules, Layout>();
const builtShort = new WeakMap<GameRules, Layout>();

function kindsOf({ teamSize, teams = 2, roles }: GameRules, isShort: boolean): Kind[] {
  if (typeof teams === 'number')
    return [{ name: undefined, size: teamSize, minSize: teamSize, count: teams, offset: 0, roles }];
  return teams.map((kind: TeamKind) => ({
    name: kind.name,
    size: kind.size,
    minSize: isShort ? (kind.minSize ?? kind.size) : kind.size,
    count: kind.count ?? 1,
    offset: kind.offset ?? 0,
    roles: kind.roles,
  }));
}

function classesOf({ size, count, roles }: Kind, kind: number): SeatClass[] {
  const perTeam: [string | undefined, number][] = roles
    ? Object.entries(roles)
        .filter(([, seats]) => seats > 0)
        .sort(([a], [b]) => (a < b ? -1 : 1))
    : [[undefined, size]];
  return perTeam.map(([role, seats]) => ({ kind, role, perTeam: seats, seats: seats * count }));
}

function namesOf({ name, count }: Kind): string[] {
  return Array.from({ length: count }, (_, i) => (count === 1 ? name! : `${name}-${i + 1}`));
}
