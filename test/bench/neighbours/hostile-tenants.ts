import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { errorReply } from '../../../lib/local/aws-json.ts';
import { type Manner, startHostileReceiver } from './hostile-receiver.ts';
import type { Stage } from './stage.ts';
import { watchingTenants } from './watching-tenants.ts';

/** One way in which a tenant harms the service that it shares with others. */
export interface HostileTenant {
  /** The row of the table. */
  readonly name: string;
  /**
   * Prepares what does the harm, and starts it. It goes on until the stage ends.
   * @returns reads how often the harmful thing has happened so far, so that no row passes because nothing happened
   */
  begin(stage: Stage): Promise<() => Harm | Promise<Harm>>;
}

export interface Harm {
  readonly count: number;
  /** What was counted. */
  readonly of: string;
}

/** The name of the hostile tenant's queue. */
export const HOSTILE = 'hostile';

const DUEL: QueueDefinition = {
  name: HOSTILE,
  teamSize: 1,
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'greedy' },
  tickSeconds: 1,
  timeoutSeconds: 300,
};

/**
 * Duels of the hostile queue per second, where what is called for them does the harm. Each with webhooks is about 25 deliveries: many
 * more would fill the two cores that the functions and their emulators share here, and nowhere else.
 */
const DUELS_PER_SECOND = { provisioner: 5, receivers: 1 } as const;

export const HOSTILE_TENANTS: readonly HostileTenant[] = [
  hardSearch(),
  ...(['upgrades', 'stalls', 'drips', 'lies'] as const).map(receiver),
  ...(['upgrades', 'stalls'] as const).map(provisioner),
  customRule('throws'),
  customRule('hangs'),
  unreadableQueue(),
  failingQueue(),
  largeMatches('matches near the limit of an item', 50, 0),
  largeMatches('events near the limit of a message', 25, 5),
  largeRequests(),
  manyLayouts(),
  longPolls(),
  dryRuns(),
  ...watchingTenants(DUEL),
];

/**
 * Hardly any game of ten is allowed: the teams' forms must be equal, or all players of one clan, and each has their own. No bound
 * says so of a part of the pool, so a search looks at games until its time is over.
 */
const HARD: QueueDefinition = {
  ...DUEL,
  teamSize: 5,
  release: { policy: 'option-value', waitCost: 10 },
  timeoutSeconds: 60,
  attributes: { form: { type: 'number' }, clan: { type: 'string' } },
  rules: [
    {
      name: 'Alike',
      type: 'anyOf',
      rules: [
        { type: 'balance', attribute: 'form', max: 1e-6 },
        { type: 'same', attribute: 'clan' },
      ],
    },
  ],
};

function hardPlayer({ random }: Stage) {
  const skill = Math.max(1, random.normal(1500, 300));
  return { skill, attributes: { form: random.uniform(), clan: `c${random.integer(1_000_000)}` } };
}

function hardSearch(): HostileTenant {
  return {
    name: 'a queue whose search is hard',
    async begin(stage) {
      await stage.put(HARD);
      await stage.post(Array.from({ length: 120 }, () => hardPlayer(stage)));
      stage.every(500, () => stage.post([hardPlayer(stage)]));
      return () => ({
        count: stage.invocations('tick').filter(({ cpuMs, ok }) => !ok || cpuMs >= 500).length,
        of: 'ticks that searched for more than 0.5 s or died',
      });
    },
  };
}

function duels(stage: Stage, perSecond: number): void {
  stage.every(1_000 / perSecond, () => stage.post([{ skill: 1500 }, { skill: 1500 }]));
}

function receiver(manner: Manner): HostileTenant {
  return {
    name: `five webhook receivers, each of which ${manner}`,
    async begin(stage) {
      const hostile = stage.owns(await startHostileReceiver(manner));
      const webhooks = [1, 2, 3, 4, 5].map((n) => ({ url: hostile.url(`/${n}`), secret: stage.secret }));
      await stage.put({ ...DUEL, webhooks });
      duels(stage, DUELS_PER_SECOND.receivers);
      return () => ({ count: hostile.requests, of: 'requests to them' });
    },
  };
}

function provisioner(manner: Manner): HostileTenant {
  return {
    name: `a provisioner that ${manner}`,
    async begin(stage) {
      const hostile = stage.owns(await startHostileReceiver(manner));
      await stage.put({ ...DUEL, provisioner: { type: 'http', url: hostile.url('/'), timeoutSeconds: 60 } });
      duels(stage, DUELS_PER_SECOND.provisioner);
      return () => ({ count: hostile.requests, of: 'requests to it' });
    },
  };
}

