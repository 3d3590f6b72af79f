import * as z from 'zod';
import { ruleFaults } from '../rules/faults.ts';
import { expected, shown } from '../vocabulary/expected.ts';
import { NUMBER_LIMITS } from '../vocabulary/number-limits.ts';
import { releaseOptions } from '../vocabulary/release-options.ts';
import { cooldownOptions, FORGET_SECONDS } from './cooldown.ts';
import { eventType } from './event-type.ts';
import { wholeIn } from './limit.ts';
import { sizeProblems } from './match-size.ts';
import { presenceOptions } from './presence.ts';
import { type FieldProblem, invalid, parseJson, parseWith } from './problem.ts';
import { attributes, relaxBy, rules } from './rules.ts';
import { partyMaxOf, seatsOf, teamCountOf } from './team-kinds.ts';

/** The limits of the API. */
export const LIMITS = {
  /** The maximum of players in a game. */
  seatsMax: 200,
  teamSizeMax: 200,
  teamsMax: 100,
  /** The maximum of further queues of a ticket. */
  alsoMax: 7,
  /**
   * The maximum of entries in a list of teams, of pairs of an entry and one of its roles, and of roles of equal teams: the
   * search keeps them as the bits of a number.
   */
  teamKindsMax: 30,
  /** The largest skill. It determines the width of the zero-padded sort key of the pool. */
  skillMax: 1_000_000_000,
  /** The smallest skill above 0. The engine accepts 1e-100, and the mean of a party may be smaller than its players' skills. */
  skillMin: 1e-90,
  /** One less than the maximum of buckets, so that a studio can prepare the buckets of a launch. */
  boundariesMax: 255,
  bodyBytesMax: 64 * 1024,
  /**
   * The maximum of players in a ticket of a queue with onePlace: it is stored in one transaction with their places. One less if it
   * replaces another ticket.
   */
  onePlacePartyMax: 99,
  /** The maximum of seats in a match that is rated: its ratings are stored in one transaction with the match. */
  ratedSeatsMax: 99,
  /** The maximum of tickets in one request. */
  ticketsPerBatchMax: 50,
  /** The maximum of properties that GameLift passes to a game session. */
  gamePropertiesMax: 16,
  /** The maximum of selectors of game servers in an allocation. */
  selectorsMax: 20,
  webhooksMax: 5,
  tickSecondsMax: 60,
  timeoutSecondsMax: 86_400,
  /** How long the players of a match have to accept it. */
  acceptanceSecondsMax: 900,
  /** How long a match may wait for its assignment. */
  placementSecondsMax: 3_600,
  /** How long one request to a provisioner may take. */
  requestSecondsMax: 20,
} as const;

const weight = z.number().min(0).max(NUMBER_LIMITS.weightMax);
const norm = z
  .union([z.number().min(1).max(NUMBER_LIMITS.valueMax), z.literal('inf')], {
    error: expected(`a number from 1 to ${NUMBER_LIMITS.valueMax} or "inf"`),
  })
  .meta({ description: 'A norm: a number from 1 up, or "inf"' });

/** The key with which a file names the JSON Schema that an editor checks it by. */
export const schemaKey = z.string().max(2048).optional().meta({
  description: 'The JSON Schema by which an editor checks the file; Muster ignores it',
});

/** Names of queues, roles and secrets. `#` separates key parts in the store, `/` parts of a path. */
export const queueName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, {
  error: expected('1 to 64 of the characters A–Z a–z 0–9 _ . -, the first a letter or digit'),
});
const roleName = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,31}$/, {
  error: expected('1 to 32 of the characters A–Z a–z 0–9 _ -, the first a letter'),
});
const teamName = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,31}$/, {
  error: expected('1 to 32 of the characters A–Z a–z 0–9 _ -, the first a letter'),
});
const secretName = z.string().regex(/^[A-Za-z0-9/_+=.@-]{1,128}$/, {
  error: expected('the name of a secret: 1 to 128 of the characters A–Z a–z 0–9 / _ + = . @ -'),
});

