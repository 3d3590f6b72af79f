/** Rule sets of the kinds that the public reference of FlexMatch shows as examples, written from its description. */

const two = (size: number, least = size) => [
  { name: 'red', maxPlayers: size, minPlayers: least },
  { name: 'blue', maxPlayers: size, minPlayers: least },
];

export const evenTeams = {
  name: 'even teams',
  ruleLanguageVersion: '1.0',
  playerAttributes: [{ name: 'skill', type: 'number', default: 10 }],
  teams: two(3, 2),
  rules: [
    {
      name: 'FairTeams',
      type: 'distance',
      measurements: ['avg(teams[*].players.attributes[skill])'],
      referenceValue: 'avg(flatten(teams[*].players.attributes[skill]))',
      maxDistance: 10,
    },
    {
      name: 'EqualSizes',
      type: 'comparison',
      measurements: ['count(teams[red].players)'],
      referenceValue: 'count(teams[blue].players)',
      operation: '=',
    },
  ],
  expansions: [
    {
      target: 'rules[FairTeams].maxDistance',
      steps: [
        { waitTimeSeconds: 5, value: 50 },
        { waitTimeSeconds: 15, value: 100 },
      ],
    },
  ],
};

export const hunters = {
  name: 'hunters',
  ruleLanguageVersion: '1.0',
  playerAttributes: [
    { name: 'skill', type: 'number', default: 10 },
    { name: 'wantsMonster', type: 'number', default: 0 },
  ],
  teams: [
    { name: 'hunters', maxPlayers: 5, minPlayers: 5 },
    { name: 'monster', maxPlayers: 1, minPlayers: 1 },
  ],
  rules: [
    {
      name: 'Monster',
      type: 'comparison',
      measurements: ['teams[monster].players.attributes[wantsMonster]'],
      referenceValue: 1,
      operation: '=',
    },
  ],
  expansions: [{ target: 'teams[hunters].minPlayers', steps: [{ waitTimeSeconds: 30, value: 4 }] }],
};

export const charactersAndLatency = {
  name: 'characters',
  ruleLanguageVersion: '1.0',
  playerAttributes: [
    { name: 'character', type: 'string_list', default: ['peasant'] },
    { name: 'rating', type: 'number' },
  ],
  teams: two(2),
  rules: [
    {
      name: 'Medic',
      type: 'collection',
      measurements: ['teams[*].players.attributes[character]'],
      operation: 'contains',
      referenceValue: 'medic',
      minCount: 1,
    },
    { name: 'FastConnection', type: 'latency', maxLatency: 60, partyAggregation: 'max' },
  ],
  expansions: [
    { target: 'rules[FastConnection].maxLatency', steps: [{ waitTimeSeconds: 10, value: 100 }] },
    { target: 'rules[Medic].minCount', steps: [{ waitTimeSeconds: 20, value: 0 }] },
  ],
};

export const sorted = {
  name: 'sorted',
  ruleLanguageVersion: '1.0',
  playerAttributes: [{ name: 'map', type: 'string' }],
  teams: two(2),
  rules: [{ name: 'ByMap', type: 'absoluteSort', sortDirection: 'ascending', sortAttribute: 'map' }],
};

export const intersections = {
  name: 'modes',
  ruleLanguageVersion: '1.0',
  playerAttributes: [
    { name: 'modes', type: 'string_list', default: ['duel'] },
    { name: 'version', type: 'string', default: '1' },
    { name: 'rating', type: 'number', default: 5 },
  ],
  algorithm: { expansionAgeSelection: 'oldest', backfillPriority: 'low' },
  teams: [{ name: 'side', maxPlayers: 2, minPlayers: 2, quantity: 2 }],
  rules: [
    {
      name: 'Modes',
      type: 'collection',
      measurements: ['flatten(teams[*].players.attributes[modes])'],
      operation: 'intersection',
      minCount: 1,
      partyAggregation: 'intersection',
    },
    {
      name: 'Version',
      type: 'comparison',
      measurements: ['flatten(teams[*].players.attributes[version])'],
      operation: '=',
    },
    {
      name: 'Near',
      type: 'distance',
      measurements: ['flatten(teams[*].players.attributes[rating])'],
      referenceValue: 'avg(flatten(teams[*].players.attributes[rating]))',
      maxDistance: 3,
    },
  ],
  expansions: [{ target: 'rules[Near].maxDistance', steps: [{ waitTimeSeconds: 10, value: 6 }] }],
};

