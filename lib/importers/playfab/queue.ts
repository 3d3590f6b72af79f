import * as z from 'zod';

/**
 * A queue of PlayFab Matchmaking, as the REST API (`SetMatchmakingQueue`, `GetMatchmakingQueue`) and the public examples have
 * it: rules by type, or in one list with their type. Unknown fields are kept, so that the import can name them.
 */
const attribute = z.looseObject({ Path: z.string(), Source: z.string().optional() });
const seconds = z.number().positive();
const overrides = z.array(z.looseObject({ Value: z.number().nullish() }).nullable()).min(1);

const rule = z.looseObject({
  Type: z.string().optional(),
  Name: z.string().min(1),
  Attribute: attribute.optional(),
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
  LinearExpansion: z
    .looseObject({ Delta: z.number(), Limit: z.number().nullish(), SecondsBetweenExpansions: seconds })
    .nullish(),
  CustomExpansion: z
    .looseObject({
      SecondsBetweenExpansions: seconds,
      DifferenceOverrides: overrides.optional(),
      MinIntersectionSizeOverrides: overrides.optional(),
      MaxLatencyOverrides: overrides.optional(),
    })
    .nullish(),
  Expansion: z
    .looseObject({
      SecondsBetweenExpansions: seconds,
      EnabledOverrides: z.array(z.boolean()).min(1).optional(),
      MinOverrides: overrides.optional(),
      MaxOverrides: overrides.optional(),
    })
    .nullish(),
});

const team = z
  .looseObject({ Name: z.string().min(1), MinTeamSize: z.number(), MaxTeamSize: z.number() })
  .superRefine(({ MinTeamSize, MaxTeamSize }, context) =>
    inOrder('MinTeamSize', MinTeamSize, 'MaxTeamSize', MaxTeamSize, context),
  );
const rules = z.array(rule).nullish();

/** A least size is at most the greatest. */
function inOrder(least: string, from: number, most: string, to: number, context: z.RefinementCtx): void {
  if (from <= to) return;
  context.addIssue({
    code: 'custom',
    path: [least],
    message: `Expected at most ${most} (${to}), got ${from}`,
  });
}

const fields = z.looseObject({
  Name: z.string().min(1),
  MinMatchSize: z.number(),
  MaxMatchSize: z.number(),
  MaxTicketSize: z.number().nullish(),
  Teams: z.array(team).nullish(),
  Rules: rules,
  StringEqualityRules: rules,
  DifferenceRules: rules,
  SetIntersectionRules: rules,
  MatchTotalRules: rules,
  TeamDifferenceRules: rules,
  RegionSelectionRule: rule.nullish(),
  TeamSizeBalanceRule: rule.nullish(),
  TeamTicketSizeSimilarityRule: rule.nullish(),
});

const queue = fields.superRefine(({ MinMatchSize, MaxMatchSize }, context) =>
  inOrder('MinMatchSize', MinMatchSize, 'MaxMatchSize', MaxMatchSize, context),
);

export const playFabQueue = z.union([
  z.looseObject({ MatchmakingQueue: queue }).transform(({ MatchmakingQueue }) => MatchmakingQueue),
  queue,
]);

export type PlayFabQueue = z.output<typeof queue>;
export type PlayFabRule = z.output<typeof rule>;

/** The rules of a queue with their types, in one list. */
export function rulesOf(of: PlayFabQueue): (PlayFabRule & { readonly Type: string })[] {
  const typed = (Type: string, list: readonly (PlayFabRule | null | undefined)[] | null | undefined) =>
    (list ?? []).flatMap((one) => (one ? [{ ...one, Type }] : []));
  return [
    ...(of.Rules ?? []).map((one) => ({ ...one, Type: one.Type ?? 'a rule without a type' })),
    ...typed('StringEqualityRule', of.StringEqualityRules),
    ...typed('DifferenceRule', of.DifferenceRules),
    ...typed('SetIntersectionRule', of.SetIntersectionRules),
    ...typed('MatchTotalRule', of.MatchTotalRules),
    ...typed('TeamDifferenceRule', of.TeamDifferenceRules),
    ...typed('RegionSelectionRule', [of.RegionSelectionRule]),
    ...typed('TeamSizeBalanceRule', [of.TeamSizeBalanceRule]),
    ...typed('TeamTicketSizeSimilarityRule', [of.TeamTicketSizeSimilarityRule]),
  ];
}