const outboundUrl = z
  .url({ protocol: /^https?$/, error: expected('an https URL') })
  .max(2048)
  .refine((url) => !hasCredentials(url), 'Expected a URL without user name and password, got one with them');

const webhook = z.strictObject({
  url: outboundUrl.meta({
    description: 'Where events are POSTed. On AWS it must be https and a public address.',
  }),
  secret: secretName.meta({
    description: 'The name of the secret that signs the requests (Standard Webhooks)',
  }),
  events: z.array(eventType).min(1).optional().meta({ description: 'The events to send (default all)' }),
});

const requestTimeoutSeconds = z
  .number()
  .min(0.1)
  .max(LIMITS.requestSecondsMax)
  .optional()
  .meta({ description: 'How long one request may take, in seconds (default 5)' });
const placementSeconds = wholeIn(1, LIMITS.placementSecondsMax).meta({
  description: 'How long a match may stay PLACING before it is FAILED, in seconds (default 300)',
});

const onFailure = z.enum(['fail', 'requeue']).optional().meta({
  description:
    'How the tickets of an unplaced match continue. fail: they are FAILED with it; requeue: they return to the queue with the wait they had, and a ticket is FAILED with its third unplaced match (default fail)',
});

/** The name or ARN of a queue of Amazon GameLift Servers. */
export const gameSessionQueue = z
  .string()
  .max(256)
  .regex(/^([A-Za-z0-9-]+|arn:[\w-]+:gamelift:[a-z0-9-]+:\d{12}:gamesessionqueue\/[A-Za-z0-9-]+)$/, {
    error: expected('the name of a GameLift queue (letters, digits, hyphens) or its ARN'),
  });
const gameProperties = z
  .record(z.string().min(1).max(32), z.string().max(96))
  .refine((properties) => Object.keys(properties).length <= LIMITS.gamePropertiesMax, {
    error: expected(`at most ${LIMITS.gamePropertiesMax} properties`),
  });

const allocatorUrl = outboundUrl.meta({
  description: 'For example https://allocator.example.com/gameserverallocation. On AWS it must be public',
});
const regionName = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, {
  error: expected('1 to 64 of the characters A–Z a–z 0–9 _ . -, the first a letter'),
});
const kubernetesName = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, {
  error: expected('1 to 63 of the characters a–z 0–9 -, the first and last a letter or digit'),
});
const labelKey = z.string().regex(/^([a-z0-9.-]{1,253}\/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/, {
  error: expected('the key of a Kubernetes label'),
});
const labelValue = z.string().regex(/^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/, {
  error: expected('the value of a Kubernetes label: up to 63 of the characters A–Z a–z 0–9 _ . -'),
});

const provisioner = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({
    type: z.literal('http'),
    url: outboundUrl.meta({
      description: "The studio's endpoint: it receives the match and returns the assignment",
    }),
    secret: secretName.optional().meta({ description: 'Signs the request (Standard Webhooks)' }),
    requestTimeoutSeconds,
    timeoutSeconds: placementSeconds.optional(),
    onFailure,
  }),
  z.strictObject({ type: z.literal('external'), timeoutSeconds: placementSeconds.optional(), onFailure }),
  z.strictObject({
    type: z.literal('gamelift'),
    gameSessionQueue: gameSessionQueue.meta({
      description:
        'The name or ARN of the queue of Amazon GameLift Servers that places the game sessions. The deployment must name it too',
    }),
    gameProperties: gameProperties.optional().meta({ description: 'Passed to the game session' }),
    timeoutSeconds: placementSeconds.optional(),
    onFailure,
  }),
  z.strictObject({
    type: z.literal('agones'),
    allocator: z.union([allocatorUrl, z.record(regionName, allocatorUrl)]).meta({
      description:
        "The URL of Agones's allocation service, or one for each region: the region of the match picks it",
    }),
    certificate: secretName.meta({
      description:
        'The name of the secret with the client certificate: JSON { "cert", "key", "ca"? } of PEM texts',
    }),
    namespace: kubernetesName.optional().meta({
      description: 'The Kubernetes namespace of the game servers (default "default")',
    }),
    selectors: z
      .array(
        z.strictObject({
          matchLabels: z
            .record(labelKey, labelValue)
            .meta({ description: 'Labels that the game server has' }),
        }),
      )
      .min(1)
      .max(LIMITS.selectorsMax)
      .optional()
      .meta({
        description:
          'Which ready game servers to allocate, in order of preference (default any of the namespace)',
      }),
    multiCluster: z
      .boolean()
      .optional()
      .meta({ description: 'Apply the multi-cluster policies of the allocation service (default false)' }),
    requestTimeoutSeconds,
    timeoutSeconds: placementSeconds.optional(),
    onFailure,
  }),
]);