export const acrossPlayers = {
  name: 'across players',
  ruleLanguageVersion: '1.0',
  playerAttributes: [
    { name: 'character', type: 'string' },
    { name: 'rating', type: 'number', default: 5 },
  ],
  teams: two(2),
  rules: [
    {
      name: 'Different',
      type: 'comparison',
      measurements: ['flatten(teams[*].players.attributes[character])'],
      operation: '!=',
    },
    {
      name: 'Experienced',
      type: 'comparison',
      measurements: ['flatten(teams[*].players.attributes[rating])'],
      operation: '>',
      referenceValue: 3,
    },
    {
      name: 'Strong',
      type: 'comparison',
      measurements: ['avg(flatten(teams[*].players.attributes[rating]))'],
      operation: '>=',
      referenceValue: 6,
    },
  ],
  expansions: [{ target: 'rules[Strong].referenceValue', steps: [{ waitTimeSeconds: 12, value: 5 }] }],
};

export const compound = {
  name: 'compound',
  ruleLanguageVersion: '1.0',
  playerAttributes: [
    { name: 'mode', type: 'string', default: 'duel' },
    { name: 'rating', type: 'number', default: 5 },
    { name: 'blocked', type: 'string_list', default: [] },
  ],
  teams: two(2),
  rules: [
    { name: 'SameMode', type: 'batchDistance', batchAttribute: 'mode' },
    { name: 'SameRating', type: 'batchDistance', batchAttribute: 'rating', maxDistance: 2 },
    { name: 'Either', type: 'compound', statement: 'or(SameMode, SameRating)' },
    {
      name: 'Blocked',
      type: 'collection',
      operation: 'reference_intersection_count',
      measurements: ['flatten(teams[*].players.attributes[blocked])'],
      referenceValue: 'flatten(teams[*].players[playerId])',
      maxCount: 0,
    },
  ],
};

export const large = {
  name: 'free-for-all',
  ruleLanguageVersion: '1.0',
  playerAttributes: [{ name: 'rating', type: 'number' }],
  algorithm: { strategy: 'balanced', batchingPreference: 'largestPopulation', balancedAttribute: 'rating' },
  teams: [{ name: 'everybody', maxPlayers: 80, minPlayers: 60 }],
  rules: [{ name: 'Latency', type: 'latency', maxLatency: 150 }],
};

/** Statements within statements, opposites, and rules of single teams. */
export const nested = {
  name: 'nested',
  ruleLanguageVersion: '1.0',
  playerAttributes: [
    { name: 'mode', type: 'string', default: 'duel' },
    { name: 'rating', type: 'number', default: 5 },
  ],
  teams: two(2),
  rules: [
    { name: 'SameMode', type: 'batchDistance', batchAttribute: 'mode' },
    { name: 'SameRating', type: 'batchDistance', batchAttribute: 'rating', maxDistance: 3 },
    {
      name: 'StrongRed',
      type: 'comparison',
      measurements: ['avg(teams[red].players.attributes[rating])'],
      operation: '>=',
      referenceValue: 5,
    },
    {
      name: 'NoBeginner',
      type: 'comparison',
      measurements: ['flatten(teams[*].players.attributes[rating])'],
      operation: '>',
      referenceValue: 1,
    },
    {
      name: 'All',
      type: 'compound',
      statement: 'and(NoBeginner, or(SameMode, SameRating, not(StrongRed)), not(xor(StrongRed, NoBeginner)))',
    },
    {
      name: 'BlueBelowRed',
      type: 'comparison',
      measurements: ['max(teams[blue].players.attributes[rating])'],
      operation: '<=',
      referenceValue: 'max(teams[red].players.attributes[rating])',
    },
  ],
};

/** Limits that tighten with the wait. */
export const tightening = {
  name: 'tightening',
  ruleLanguageVersion: '1.0',
  playerAttributes: [
    { name: 'rating', type: 'number', default: 5 },
    { name: 'mode', type: 'string_list', default: ['duel'] },
  ],
  teams: two(2),
  rules: [
    { name: 'Near', type: 'batchDistance', batchAttribute: 'rating', maxDistance: 3 },
    {
      name: 'Medic',
      type: 'collection',
      operation: 'contains',
      measurements: ['flatten(teams[*].players.attributes[mode])'],
      referenceValue: 'medic',
      minCount: 0,
      maxCount: 4,
    },
  ],
  expansions: [
    {
      target: 'rules[Near].maxDistance',
      steps: [
        { waitTimeSeconds: 5, value: 8 },
        { waitTimeSeconds: 12, value: 5 },
        { waitTimeSeconds: 20, value: 6 },
      ],
    },
    { target: 'rules[Medic].minCount', steps: [{ waitTimeSeconds: 10, value: 1 }] },
  ],
};

/** Those whose games two teams of one size can play. */
export const played = {
  evenTeams,
  charactersAndLatency,
  intersections,
  acrossPlayers,
  compound,
  nested,
  tightening,
};
