/** What docs/reference.md adds to each key of a definition: an example, and the page that explains it. */
export interface Explained {
  /** Keys of a definition, that of the section among them. */
  readonly example: Readonly<Record<string, unknown>>;
  /** Further values of the key, for its other forms. */
  readonly also?: readonly unknown[];
  /** A page, by its link from docs. */
  readonly page?: string;
}

const level = { type: 'number', min: 1, max: 50, default: 1, visibleTo: 'match' };
const names = { level, map: { type: 'string', values: ['docks', 'fort'] } };
const chosen = { type: 'strings', values: ['knight', 'mage'] };
const attributes = { ...names, is: chosen, wants: { ...chosen, default: ['mage'] } };
const placed = { timeoutSeconds: 120, onFailure: 'requeue' };

/** Of queue definitions: each is valid with the keys of `QUEUE`, of which its own replace some. */
export const QUEUE_EXAMPLES: Readonly<Record<string, Explained>> = {
  $schema: { example: { $schema: '../node_modules/muster/docs/queue.schema.json' } },
  name: { example: { name: 'arena' }, page: '../README.md#a-queue-definition' },
  teamSize: { example: { teamSize: 5 }, page: 'matches.md#equal-teams' },
  teams: {
    also: [3],
    example: {
      teams: [
        { name: 'killer', size: 1, offset: -200 },
        { name: 'squad', size: 4, count: 2, minSize: 3, roles: { medic: 1, scout: 3 } },
      ],
      short: { afterSeconds: 60 },
    },
    page: 'matches.md#teams-of-different-kinds',
  },
  short: {
    example: {
      teams: [{ name: 'crew', size: 4, minSize: 2 }],
      short: { afterSeconds: 60, cost: 2 },
    },
    page: 'matches.md#teams-that-start-short',
  },
  roles: {
    example: { teamSize: 5, roles: { tank: 1, healer: 1, damage: 3 } },
    page: 'matches.md#equal-teams',
  },
  attributes: { example: { attributes }, page: 'rules.md#attributes' },
  rules: {
    example: {
      attributes,
      teams: [
        { name: 'red', size: 2 },
        { name: 'blue', size: 2 },
      ],
      rules: [
        { name: 'Map', type: 'same', attribute: 'map' },
        { name: 'Own map', type: 'different', attribute: 'map', scope: 'team', cost: 5 },
        {
          name: 'Level',
          type: 'within',
          attribute: 'level',
          max: 10,
          party: 'mean',
          relax: [
            { waitSeconds: 30, max: 20 },
            { waitSeconds: 60, off: true },
          ],
        },
        { name: 'Class', type: 'common', attribute: 'is', atLeast: 1, team: 'red' },
        { name: 'Wanted', type: 'accepted', attribute: 'is', by: 'wants' },
        { name: 'Knights', type: 'count', attribute: 'is', value: 'knight', atLeast: 1, atMost: 2 },
        { name: 'Even', type: 'balance', attribute: 'level', max: 15, cost: 2 },
        {
          name: 'Lead',
          type: 'compare',
          left: { of: 'mean', attribute: 'level', team: 'red' },
          op: '>=',
          right: { of: 'least', attribute: 'level', team: 'blue' },
        },
        { name: 'Ping', type: 'latency', max: 80 },
        { name: 'Rematch', type: 'recent', seconds: 3600, scope: 'opponents' },
        { name: 'Votes', type: 'custom', function: 'enoughVotes', options: { quorum: 6 } },
        {
          name: 'Alike',
          type: 'anyOf',
          rules: [
            { type: 'same', attribute: 'map' },
            { type: 'within', attribute: 'level', max: 5 },
          ],
        },
      ],
    },
    page: 'rules.md#rules',
  },
  relaxBy: { example: { relaxBy: 'oldest' }, page: 'rules.md#relaxation' },
  imbalance: {
    example: { imbalance: { alpha: 1, p: 1, q: 'inf' } },
    page: '../README.md#a-queue-definition',
  },
  beta: { example: { beta: 5 }, page: 'policies.md#related-settings-in-a-queue-definition' },
  release: {
    example: { release: { policy: 'option-value', waitCost: 1, longestWaitSeconds: 90 } },
    also: [
      { policy: 'expanding', tolerance: 50, steps: [{ waitSeconds: 20, tolerance: 100 }] },
      { policy: 'expanding', tolerance: 50, growthPerSecond: 5, toleranceMax: 400 },
      { policy: 'periodic', everySeconds: 30 },
      { policy: 'greedy' },
      { policy: 'fifo' },
    ],
    page: 'policies.md',
  },
  tickSeconds: { example: { tickSeconds: 2 }, page: 'internals.md#ticks' },
  timeoutSeconds: { example: { timeoutSeconds: 300 }, page: '../README.md#get-the-result' },
  buckets: { example: { buckets: [1200, 1800] }, also: ['auto'], page: 'scale.md#how-a-queue-grows' },
  fill: {
    example: { fill: 'bots' },
    page: 'policies.md#related-settings-in-a-queue-definition',
  },
  backfill: {
    example: { backfill: { priority: 'high' } },
    page: 'matches.md#backfill-players-for-a-running-match',
  },
  onePlace: { example: { onePlace: true }, also: ['service'], page: 'matches.md#one-place-for-a-player' },
  skillScale: {
    example: { skillScale: 'percentile' },
    page: 'policies.md#related-settings-in-a-queue-definition',
  },
  group: { example: { group: 'casual' }, page: 'matches.md#several-queues-at-once' },
  ladder: { example: { ladder: 'ranked' }, page: 'ratings.md#the-ladder' },
  acceptance: { example: { acceptance: { timeoutSeconds: 30, by: 'player' } }, page: 'client.md#acceptance' },
  cooldown: {
    example: {
      acceptance: { timeoutSeconds: 20 },
      cooldown: {
        decline: [
          { times: 1, seconds: 30 },
          { times: 3, seconds: 600 },
        ],
        leave: [{ times: 1, seconds: 900 }],
        forgetAfterSeconds: 86_400,
      },
    },
    page: 'players.md#cooldowns',
  },
  presence: {
    example: { presence: { graceSeconds: 15, required: true } },
    page: 'players.md#presence',
  },
  provisioner: {
    example: {
      provisioner: {
        type: 'http',
        url: 'https://game.example.com/place',
        secret: 'shared/backend',
        requestTimeoutSeconds: 5,
        ...placed,
      },
    },
    also: [
      { type: 'none' },
      { type: 'external', ...placed },
      {
        type: 'gamelift',
        gameSessionQueue: 'arena-sessions',
        gameProperties: { map: 'harbour' },
        ...placed,
      },
      {
        type: 'agones',
        allocator: 'https://agones.example.com/gameserverallocation',
        certificate: 'shared/agones',
        namespace: 'games',
        selectors: [{ matchLabels: { 'agones.dev/fleet': 'arena' } }],
        multiCluster: false,
        requestTimeoutSeconds: 5,
        ...placed,
      },
    ],
    page: 'hosting.md',
  },
  webhooks: {
    example: {
      webhooks: [
        {
          url: 'https://game.example.com/muster',
          secret: 'shared/backend',
          events: ['MatchFound', 'MatchAssigned'],
        },
      ],
    },
    page: 'client.md#webhooks',
  },
  events: { example: { events: ['MatchFound', 'MatchRated'] }, page: 'deploy.md#in-your-own-cdk-app' },
};

