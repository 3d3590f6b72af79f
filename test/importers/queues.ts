/** Queues of PlayFab and of Unity Matchmaker that use all that the imports read. */

const attribute = (Path: string) => ({ Attribute: { Path, Source: 'User' }, Weight: 1 });
const base = { Name: 'ranked', MinMatchSize: 4, MaxMatchSize: 6, ServerAllocationEnabled: false };
const teams = ['red', 'blue'].map((Name) => ({ Name, MinTeamSize: 2, MaxTeamSize: 3 }));
/** An expansion by one name for all kinds, as the public examples have it, with plain numbers as overrides. */
const named = (Type: string, more: object) => ({ Type, SecondsBetweenExpansions: 5, ...more });

export const playfab = {
  byType: {
    MatchmakingQueue: {
      ...base,
      MaxTicketSize: 3,
      Teams: teams,
      StatisticsVisibilityToPlayers: { ShowNumberOfPlayersMatching: true, ShowTimeToMatch: false },
      StringEqualityRules: [
        {
          Name: 'Build',
          ...attribute('build'),
          AttributeNotSpecifiedBehavior: 'UseDefault',
          DefaultAttributeValue: 'dev',
          Expansion: { SecondsBetweenExpansions: 10, EnabledOverrides: [true, true, false] },
        },
      ],
      DifferenceRules: [
        {
          Name: 'Level',
          ...attribute('level'),
          Difference: 3,
          MergeFunction: 'Max',
          LinearExpansion: { Delta: 2, Limit: 8, SecondsBetweenExpansions: 5 },
          SecondsUntilOptional: 30,
        },
      ],
      SetIntersectionRules: [
        {
          Name: 'Maps',
          ...attribute('maps'),
          MinIntersectionSize: 2,
          CustomExpansion: {
            SecondsBetweenExpansions: 5,
            MinIntersectionSizeOverrides: [{ Value: 2 }, null],
          },
        },
      ],
      MatchTotalRules: [
        {
          Name: 'Hosts',
          ...attribute('hosts'),
          Min: 1,
          Max: 2,
          Expansion: { SecondsBetweenExpansions: 5, MaxOverrides: [{ Value: 2 }, { Value: 3 }] },
        },
      ],
      TeamDifferenceRules: [{ Name: 'Even', ...attribute('mu'), DefaultAttributeValue: 5, Difference: 4 }],
      RegionSelectionRule: { Name: 'Region', Path: 'latencies', MaxLatency: 60, SecondsUntilOptional: 20 },
      TeamSizeBalanceRule: { Name: 'Sizes', Difference: 0 },
      TeamTicketSizeSimilarityRule: { Name: 'Parties', SecondsUntilOptional: 20 },
    },
  },
  inOneList: {
    ...base,
    ServerAllocationEnabled: true,
    BuildId: 'b-1',
    BuildAliasParams: { AliasId: 'live' },
    Rules: [
      {
        Type: 'DifferenceRule',
        Name: 'Linear',
        ...attribute('skill'),
        Difference: 0.2,
        DefaultAttributeValue: 0.5,
        Expansion: named('Linear', { Delta: 0.1, Limit: 0.5 }),
        SecondsUntilOptional: 30,
      },
      {
        Type: 'DifferenceRule',
        Name: 'Custom',
        ...attribute('level'),
        AttributeNotSpecifiedBehavior: 'MatchAny',
        Difference: 3,
        Expansion: named('Custom', { DifferenceOverrides: [1, 2, 4] }),
      },
      {
        Type: 'MatchTotalRule',
        Name: 'Players',
        ...attribute('one'),
        Min: 4,
        Max: 6,
        Expansion: named('Custom', { MinOverrides: [6, 5, 4] }),
      },
    ],
  },
};

const at = (type: string, atSeconds: number, value?: unknown) => ({
  type,
  ageType: 'Oldest',
  atSeconds,
  ...(value !== undefined && { value }),
});
const side = {
  name: 'side',
  teamCount: { min: 2, max: 2, relaxations: [] },
  playerCount: { min: 2, max: 3, relaxations: [at('RangeControl.ReplaceMin', 20, 1)] },
  teamRules: [{ name: 'Near', type: 'Difference', source: 'Players.CustomData.rank', reference: 3 }],
};
const rules = [
  {
    name: 'Skill',
    type: 'Difference',
    source: 'Players.CustomData.mmr',
    reference: 100,
    not: false,
    enableRule: true,
    relaxations: [at('ReferenceControl.Replace', 10, 200), at('RuleControl.Disable', 45)],
  },
  { name: 'QoS', type: 'LessThanEqual', source: 'Players.QosResults.Latency', reference: 80 },
  { name: 'Mode', type: 'Equality', source: 'Players.CustomData.mode', reference: 'duel' },
  { name: 'Maps', type: 'Intersection', source: 'Players.CustomData.maps', overlap: 2 },
  { name: 'Level', type: 'GreaterThan', source: 'Players.CustomData.level', reference: 5 },
  { name: 'Loss', type: 'LessThan', source: 'Players.QosResults.PacketLoss', reference: 0.2 },
];
const pool = (name: string, more: object = {}) => ({
  name,
  enabled: true,
  variants: [],
  timeoutSeconds: 90,
  matchLogic: {
    name: 'rules',
    backfillEnabled: true,
    matchDefinition: { teams: [side], matchRules: rules },
  },
  matchHosting: { type: 'Multiplay', fleetId: 'f-1' },
  ...more,
});

export const unity = {
  queue: {
    $schema: 'https://example.com/queue.json',
    name: 'ranked',
    enabled: true,
    maxPlayersPerTicket: 2,
    defaultPool: pool('default-pool'),
    filteredPools: [pool('beta', { filters: [{ attribute: 'build', operator: 'Equal', value: 'beta' }] })],
  },
  logic: {
    Name: 'duel',
    DefaultQosRegion: 'eu',
    BackfillEnabled: false,
    MatchDefinition: {
      Teams: [{ Name: 'Red', TeamCount: { Min: 2, Max: 2 }, PlayerCount: { Min: 1, Max: 1 } }],
      MatchRules: [{ Name: 'Rank', Type: 'Difference', Source: 'Players.CustomData.Rank', Reference: 3 }],
    },
  },
};
