import { levelsOf } from '../../rules/levels.ts';
import type { Rule } from '../../rules/rule-types.ts';
import type { RuledPlayer } from '../../rules/types.ts';
import type { QueueRules } from '../queue-rules.ts';

/** Something that the players of a queue choose, and that may leave the wait without a bound. */
export interface Choice {
  readonly of: 'sides' | 'roles' | 'regions';
  /** The seats of a match for each side or role; empty for `regions`. */
  readonly seats: Readonly<Record<string, number>>;
  /** The latency that the queue permits at the end of all relaxation; absent when matches have no region. */
  readonly latencyMaxMs?: number | undefined;
}

/** What one player accepts of a choice. */
export interface Accepted {
  /** Sides or roles; empty means all of them. */
  readonly accepts: readonly string[];
  /** The regions that the queue permits to the player; absent when matches have no region. */
  readonly regions?: readonly string[] | undefined;
}

/** The maximum of sides or roles, because the condition of a bounded wait is checked on sets of them. */
const SEAT_KINDS_MAX = 16;

/** What the players of a queue choose: sides or roles, if there are 2 to 16 of them, and regions. */
export function choicesOf({ teams, roles, rules }: Pick<QueueRules, 'teams' | 'roles' | 'rules'>): Choice[] {
  const kinds = typeof teams === 'object' ? teams : [];
  const roleSeats: Record<string, number> = { ...roles };
  for (const kind of kinds) {
    for (const [role, seats] of Object.entries(kind.roles ?? {}))
      roleSeats[role] = (roleSeats[role] ?? 0) + seats * (kind.count ?? 1);
  }
  const sideSeats = Object.fromEntries(kinds.map(({ name, size, count = 1 }) => [name, size * count]));
  const latencyMaxMs = latencyMaxOf(rules);
  const regions = latencyMaxMs === undefined ? {} : { latencyMaxMs };
  const isChoice = (seats: object) =>
    Object.keys(seats).length > 1 && Object.keys(seats).length <= SEAT_KINDS_MAX;
  return [
    ...(isChoice(roleSeats) ? [{ of: 'roles', seats: roleSeats, ...regions } as const] : []),
    ...(isChoice(sideSeats) ? [{ of: 'sides', seats: sideSeats, ...regions } as const] : []),
    ...(latencyMaxMs === undefined ? [] : [{ of: 'regions', seats: {}, latencyMaxMs } as const]),
  ];
}

/** What a player accepts of a choice, in alphabetical order. Of the regions themselves only the nearest counts. */
export function acceptedBy({ of, latencyMaxMs }: Choice, player: RuledPlayer): Accepted {
  const { roles = [], teams = [], latencyMs = {} } = player;
  const accepts = of === 'roles' ? roles : of === 'sides' ? teams : [];
  if (latencyMaxMs === undefined) return { accepts: accepts.toSorted() };
  const regions = Object.keys(latencyMs)
    .filter((region) => latencyMs[region] <= latencyMaxMs)
    .sort();
  if (of !== 'regions') return { accepts: accepts.toSorted(), regions };
  const nearest = regions.toSorted((a, b) => latencyMs[a] - latencyMs[b]).slice(0, 1);
  return { accepts, regions: nearest };
}

/** The loosest limit of the latency rule; undefined when there is no such rule, or when it is off in the end. */
function latencyMaxOf(rules: readonly Rule[] | undefined): number | undefined {
  const rule = rules?.find(({ type }) => type === 'latency');
  const loosest = rule && levelsOf(rule).at(-1);
  return loosest?.type === 'latency' ? (loosest.max ?? Number.POSITIVE_INFINITY) : undefined;
}