export const LADDER_EXAMPLES: Readonly<Record<string, Explained>> = {
  $schema: { example: { $schema: '../node_modules/muster/docs/ladder.schema.json' } },
  name: { example: { name: 'ranked' }, page: 'ratings.md#the-ladder' },
  model: { example: { model: 'bradley-terry' }, page: 'ratings.md#the-ladder' },
  initial: { example: { initial: { mean: 1500, deviation: 350 } }, page: 'ratings.md#the-ladder' },
  beta: { example: { beta: 175 }, page: 'ratings.md#the-ladder' },
  drift: { example: { drift: { perGame: 3, perDay: 5 } }, page: 'ratings.md#the-ladder' },
  placementMatches: { example: { placementMatches: 10 }, page: 'ratings.md#the-ladder' },
};

export const EXPERIMENT_EXAMPLES: Readonly<Record<string, Explained>> = {
  $schema: { example: { $schema: '../node_modules/muster/docs/experiment.schema.json' } },
  name: { example: { name: 'shorter-waits' }, page: 'experiments.md#the-file' },
  variants: {
    example: {
      variants: [
        { name: 'as-now', changes: {} },
        { name: 'faster', changes: { release: { policy: 'option-value', waitCost: 4 }, beta: null } },
      ],
    },
    page: 'experiments.md#the-file',
  },
  blockMinutes: { example: { blockMinutes: 60 }, page: 'experiments.md#the-file' },
  burnInMinutes: { example: { burnInMinutes: 10 }, also: ['auto'], page: 'experiments.md#the-file' },
  days: { example: { days: 14 }, page: 'experiments.md#the-file' },
  stop: { example: { stop: { waitP99Seconds: 120 } }, page: 'experiments.md#the-file' },
};