const teamRoles = z
  .record(roleName, wholeIn(1, LIMITS.teamSizeMax))
  .refine((roles) => Object.keys(roles).length <= LIMITS.teamKindsMax, {
    error: expected(`at most ${LIMITS.teamKindsMax} roles`),
  });

/** One entry of a list of teams. */
const teamKind = z
  .strictObject({
    name: teamName.meta({
      description: 'Unique in the list. With a count above 1 the teams are named NAME-1, NAME-2, …',
    }),
    size: wholeIn(1, LIMITS.teamSizeMax).meta({ description: 'Players in a team' }),
    count: wholeIn(1, LIMITS.teamsMax)
      .optional()
      .meta({ description: 'Teams of this kind in a game (default 1)' }),
    minSize: wholeIn(1, LIMITS.teamSizeMax).optional().meta({
      description: 'The minimum of players with which the team may start. Needs `short` (default size)',
    }),
    roles: teamRoles.optional().meta({ description: 'Seats by role; they sum to size' }),
    offset: z
      .number()
      .min(-LIMITS.skillMax)
      .max(LIMITS.skillMax)
      .optional()
      .meta({ description: 'Added to the p-skill of the team when teams are compared (default 0)' }),
  })
  .meta({ id: 'TeamKind' });

const teams = z.union([wholeIn(2, LIMITS.teamsMax), z.array(teamKind).min(1).max(LIMITS.teamKindsMax)]);

const short = z
  .strictObject({
    afterSeconds: z
      .number()
      .min(0)
      .max(LIMITS.timeoutSecondsMax)
      .meta({ description: 'The wait of every ticket of the match, in seconds; below timeoutSeconds' }),
    cost: weight.optional().meta({ description: 'Imbalance of each empty seat (default 0)' }),
  })
  .meta({
    description: 'Lets teams with a minSize start with fewer players than size. Needs such a team',
  });