/** @param name of a function in hostile-code.ts */
function customRule(name: 'throws' | 'hangs'): HostileTenant {
  return {
    name: `a custom rule that ${name}`,
    async begin(stage) {
      await stage.put({ ...DUEL, rules: [{ name: 'Hostile', type: 'custom', function: name }] });
      stage.every(500, () => stage.post([{ skill: 1500 }, { skill: 1500 }]));
      if (name === 'hangs') {
        const stopped = () => stage.invocations('tick').filter(({ ok }) => !ok);
        const seconds = () =>
          Math.round(stopped().reduce((sum, { durationMs }) => sum + durationMs / 1_000, 0));
        return () => ({ count: seconds(), of: 'seconds of ticks that never returned' });
      }
      return async () => {
        const { body } = await stage.send('GET', `/queues/${HOSTILE}/stats`);
        const failing: readonly { readonly calls: number }[] = body.failingFunctions ?? [];
        const count = failing.reduce((sum, { calls }) => sum + calls, 0);
        return { count, of: 'calls that failed in the last tick' };
      };
    },
  };
}

function unreadableQueue(): HostileTenant {
  return {
    name: 'a queue whose definition a later version wrote',
    async begin(stage) {
      await stage.put({ ...DUEL, provisioner: { type: 'external', timeoutSeconds: 3_600 } });
      const tickets = await stage.post(Array.from({ length: 50 }, () => ({ skill: 1500 })));
      const matches = [...new Set(await stage.matchesOf(tickets))];
      await rewriteDefinition(stage, (definition) => ({ ...definition, release: { policy: 'later' } }));
      let changed = 0;
      stage.every(500, async () => {
        const matchId = matches.pop();
        if (matchId === undefined) return;
        const { status } = await stage.send('PUT', `/matches/${matchId}/assignment`, { address: 'later' });
        if (status === 200) changed++;
      });
      return () => ({ count: changed, of: 'changes of its matches, which become no event' });
    },
  };
}

/** Replaces the text of the definition in the table. */
async function rewriteDefinition({ cloud }: Stage, change: (definition: object) => object): Promise<void> {
  const client = new DynamoDBClient(cloud.awsConfig);
  const documents = DynamoDBDocumentClient.from(client);
  const TableName = cloud.function('tick').environment.QUEUES_TABLE;
  const Key = { queue: HOSTILE, item: 'definition' };
  const { Item } = await documents.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  await documents.send(
    new UpdateCommand({
      TableName,
      Key,
      UpdateExpression: 'SET #d = :d',
      ExpressionAttributeNames: { '#d': 'definition' },
      ExpressionAttributeValues: { ':d': JSON.stringify(change(JSON.parse(Item!.definition))) },
    }),
  );
  client.destroy();
}

function failingQueue(): HostileTenant {
  return {
    name: 'a queue whose ticks fail',
    async begin(stage) {
      let failed = 0;
      stage.intercept(({ operation, body }) => {
        if (operation !== 'UpdateItem' || !body.includes(`"${HOSTILE}-`)) return undefined;
        failed++;
        return errorReply('InternalServerError', 'This write fails for the benchmark.', 500);
      });
      await stage.put(DUEL);
      stage.every(500, () => stage.post([{ skill: 1500 }, { skill: 1500 }]));
      return () => ({ count: failed, of: 'writes of its ticks that failed' });
    },
  };
}

/** Royales of which each player brings a list of texts. Takes the largest that the service accepts. */
function largeMatches(name: string, textsMax: number, webhookCount: number): HostileTenant {
  return {
    name,
    async begin(stage) {
      const hostile = stage.owns(await startHostileReceiver('answers'));
      const webhooks = Array.from({ length: webhookCount }, (_, n) => ({
        url: hostile.url(`/${n}`),
        secret: stage.secret,
      }));
      const shape = await largestAccepted(stage, textsMax, webhooks);
      const game = () =>
        Array.from({ length: 2 * shape.teamSize }, () => ({
          skill: stage.random.uniform() * 1_000,
          attributes: { packs: packs(stage, shape.texts) },
        }));
      let games = 0;
      const play = async () => {
        await stage.post(game(), 20);
        games++;
      };
      await play();
      stage.every(3_000, play);
      return () => ({
        count: games,
        of: `games of ${2 * shape.teamSize} players with ${shape.texts} texts each posted`,
      });
    },
  };
}

