import * as z from 'zod';
import { parseWith } from '../../contract/problem.ts';
import { distinct, inOrder, refuseLists } from '../importer.ts';
import { reading } from '../reading.ts';

/**
 * A queue of PlayFab Matchmaking, as the REST API (`SetMatchmakingQueue`, `GetMatchmakingQueue`) and the public examples have
 * it: rules by type, or in one list with their type, and expansions with a name for each kind, or one name for all.
 */
const seconds = z.number().positive();
const override = z.union([z.number(), z.object({ Value: z.number().nullish() })], {
  error: 'Expected a number, an object with Value, or null',
});
const overrides = z.array(override.nullable()).min(1).nullish();

const expansion = z.object({
  Type: z.string().optional(),
  SecondsBetweenExpansions: seconds,
  Delta: z.number().min(0).nullish(),
  Limit: z.number().nullish(),
  EnabledOverrides: z.array(z.boolean()).min(1).nullish(),
  DifferenceOverrides: overrides,
  MinIntersectionSizeOverrides: overrides,
  MaxLatencyOverrides: overrides,
  MinOverrides: overrides,
  MaxOverrides: overrides,
});

const rule = z.object({
  Type: z.string().optional(),
  Name: z.string().min(1),
  Weight: z.number().nullish(),
  Attribute: z.object({ Path: z.string(), Source: z.string().optional() }).nullish(),
  AttributeNotSpecifiedBehavior: z.string().optional(),
  DefaultAttributeValue: z.union([z.number(), z.string(), z.array(z.string())]).nullish(),
  SecondsUntilOptional: seconds.nullish(),
  Difference: z.number().nullish(),
  MergeFunction: z.string().optional(),
  MinIntersectionSize: z.number().nullish(),
  Min: z.number().nullish(),
  Max: z.number().nullish(),
  MaxLatency: z.number().nullish(),
  Path: z.string().optional(),
  LinearExpansion: expansion.nullish(),
  CustomExpansion: expansion.nullish(),
  Expansion: expansion.nullish(),
});
const rules = z.array(rule).nullish();

const team = z
  .object({ Name: z.string().min(1), MinTeamSize: z.number(), MaxTeamSize: z.number() })
  .superRefine(inOrder('MinTeamSize', 'MaxTeamSize'));

const queue = z
  .object({
    Name: z.string().min(1),
    MinMatchSize: z.number(),
    MaxMatchSize: z.number(),
    MaxTicketSize: z.number().nullish(),
    ServerAllocationEnabled: z.boolean().nullish(),
    BuildId: z.string().nullish(),
    BuildAliasParams: z.unknown().optional(),
    StatisticsVisibilityToPlayers: z
      .object({
        ShowNumberOfPlayersMatching: z.boolean().nullish(),
        ShowTimeToMatch: z.boolean().nullish(),
      })
      .nullish(),
    Teams: distinct(team, 'Name').nullish(),
    Rules: rules,
    StringEqualityRules: rules,
    DifferenceRules: rules,
    SetIntersectionRules: rules,
    MatchTotalRules: rules,
    TeamDifferenceRules: rules,
    RegionSelectionRule: rule.nullish(),
    TeamSizeBalanceRule: rule.nullish(),
    TeamTicketSizeSimilarityRule: rule.nullish(),
  })
  .superRefine(inOrder('MinMatchSize', 'MaxMatchSize'));
const request = z.object({ MatchmakingQueue: queue });

export type PlayFabQueue = z.output<typeof queue>;
export type PlayFabRule = z.output<typeof rule>;
export type PlayFabExpansion = z.output<typeof expansion>;
/** The file of an import: a queue, alone or as the requests of the API have it. */
export type PlayFabFile = PlayFabQueue | z.output<typeof request>;

/** @throws Problem */
export function readPlayFab(json: unknown, path: string): PlayFabFile {
  refuseLists(json, path, 'one queue', ['matchmakingqueues']);
  const isRequest = typeof json === 'object' && json !== null && 'MatchmakingQueue' in json;
  return reading(json, parseWith<z.ZodType<PlayFabFile>>(isRequest ? request : queue, json, path));
}

export interface TypedRule {
  readonly type: string;
  readonly rule: PlayFabRule;
}

/** The rules of a queue with their types, in one list. */
export function rulesOf(queue: PlayFabQueue): TypedRule[] {
  const typed = (type: string, list: readonly (PlayFabRule | null | undefined)[] | null | undefined) =>
    (list ?? []).flatMap((rule) => (rule ? [{ type: rule.Type ?? type, rule }] : []));
  return [
    ...typed('a rule without a type', queue.Rules),
    ...LISTED.flatMap((type) => typed(type, queue[`${type}s`])),
    ...SINGLE.flatMap((type) => typed(type, [queue[type]])),
  ];
}

/** The types of which a queue has a list, and those of which it has one rule. */
const LISTED = [
  'StringEqualityRule',
  'DifferenceRule',
  'SetIntersectionRule',
  'MatchTotalRule',
  'TeamDifferenceRule',
] as const;
const SINGLE = ['RegionSelectionRule', 'TeamSizeBalanceRule', 'TeamTicketSizeSimilarityRule'] as const;