/** A queue definition written by a studio. Unknown keys are errors. */
export const queueDefinition = z
  .strictObject({
    $schema: schemaKey,
    name: queueName.meta({ description: 'The name of the queue, which stands in its routes' }),
    teamSize: wholeIn(1, LIMITS.teamSizeMax)
      .optional()
      .meta({ description: 'Players in a team; omitted with a list of teams' }),
    teams: teams.optional().meta({
      description:
        'The number of teams of teamSize, or a list of kinds of teams instead of teamSize and roles. A match has 1 to 200 seats (default 2)',
    }),
    short: short.optional(),
    roles: teamRoles.optional().meta({ description: 'Seats per team by role; they sum to teamSize' }),
    attributes: attributes.optional(),
    rules: rules.optional(),
    relaxBy: relaxBy.optional(),
    imbalance: z
      .strictObject({
        alpha: z
          .number()
          .positive()
          .max(NUMBER_LIMITS.weightMax)
          .meta({ description: 'Weight of teamGap (team difference)' }),
        p: norm.meta({
          description:
            'Norm of teamGap, the difference of the teams: 1 compares sums, 2 Euclidean norms, "inf" the best players',
        }),
        q: norm.meta({
          description:
            'Norm of skillSpread, the spread of all players: 1 is the mean deviation, 2 the standard deviation, "inf" the largest deviation',
        }),
      })
      .meta({
        description:
          'How far a match is from even: imbalance = alpha · teamGap + skillSpread, in the unit of skill; 0 is perfect',
      }),
    beta: weight.optional().meta({
      description:
        'Imbalance that one second of the longest wait in a match outweighs when matches are ranked (default 0)',
    }),
    release: releaseOptions.meta({
      description: 'The release policy: when a match is made, and when it waits for a better one',
    }),
    tickSeconds: wholeIn(1, LIMITS.tickSecondsMax).meta({
      description: 'Seconds between two searches while players wait',
    }),
    timeoutSeconds: wholeIn(1, LIMITS.timeoutSecondsMax).meta({
      description: 'Longest wait of a ticket, in seconds, after which it is TIMED_OUT. At least tickSeconds',
    }),
    buckets: z
      .union([
        z.literal('auto'),
        z
          .array(z.number().positive().max(LIMITS.skillMax))
          .max(LIMITS.boundariesMax)
          .refine(
            (edges) => edges.every((edge, i) => i === 0 || edge > edges[i - 1]!),
            'Expected skills in ascending order, got a skill that is not above the one before it',
          ),
      ])
      .optional()
      .meta({
        description:
          'Skills at which the pool is split, ascending; or "auto": one bucket, split and merged as the load requires (default "auto")',
      }),
    fill: z.enum(['none', 'bots']).optional().meta({
      description:
        'Fills the match of a ticket at its time-out: "bots" take the seats for which no player is waiting (default none)',
    }),
    backfill: z
      .strictObject({
        priority: z.enum(['low', 'normal', 'high']).optional().meta({
          description:
            'high: before new matches; normal: where the newcomers add less imbalance than their best new match has; low: after new matches (default normal)',
        }),
      })
      .optional()
      .meta({ description: 'Lets running matches ask for players into their empty seats' }),
    onePlace: z
      .union([z.boolean(), z.literal('service')], { error: expected('true, false or "service"') })
      .optional()
      .meta({
        description:
          'true: a player stands in one ticket of the queue at a time, until the ticket or its match has ended; another one is rejected with 409. "service": in one ticket of all queues that say "service" (default false)',
      }),
    skillScale: z.enum(['raw', 'percentile']).optional().meta({
      description:
        'raw: match by skill; percentile: by the percentage of recent players below it, so that imbalance, tolerances and waitCost are in percent (default raw)',
    }),
    group: queueName.optional().meta({
      description:
        'A name that it has in common with other queues. A ticket of one of them may wait in the others too: see `also`. Who may post to one of them may name the others (default none: its tickets wait in it alone)',
    }),
    ladder: queueName.optional().meta({
      description:
        'The ladder that rates its matches. Tickets then come without skill: each player has the mean of their rating. A match has 2 teams or more, and at most 99 seats',
    }),
    acceptance: z
      .strictObject({
        timeoutSeconds: wholeIn(1, LIMITS.acceptanceSecondsMax).meta({
          description: 'How long the tickets, or the players, have to answer, in seconds',
        }),
        by: z.enum(['ticket', 'player']).optional().meta({
          description:
            'Who answers: one for the whole ticket, or each player for themselves. A match keeps the rule that it began with (default ticket)',
        }),
      })
      .optional()
      .meta({ description: 'Every ticket, or every player, must accept the match before it goes on' }),
    cooldown: cooldownOptions.optional().meta({
      description:
        'Lets players wait before their next ticket when they have declined matches or have left them (429 with Retry-After)',
    }),
    presence: presenceOptions.optional().meta({
      description:
        'Cancels tickets of players who have been connected and are gone for longer than a grace (PLAYER_LEFT), so that no match is made with them',
    }),
    provisioner: provisioner.optional().meta({
      description: 'Where matches are played: what gives each match its server (default { "type": "none" })',
    }),
    webhooks: z
      .array(webhook)
      .max(LIMITS.webhooksMax)
      .optional()
      .meta({ description: 'The receivers of events' }),
    events: z.array(eventType).optional().meta({
      description:
        'The events to publish on the event bus. Events that webhooks or Muster itself need are published as well (default all but TicketQueued)',
    }),
  })
  .superRefine(
    (definition: unknown, context) => {
      const isFaulty = (field: string) => context.issues.some(({ path }) => path?.[0] === field);
      const all = [teamContradictions, ...CONTRADICTIONS].flatMap((found) => found(definition));
      for (const { between, message } of all) {
        if (between.some(isFaulty)) continue;
        context.addIssue({ code: 'custom', path: [between[0]!], message });
      }
      for (const { path, message } of contradictionsOfRules(definition)) {
        context.addIssue({ code: 'custom', path: [...path], message });
      }
    },
    // This check also runs when single fields are invalid, so that all faults are reported together.
    { when: () => true },
  )
  .meta({ id: 'QueueDefinition' });

