import type { GameRules } from '../engine/types.ts';
import type { RulesDefinition } from '../rules/rule-types.ts';
import type { ReleaseOptions } from '../vocabulary/release-options.ts';
import type { Policy } from './policy.ts';

/** How backfills compete with new games for the waiting tickets. */
export type BackfillPriority = 'low' | 'normal' | 'high';

/** The part of a queue definition that decides about games. */
export interface QueueRules extends RulesDefinition {
  /** Players in a team. Omitted with a list of `teams`. */
  readonly teamSize?: number | undefined;
  /** The number of teams of `teamSize`, or a list of kinds instead of `teamSize` and `roles`. @default 2 */
  readonly teams?: GameRules['teams'];
  /** When teams with a `minSize` may start with fewer players. @default never */
  readonly short?: GameRules['short'];
  readonly roles?: Readonly<Record<string, number>> | undefined;
  readonly imbalance: {
    readonly alpha: number;
    readonly p: number | 'inf';
    readonly q: number | 'inf';
  };
  /** @default 0 */
  readonly beta?: number | undefined;
  /** A policy of a definition, or one of your own to try it in the simulator. */
  readonly release: ReleaseOptions | Policy;
  readonly tickSeconds: number;
  readonly timeoutSeconds: number;
  /** What happens at a ticket's time-out. @default 'none' */
  readonly fill?: 'none' | 'bots' | undefined;
  /**
   * `percentile`: each skill is replaced by the percentage of recent players below it, 0 to 100, before imbalance
   * is computed. @default 'raw'
   */
  readonly skillScale?: 'raw' | 'percentile' | undefined;
  /** How running matches with empty seats compete with new ones. @default normal */
  readonly backfill?: { readonly priority?: BackfillPriority | undefined } | undefined;
}

/** Converts a queue's rules to the engine's. */
export function gameRulesOf({ teamSize, teams, short, roles, imbalance, beta = 0 }: QueueRules): GameRules {
  const { alpha, p, q } = imbalance;
  return {
    teamSize: teamSize ?? largestOf(teams),
    ...(teams === undefined || teams === 2 ? {} : { teams }),
    ...(short === undefined ? {} : { short }),
    ...(roles === undefined ? {} : { roles }),
    alpha,
    p: p === 'inf' ? Number.POSITIVE_INFINITY : p,
    q: q === 'inf' ? Number.POSITIVE_INFINITY : q,
    beta,
  };
}

/** The size of the largest team of a list. */
function largestOf(teams: QueueRules['teams']): number {
  return typeof teams === 'object' ? Math.max(...teams.map(({ size }) => size)) : 1;
}