async function largestAccepted(
  stage: Stage,
  textsMax: number,
  webhooks: QueueDefinition['webhooks'],
): Promise<{ teamSize: number; texts: number }> {
  for (const texts of [textsMax, 25, 10, 5]) {
    for (const teamSize of [100, 50, 25, 10, 5]) {
      const definition: QueueDefinition = {
        ...DUEL,
        teamSize,
        webhooks,
        attributes: { packs: { type: 'strings' } },
        rules: [{ name: 'Packs', type: 'common', attribute: 'packs' }],
      };
      if (!(await stage.puts(definition))) continue;
      const player = { playerId: 'probe', skill: 0, attributes: { packs: packs(stage, texts) } };
      const ticket = { ticketId: `${HOSTILE}-probe-${teamSize}-${texts}`, players: [player] };
      const { status } = await stage.send('POST', `/queues/${HOSTILE}/tickets`, ticket);
      if (status === 201) return { teamSize, texts };
    }
  }
  throw new Error('Expected a queue of five against five with five texts to be accepted');
}

const SHARED_PACK = 'a pack that every player has'.padEnd(36, '.');

function packs({ random }: Stage, count: number): string[] {
  const own = Array.from({ length: count - 1 }, () =>
    random.uniform().toString(36).padEnd(36, '.').slice(0, 36),
  );
  return [SHARED_PACK, ...own];
}

function largeRequests(): HostileTenant {
  return {
    name: 'requests near the limit of a body',
    async begin(stage) {
      await stage.put({ ...DUEL, timeoutSeconds: 5, attributes: { notes: { type: 'strings' } } });
      let sent = 0;
      stage.every(1_000, async () => {
        const notes = Array.from({ length: 17 }, (_, n) => String(n).padEnd(64, '.'));
        await stage.post(
          Array.from({ length: 50 }, () => ({ skill: 1500, attributes: { notes } })),
          50,
        );
        sent++;
      });
      return () => ({ count: sent, of: 'batches of 50 tickets in about 64 KB' });
    },
  };
}

function manyLayouts(): HostileTenant {
  const boundaries = (layout: number) =>
    Array.from({ length: 255 }, (_, n) => 10 * (n + 1) + 0.01 * layout + 0.123456);
  return {
    name: 'a new list of 255 buckets each second',
    async begin(stage) {
      let layouts = 0;
      // Tickets that find no opponent keep each layout in use.
      const lonely = { ...DUEL, teamSize: 100, tickSeconds: 60, timeoutSeconds: 86_400 };
      const change = async () => {
        if (!(await stage.puts({ ...lonely, buckets: boundaries(layouts) }))) return await stage.sleep(500);
        layouts++;
        await stage.post([{ skill: 10 * layouts }]);
      };
      await Promise.all(Array.from({ length: 8 }, change));
      stage.loop(4, change);
      return () => ({ count: layouts, of: 'definitions put' });
    },
  };
}

function longPolls(): HostileTenant {
  return {
    name: '60 long polls of one player at a time',
    async begin(stage) {
      await stage.put({ ...DUEL, teamSize: 2, timeoutSeconds: 600 });
      const [ticketId] = await stage.post([{ skill: 1500 }]);
      const playerId = stage.playerOf(ticketId!);
      let sent = 0;
      stage.loop(60, async () => {
        sent++;
        const path = `/tickets/${ticketId}?waitSeconds=20`;
        const { status } = await stage.send('GET', path, undefined, `player ${playerId}`);
        if (status !== 200) await stage.sleep(500);
      });
      return () => ({ count: sent, of: 'long polls sent' });
    },
  };
}

function dryRuns(): HostileTenant {
  return {
    name: 'eight hard dry runs at a time',
    async begin(stage) {
      await stage.put(HARD);
      const tickets = Array.from({ length: 200 }, (_, n) => ({
        ticketId: `t${n}`,
        enqueuedAt: '2026-01-01T00:00:00Z',
        players: [{ playerId: `p${n}`, ...hardPlayer(stage) }],
      }));
      const body = { tickets, now: '2026-01-01T00:01:00Z' };
      let sent = 0;
      stage.loop(8, async () => {
        sent++;
        const { status } = await stage.send('POST', `/queues/${HOSTILE}/dry-run`, body);
        if (status !== 200) await stage.sleep(500);
      });
      return () => ({ count: sent, of: 'dry runs sent' });
    },
  };
}