const equalTeams = z.object({ teamSize: z.number().optional(), teams: z.number().default(2) });

interface Contradiction {
  readonly between: string[];
  readonly message: string;
}

/** Finds what contradicts between fields, once all that the shape names are readable. */
function contradictionOf<Shape extends z.ZodRawShape>(
  between: string[],
  shape: Shape,
  messagesOf: (fields: z.output<z.ZodObject<Shape>>) => (string | false)[],
): (definition: unknown) => Contradiction[] {
  const schema = z.object(shape);
  return (definition) => {
    const fields = schema.safeParse(definition).data;
    const messages = fields === undefined ? [] : messagesOf(fields);
    return messages.flatMap((message) => (message === false ? [] : [{ between, message }]));
  };
}

const number = z.number();

/** A time in a field has to be below the time-out. @param why it has to be, and what to do */
function belowTimeout(field: string, time: string, why: string) {
  const shape = { [field]: z.object({ [time]: number }), timeoutSeconds: number };
  return contradictionOf([field, 'timeoutSeconds'], shape, ({ timeoutSeconds, [field]: times }) => {
    const seconds = (times as Record<string, number>)[time]!;
    return [
      seconds >= (timeoutSeconds as number) &&
        `Expected ${time} below timeoutSeconds (${timeoutSeconds}), got ${seconds}: ${why}`,
    ];
  });
}

const CONTRADICTIONS = [
  contradictionOf(
    ['roles', 'teamSize'],
    { teamSize: number, roles: z.record(z.string(), number) },
    ({ teamSize, roles }) => {
      const sum = Object.values(roles).reduce((a, b) => a + b, 0);
      return [sum !== teamSize && `Expected counts that sum to teamSize ${teamSize}, got ${sum}`];
    },
  ),
  contradictionOf(
    ['timeoutSeconds', 'tickSeconds'],
    { tickSeconds: number, timeoutSeconds: number },
    ({ tickSeconds, timeoutSeconds }) => [
      timeoutSeconds < tickSeconds && `Expected at least tickSeconds (${tickSeconds}), got ${timeoutSeconds}`,
    ],
  ),
  belowTimeout(
    'short',
    'afterSeconds',
    'no ticket waits that long, so short has no effect; lower afterSeconds or remove short',
  ),
  belowTimeout(
    'release',
    'longestWaitSeconds',
    'no ticket waits that long, so it has no effect; lower or remove it',
  ),
  belowTimeout(
    'presence',
    'graceSeconds',
    'every ticket would time out before its player counts as gone; lower graceSeconds or remove presence',
  ),
  contradictionOf(
    ['cooldown', 'acceptance'],
    { cooldown: cooldownOptions, acceptance: z.unknown().optional() },
    ({ cooldown: { decline, leave, forgetAfterSeconds = FORGET_SECONDS }, acceptance }) => {
      const longest = Math.max(0, ...[...(decline ?? []), ...(leave ?? [])].map(({ seconds }) => seconds));
      return [
        decline === undefined &&
          leave === undefined &&
          'Expected decline, leave or both in cooldown, got neither: add one or remove cooldown',
        decline !== undefined &&
          acceptance === undefined &&
          'Expected acceptance beside decline of cooldown, got none: without it no match can be declined; add acceptance or remove decline',
        forgetAfterSeconds < longest &&
          `Expected a forgetAfterSeconds of at least the longest cooldown (${longest}), got ${forgetAfterSeconds}: an offence would be forgotten before its cooldown ends`,
      ];
    },
  ),
  contradictionOf(
    ['ladder', 'teams', 'teamSize'],
    { ladder: z.string(), teamSize: number.default(0), teams: teams.default(2) },
    (fields) => {
      const [count, seats] = [teamCountOf(fields), seatsOf(fields)];
      return [
        count < 2 &&
          `Expected 2 or more teams in a queue with a ladder, got ${count}: remove ladder or add a team`,
        seats > LIMITS.ratedSeatsMax &&
          `Expected at most ${LIMITS.ratedSeatsMax} seats in a match of a queue with a ladder, got ${seats}: its ratings are stored in one transaction; remove ladder or lower the sizes`,
      ];
    },
  ),
  // A match without a region cannot be placed.
  contradictionOf(
    ['provisioner', 'rules'],
    {
      provisioner: z.object({ type: z.literal('agones'), allocator: z.record(z.string(), z.unknown()) }),
      rules: rules.default([]),
    },
    (fields) => [
      !fields.rules.some(
        (rule) => rule.type === 'latency' && !rule.relax?.some((step) => step.off === true),
      ) &&
        'Expected a rule of type latency that is never off beside an allocator for each region, got none: it gives each match its region; add one, or name one allocator for all',
    ],
  ),
];

const ruleFields = z.object({
  attributes: attributes.optional(),
  rules: rules.optional(),
  relaxBy: relaxBy.optional(),
});

/** Contradictions of attributes and rules; none while one of these fields is unreadable. */
function contradictionsOfRules(definition: unknown): ReturnType<typeof ruleFaults> {
  const fields = ruleFields.safeParse(definition).data;
  if (fields === undefined) return [];
  const list = z.object({ teams: z.array(teamKind) }).safeParse(definition).data;
  const { timeoutSeconds } = z.object({ timeoutSeconds: z.number() }).safeParse(definition).data ?? {};
  if (list !== undefined)
    return ruleFaults(fields, {
      timeoutSeconds,
      teamSize: partyMaxOf(list),
      teams: teamCountOf(list),
      seats: seatsOf(list),
      seatsMin: list.teams.reduce(
        (sum, { size, minSize = size, count = 1 }) => sum + Math.min(size, minSize) * count,
        0,
      ),
      teamKinds: list.teams.map(({ name }) => name),
      teamSizes: Object.fromEntries(list.teams.map(({ name, size }) => [name, size])),
    });
  const equal = equalTeams.safeParse(definition).data;
  return ruleFaults(fields, {
    timeoutSeconds,
    teamSize: equal?.teamSize,
    seats: equal?.teamSize === undefined ? undefined : seatsOf(equal),
  });
}

/** Contradictions of teamSize, teams and short. */
function teamContradictions(definition: unknown): Contradiction[] {
  const found: Contradiction[] = [];
  const { teamSize, teams: given, short: whenShort, roles } = (definition ?? {}) as Record<string, unknown>;
  if (!Array.isArray(given)) {
    const equal = equalTeams.safeParse(definition).data;
    if (teamSize === undefined)
      found.push({ between: ['teamSize'], message: 'Expected a number, or a list of teams, got nothing' });
    else if (equal?.teamSize !== undefined)
      found.push(...seatFaults(equal.teams * equal.teamSize, 'teamSize'));
    if (whenShort !== undefined) {
      found.push({
        between: ['short', 'teams'],
        message: 'Expected short only with a list of teams of which one has a minSize: remove it',
      });
    }
    return found;
  }
  for (const [key, value] of Object.entries({ teamSize, roles })) {
    if (value === undefined) continue;
    found.push({
      between: [key],
      message: `Expected no ${key} beside a list of teams, got ${shown(value)}: each entry of the list has its own`,
    });
  }
  const kinds = z.array(teamKind).safeParse(given).data;
  if (kinds === undefined) return found;
  found.push(...seatFaults(seatsOf({ teams: kinds }), 'teams'));
  found.push(...kindFaults(kinds).map((message) => ({ between: ['teams'], message })));
  const hasMin = kinds.some(({ size, minSize = size }) => minSize < size);
  if (hasMin && whenShort === undefined) {
    found.push({
      between: ['teams', 'short'],
      message:
        'Expected short beside a minSize, got none: say after how many seconds a team may start with fewer players',
    });
  }
  if (!hasMin && whenShort !== undefined) {
    found.push({
      between: ['short', 'teams'],
      message:
        'Expected a team whose minSize is less than its size, got none: short has no effect, remove it',
    });
  }
  return found;
}

function seatFaults(seats: number, field: string): Contradiction[] {
  if (seats <= LIMITS.seatsMax) return [];
  const message = `Expected 1 to ${LIMITS.seatsMax} seats in all teams together, got ${seats}: change the sizes or the number of teams`;
  return [{ between: [field, 'teams'], message }];
}

function kindFaults(kinds: readonly z.output<typeof teamKind>[]): string[] {
  const faults: string[] = [];
  const names = new Set<string>();
  let pairs = 0;
  for (const { name, size, count = 1, minSize = size, roles } of kinds) {
    const theirs = count === 1 ? [name] : Array.from({ length: count }, (_, i) => `${name}-${i + 1}`);
    const twice = [...new Set([name, ...theirs])].find((one) => names.has(one));
    if (twice !== undefined)
      faults.push(`Expected each name of a team once, got ${twice} again: rename one of them`);
    for (const one of [name, ...theirs]) names.add(one);
    if (minSize > size) faults.push(`Expected a minSize up to the size ${size} of ${name}, got ${minSize}`);
    const sum = Object.values(roles ?? {}).reduce((a, b) => a + b, 0);
    if (roles !== undefined && sum !== size)
      faults.push(`Expected roles of ${name} that sum to its size ${size}, got ${sum}`);
    pairs += roles === undefined ? 1 : Object.keys(roles).length;
  }
  if (pairs > LIMITS.teamKindsMax)
    faults.push(`Expected at most ${LIMITS.teamKindsMax} pairs of a team and a role, got ${pairs}`);
  return faults;
}

export type QueueDefinition = z.output<typeof queueDefinition>;
export type ProvisionerOptions = z.output<typeof provisioner>;
/** The types of provisioners. */
export const PROVISIONER_TYPES = provisioner.options.map(({ shape }) => shape.type.value);
export type Webhook = z.output<typeof webhook>;

/**
 * Reads one queue definition.
 * @param text JSON
 * @param source the origin of the text, with which the error message begins
 * @throws Problem (400) that names every invalid field, or the position of malformed JSON
 */
export function parseQueueDefinition(text: string, source: string): QueueDefinition {
  return checkQueueDefinition(parseJson(text, source), source);
}

/** The same for a value that is already parsed. */
export function checkQueueDefinition(value: unknown, source: string): QueueDefinition {
  const definition = parseWith(queueDefinition, value, source);
  const problems = [...lengthProblems(value), ...sizeProblems(definition)];
  if (problems.length > 0) throw invalid(source, problems);
  return definition;
}

/** The faults of a definition in a file that a request could not contain. */
function lengthProblems(value: unknown): FieldProblem[] {
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  if (bytes <= LIMITS.bodyBytesMax) return [];
  const detail = `Expected a definition of at most ${LIMITS.bodyBytesMax} bytes as JSON, which is what PUT takes, got ${bytes}`;
  return [{ pointer: '#', detail }];
}

function hasCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
