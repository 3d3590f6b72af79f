import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toProblem } from '../../lib/aws/http.ts';
import { type Trouble, troublesOf, unreadableTroubles } from '../../lib/console/page/data/health.ts';
import { PRESENCE_PING_SECONDS } from '../../lib/contract/presence.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { queueStats } from '../../lib/contract/queue-stats.ts';
import { isFailing } from '../../lib/contract/webhook-failing.ts';
import { codeOf, useCode } from '../../lib/rules/custom/code.ts';
import { silentAfterMs } from '../../lib/service/domain/presence.ts';
import type { RecordedFailure } from '../../lib/service/events/delivery-log.ts';
import { type DeliveryOutcome, deliver } from '../../lib/service/events/notify.ts';
import type { OutboundResult } from '../../lib/service/ports/outbound.ts';
import type { SecretResult } from '../../lib/service/ports/secrets.ts';
import { StoreBusy } from '../../lib/service/ports/store-busy.ts';
import { listQueues } from '../../lib/service/queues/queue-definitions.ts';
import { getStats } from '../../lib/service/queues/stats.ts';
import { answerMatch } from '../../lib/service/tickets/acceptance.ts';
import { enqueue } from '../../lib/service/tickets/enqueue.ts';
import { WarmSearches } from '../../lib/service/ticks/warm-searches.ts';
import { suiteName, USE_CASE_STORE } from '../aws/emulated-tables.ts';
import { ticket } from '../aws/samples.ts';
import { builtApp } from '../infra/built-app.ts';
import { resourcesOf } from '../infra/resources.ts';
import { IS_LONG, sample } from '../long.ts';
import { definition, putQueue } from './definitions.ts';
import { ownCloudForEachTest } from './own-cloud.ts';
import type { VirtualCloud } from './virtual-cloud.ts';

/** The table of faults says how soon each is reported, and with which words. */
const PAGE = readFileSync(join(import.meta.dirname, '../../docs/reliability.md'), 'utf8');
const ROWS = PAGE.split('## How soon a fault is reported')[1]!.split('\n## ')[0]!.split('\n');
const ALARMS = resourcesOf(builtApp('whole').template, 'AWS::CloudWatch::Alarm');

/** Seconds of good play before a fault, and the most after it. */
const BEFORE_SECONDS = 60;
const WITHIN_SECONDS = 60;

/** What goes wrong, beginning at a time of the game. */
interface Fault {
  readonly what: string;
  readonly queue: Partial<QueueDefinition>;
  /** Makes it go wrong. */
  readonly begin: (play: Play) => unknown;
  /** What the overview says. */
  readonly says: RegExp;
  /** Whether the overview finds it in the list of queues, which it reads less often. @default false */
  readonly listed?: boolean;
  readonly alarm: string;
  /** What the log says. */
  readonly log: string;
}

const ACCEPTANCE: Partial<QueueDefinition> = { acceptance: { timeoutSeconds: 15 } };
const PROVISIONER: Partial<QueueDefinition> = {
  provisioner: { type: 'http', url: 'https://games.example' },
};
const hook = (name: string) => ({ url: `https://${name}.example/`, secret: `shared/${name}` });
const CUSTOM: Partial<QueueDefinition> = { rules: [{ name: 'Votes', type: 'custom', function: 'judged' }] };
const WEBHOOKS: Partial<QueueDefinition> = { webhooks: ['one', 'two', 'three'].map(hook) };
const status = (code: number): OutboundResult => ({ outcome: 'responded', status: code, body: '' });
const only =
  (name: string, result: OutboundResult) =>
  (url: string): OutboundResult =>
    url === hook(name).url ? result : status(204);
const MATCHES_FAIL = 'too many matches of a queue fail';
const WEBHOOK_FAILS = 'a webhook fails';

const FAULTS: readonly Fault[] = [
  {
    what: 'no player accepts',
    queue: ACCEPTANCE,
    begin: (play) => {
      play.accepts = () => undefined;
    },
    says: /were not accepted\..*not answered in time/,
    alarm: 'QueueFailing',
    log: MATCHES_FAIL,
  },
  {
    what: 'a player of each match declines',
    queue: ACCEPTANCE,
    begin: (play) => {
      play.accepts = (at) => at === 0;
    },
    says: /were not accepted\..*declined/,
    alarm: 'QueueFailing',
    log: MATCHES_FAIL,
  },
  {
    what: 'the provisioner refuses every match',
    queue: PROVISIONER,
    begin: ({ cloud }) => {
      cloud.host = () => status(400);
    },
    says: /got no game server\..*refused by the provisioner/,
    alarm: 'QueueFailing',
    log: MATCHES_FAIL,
  },
  {
    what: 'the provisioner returns something else than an assignment',
    queue: PROVISIONER,
    begin: ({ cloud }) => {
      cloud.host = () => ({ outcome: 'responded', status: 200, body: '<html>' });
    },
    says: /got no game server\./,
    alarm: 'QueueFailing',
    log: MATCHES_FAIL,
  },
  {
    what: 'the provisioner returns 503',
    queue: PROVISIONER,
    begin: ({ cloud }) => {
      cloud.host = () => status(503);
    },
    says: /requests? for a game server in the last 2 minutes failed/,
    alarm: 'QueueFailing',
    log: MATCHES_FAIL,
  },
  {
    what: 'the provisioner cannot be reached',
    queue: PROVISIONER,
    begin: ({ cloud }) => {
      cloud.host = () => ({ outcome: 'unreachable', error: 'games.example: ECONNREFUSED' });
    },
    says: /requests? for a game server in the last 2 minutes failed/,
    alarm: 'QueueFailing',
    log: MATCHES_FAIL,
  },
  {
    what: 'one webhook receiver of three cannot be reached',
    queue: WEBHOOKS,
    begin: ({ cloud }) => {
      cloud.answer = only('two', { outcome: 'unreachable', error: 'two.example: ECONNREFUSED' });
    },
    says: /The webhook https:\/\/two\.example\/ fails: two\.example: ECONNREFUSED/,
    alarm: 'WebhookFailing',
    log: WEBHOOK_FAILS,
  },
  {
    what: 'one webhook receiver of three does not respond',
    queue: WEBHOOKS,
    begin: ({ cloud }) => {
      const hangs = { outcome: 'unreachable', error: 'no response within 5000 ms', timedOut: true } as const;
      cloud.answer = only('two', hangs);
    },
    says: /The webhook https:\/\/two\.example\/ fails: no response/,
    alarm: 'WebhookFailing',
    log: WEBHOOK_FAILS,
  },
  {
    what: 'one webhook receiver of three returns 500',
    queue: WEBHOOKS,
    begin: ({ cloud }) => {
      cloud.answer = only('two', status(500));
    },
    says: /The webhook https:\/\/two\.example\/ fails: the receiver returned status 500/,
    alarm: 'WebhookFailing',
    log: WEBHOOK_FAILS,
  },
  {
    what: 'one webhook receiver of three fails two posts of three',
    queue: WEBHOOKS,
    begin: ({ cloud }) => {
      let posts = 0;
      cloud.answer = (url) => status(url === hook('two').url && posts++ % 3 !== 0 ? 500 : 204);
    },
    says: /The webhook https:\/\/two\.example\/ fails: .* of the latest \d+ posts/,
    alarm: 'WebhookFailing',
    log: WEBHOOK_FAILS,
  },
  {
    what: 'the secret of a webhook is gone',
    queue: WEBHOOKS,
    begin: (play) => {
      play.secret = { outcome: 'missing', why: 'there is no secret muster/shared/two' };
    },
    says: /The webhook https:\/\/two\.example\/ fails: there is no secret/,
    alarm: 'WebhookFailing',
    log: WEBHOOK_FAILS,
  },
  {
    what: 'the secret of a webhook is malformed',
    queue: WEBHOOKS,
    begin: (play) => {
      play.secret = { outcome: 'found', value: 'not base64!' };
    },
    says: /The webhook https:\/\/two\.example\/ fails: the secret shared\/two is not whsec_/,
    alarm: 'WebhookFailing',
    log: WEBHOOK_FAILS,
  },
  {
    what: 'the search of a queue throws',
    queue: {},
    begin: ({ cloud }) => {
      const searches = new WarmSearches();
      searches.take = () => {
        throw new TypeError('x is not a function');
      };
      Object.assign(cloud.deps, { searches });
    },
    says: /^Set aside: /,
    alarm: 'QueueSetAside',
    log: 'a queue is set aside because its ticks fail',
  },
  {
    what: 'a function of a custom rule throws',
    queue: CUSTOM,
    begin: () => {
      useCode(
        codeOf({
          judged: () => {
            throw new Error('no map');
          },
        }),
      );
    },
    says: /^The function judged of the rule Votes fails, so its matches are refused: .* it threw Error: no map/,
    alarm: '–',
    log: 'functions of custom rules fail',
  },
  {
    what: 'a function of a custom rule never returns',
    queue: CUSTOM,
    begin: (play) => {
      // Lambda stops the function in the call.
      useCode(codeOf({ judged: () => (play.isStopped = true) }));
      play.cloud.refuse = () => (play.isStopped ? new Error('the function was stopped') : undefined);
    },
    says: /^(Set aside: |No tick for )/,
    alarm: 'TickFails',
    log: '–',
  },
  {
    what: 'the deployed code does not have the function of a custom rule',
    queue: CUSTOM,
    begin: () => useCode(undefined),
    says: /^Set aside: Expected a function of the deployed code, got judged for rule Votes/,
    alarm: 'QueueSetAside',
    log: 'a queue is set aside because its ticks fail',
  },
  {
    what: 'the schedule is stopped, and the ticks in flight are lost',
    queue: {},
    begin: (play) => {
      play.isScheduled = false;
    },
    says: /^No tick for /,
    alarm: 'DispatchRests',
    log: '–',
  },
  {
    what: 'a definition whose matches are larger than the pool',
    queue: { timeoutSeconds: 45 },
    begin: (play) => play.define({ teamSize: 90 }),
    says: /The oldest ticket has waited/,
    alarm: '–',
    log: '–',
  },
  {
    what: 'a queue whose players all vanish',
    queue: {},
    begin: (play) => {
      play.arrives = false;
    },
    says: /^No ticket for .*, after \d+ players a minute/,
    alarm: '–',
    log: '–',
  },
  {
    what: 'the pings of all players are lost',
    // None of the players who have come before the fault is matched until it is reported.
    queue: { teamSize: 90, timeoutSeconds: 600, presence: { graceSeconds: 15 } },
    begin: (play) => {
      play.pings = false;
    },
    says: /^Pings of many players are missing at once/,
    alarm: '–',
    log: 'no ticket is cancelled for players who seem to have left',
  },
  {
    what: '`enqueue` crashes',
    queue: {},
    begin: (play) => {
      play.enqueues = false;
    },
    says: /^No ticket for .*, after \d+ players a minute/,
    alarm: 'EnqueueFails',
    log: '–',
  },
  {
    what: 'the table of the tickets is throttled',
    queue: {},
    begin: ({ cloud }) => {
      cloud.refuse = (table) => (table === 'tickets' ? new StoreBusy('throttled') : undefined);
    },
    says: /^No tick for /,
    alarm: 'TicketsTableThrottled',
    log: 'the store is busy',
  },
  {
    what: '`tick` is stopped by Lambda',
    queue: {},
    begin: (play) => {
      const searches = new WarmSearches();
      searches.take = () => {
        play.isStopped = true;
        throw new Error('the function was stopped');
      };
      Object.assign(play.cloud.deps, { searches });
      // What is stopped writes nothing any more.
      play.cloud.refuse = () => (play.isStopped ? new Error('the function was stopped') : undefined);
    },
    says: /^(Set aside: |No tick for )/,
    alarm: 'TickFails',
    log: '–',
  },
  {
    what: 'the clock of `tick` is a minute fast',
    queue: {},
    begin: ({ cloud }) => {
      Object.assign(cloud.deps, { clock: { ...cloud.deps.clock, now: () => cloud.nowMs + 60_000 } });
    },
    says: /^No tick for /,
    alarm: '–',
    log: '–',
  },
  {
    what: '`dispatch` throws',
    queue: {},
    begin: ({ cloud }) => {
      const crashed = async () => {
        throw new TypeError('x is not a function');
      };
      Object.assign(cloud.deps, { ranges: { ...cloud.deps.ranges, crashed } });
    },
    says: /^dispatch failed 1 time in the last 2 minutes/,
    alarm: 'DispatchFails',
    log: 'a task of this minute failed',
  },
  {
    what: '`publish` cannot put events on the bus',
    queue: { events: ['MatchFound'] },
    begin: ({ cloud }) => {
      Object.assign(cloud.deps, {
        bus: { publish: async (events: readonly unknown[]) => events.map((_, index) => index) },
      });
    },
    says: /^The event bus rejected \d+ events? in the last 2 minutes/,
    alarm: 'PublishLate',
    log: 'the bus rejected events',
  },
  {
    what: 'the clock of `enqueue` is a minute slow',
    queue: { timeoutSeconds: 45 },
    begin: (play) => {
      play.enqueueMs = -60_000;
    },
    says: /of the tickets of the last five minutes timed out\.$/,
    alarm: '–',
    log: '–',
  },
  {
    what: 'a queue that the deployed version cannot read',
    queue: {},
    begin: (play) => play.define({ release: { policy: 'of a later version' } } as never),
    listed: true,
    says: /cannot read the definition of queue/,
    alarm: 'DispatchFails',
    log: 'a task of this minute failed',
  },
];

/** The faults of `npm test`: one of the players, of a provisioner, of a webhook, of the matching and of a store. */
const SOME_FAULTS = FAULTS.filter(({ what }) =>
  [
    'a player of each match declines',
    'the provisioner cannot be reached',
    'the secret of a webhook is gone',
    'the search of a queue throws',
    'a function of a custom rule throws',
    'a function of a custom rule never returns',
    'the deployed code does not have the function of a custom rule',
    'the table of the tickets is throttled',
  ].includes(what),
);

/** The overview lists queues and dead letters this often. */
const LISTED_SECONDS = 20;

/** Faults that show in metrics of AWS, each with its alarm. `test/end-to-end/reported-faults.test.ts` has their log. */
const BY_AWS: readonly (readonly [what: string, alarm: string, log: string, overview: string])[] = [
  ['a message that no try can handle', 'DeadLetters', 'a message failed', 'after its last try'],
  ['the account has no Lambda concurrency left', 'TickThrottled', '–', '–'],
  ['`push` throws', 'PushLate', '–', '–'],
  [
    'API Gateway throttles messages to game clients',
    'PushDropped',
    'players could not be reached on their sockets',
    '–',
  ],
];

const { emulator, skipped } = USE_CASE_STORE;
describe.skipIf(skipped !== undefined)(suiteName('a fault is reported', emulator, skipped), () => {
  let play: Play;
  beforeEach(() => useCode(codeOf({ judged: () => true })));
  afterEach(() => useCode(undefined));
  ownCloudForEachTest(emulator, ({ cloud, queue }) => {
    play = new Play(cloud, queue);
  });

  it.each(sample(SOME_FAULTS, FAULTS))(
    'when $what',
    async ({ what, queue, begin, says, listed, alarm, log }) => {
      await play.define(queue);
      await play.seconds(BEFORE_SECONDS);
      expect(await play.troubles()).toEqual([]);
      await begin(play);
      let seconds = 0;
      let said: Trouble | undefined;
      while (said === undefined && seconds < WITHIN_SECONDS) {
        await play.seconds(1);
        seconds += 1;
        said = (await play.troubles()).find(({ text }) => says.test(text));
      }
      expect(said, JSON.stringify(await play.troubles())).toBeDefined();
      if (log === MATCHES_FAIL) expect(play.cloud.counted.some(({ failing }) => failing)).toBe(true);
      const within = listed ? Math.max(seconds, LISTED_SECONDS) : seconds;
      const row = rowOf(what, `${within} s`, alarm, log);
      // The alarm counts from the third failure on.
      while (log === WEBHOOK_FAILS && !play.failures.includes(true) && seconds++ < WITHIN_SECONDS)
        await play.seconds(1);
      if (log === WEBHOOK_FAILS) expect(play.failures).toContain(true);
      expect(rowAbout(what)).toBe(row);
    },
  );

  it.runIf(IS_LONG).each<[string, (play: Play) => unknown]>([
    [
      '`tick` is a minute slow',
      ({ cloud }) =>
        Object.assign(cloud.deps, { clock: { ...cloud.deps.clock, now: () => cloud.nowMs - 60_000 } }),
    ],
    [
      '`enqueue` is a minute fast',
      (play) => {
        play.enqueueMs = 60_000;
      },
    ],
  ])('makes as many matches when the clock of %s', async (_, begin) => {
    await play.define({});
    await play.seconds(BEFORE_SECONDS);
    const before = (await play.stats()).outcomes.matches.found;
    begin(play);
    await play.seconds(BEFORE_SECONDS);
    expect((await play.stats()).outcomes.matches.found).toBe(2 * before);
    expect(await play.troubles()).toEqual([]);
  });

  it.each(BY_AWS)('when %s', (what, alarm, log, overview) => {
    expect(rowAbout(what)).toBe(rowOf(what, overview, alarm, log));
  });
});

function rowAbout(what: string): string | undefined {
  return ROWS.find((row) => row.startsWith(`| ${what} |`));
}

/** A row of the table. */
function rowOf(what: string, overview: string, alarm: string, log: string): string {
  return `| ${what} | ${overview} | ${alarmOf(alarm)} | ${log === '–' ? log : `\`${log}\``} |`;
}

/** An alarm with the minutes of its metric that raise it. */
function alarmOf(name: string): string {
  if (name === '–') return name;
  const alarm = ALARMS.find(({ id }) => id.includes(name));
  expect(alarm, name).toBeDefined();
  const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods } = alarm!.Properties as {
    EvaluationPeriods: number;
    DatapointsToAlarm?: number;
  };
  return `\`${name}\`, ${DatapointsToAlarm} min`;
}

/** A queue of duels in which two players arrive each second, and their game backend. */
class Play {
  readonly cloud: VirtualCloud;
  readonly #queue: string;
  /** What the player at a place of the match answers; undefined for nothing. */
  accepts: (at: number) => boolean | undefined = () => true;
  /** The secret of the second webhook. */
  secret: SecretResult = { outcome: 'found', value: 'whsec_c2VjcmV0' };
  isScheduled = true;
  /** How far the clock of `enqueue` is ahead. */
  enqueueMs = 0;
  /** Whether players arrive, whether their tickets are stored, and whether a function was stopped. */
  arrives = true;
  enqueues = true;
  /** Whether the pings of players are noted, in a queue with presence. */
  pings = true;
  isStopped = false;
  /** The failures that `notify` has reported, and whether each counts for the alarm. */
  readonly failures: boolean[] = [];
  #definition: QueueDefinition = definition();
  #players = 0;
  #published = 0;

  constructor(cloud: VirtualCloud, queue: string) {
    this.cloud = cloud;
    this.#queue = queue;
    const good = cloud.deps.secrets.get;
    cloud.deps.secrets.get = (async (name: string) =>
      name === 'shared/two' ? this.secret : { ...(await good(name)), value: 'whsec_c2VjcmV0' }) as never;
  }

  async define(changes: Partial<QueueDefinition>): Promise<void> {
    this.#definition = definition({ ...this.#definition, name: this.#queue, ...changes });
    await putQueue(this.cloud.deps.queues, this.#definition, this.cloud.nowMs);
  }

  async seconds(count: number): Promise<void> {
    for (let second = 0; second < count; second++) {
      for (let i = 0; i < 2 && this.arrives; i++) {
        const ticketId = `${this.#queue}:${++this.#players}`;
        // The skills are in order of time, so that a sample of the pool has players of all times, whatever their ids.
        const { players } = ticket(this.#queue, ticketId, 1_000 + this.#players);
        if (!this.enqueues) continue;
        const nowMs = this.cloud.nowMs + this.enqueueMs;
        await enqueue(this.cloud.deps, this.#queue, { ticketId, players }, nowMs).catch((error) =>
          toProblem(error),
        );
      }
      await this.#ping();
      if (!this.isScheduled) this.cloud.tickMessages.length = 0;
      await this.#run(this.cloud.nowMs + 1_000);
      await this.#answer();
      await this.#notify();
    }
  }

  /** A player pings now if the interval has passed again since its ticket. */
  async #ping(): Promise<void> {
    const { presence } = this.#definition;
    if (presence === undefined || !this.pings) return;
    const silentFromMs = this.cloud.nowMs + silentAfterMs(presence);
    for (let player = this.#players; player > 0; player -= 2 * PRESENCE_PING_SECONDS)
      for (const number of [player, player - 1])
        await this.cloud.deps.presence.seen(this.#queue, `${this.#queue}:${number}`, 0, {
          by: String(number),
          silentFromMs,
        });
  }

  /** A function that throws is reported by Lambda, and the others go on. */
  async #run(untilMs: number): Promise<void> {
    while (this.cloud.nowMs < untilMs) {
      await this.cloud.run(untilMs - this.cloud.nowMs).catch(() => {});
      this.isStopped = false;
    }
  }

  async troubles(): Promise<Trouble[]> {
    const { unreadable = [] } = await listQueues(this.cloud.deps.queues);
    if (unreadable.includes(this.#queue)) return unreadableTroubles([this.#queue]);
    const stats = await this.stats();
    return troublesOf(this.#definition, queueStats.parse(JSON.parse(JSON.stringify(stats))));
  }

  stats() {
    return getStats(this.cloud.deps, this.#queue, this.cloud.nowMs);
  }

  async #answer(): Promise<void> {
    const found = this.cloud.events.slice(this.#published);
    for (const event of found) {
      if (event.type !== 'MatchFound' || event.match.status !== 'REQUIRES_ACCEPTANCE') continue;
      const { matchId, teams } = event.match;
      for (const [at, { ticketId }] of teams.flatMap(({ players }) => players).entries()) {
        const accepted = this.accepts(at);
        if (accepted !== undefined)
          await answerMatch(this.cloud.deps, ticketId!, { accepted, matchId }, this.cloud.nowMs);
      }
    }
  }

  async #notify(): Promise<void> {
    const { cloud } = this;
    const isSubscribed = (this.#definition.webhooks ?? []).length > 0;
    const found = cloud.events.slice(this.#published);
    this.#published = cloud.events.length;
    if (!isSubscribed) return;
    const note = (outcome: DeliveryOutcome) => {
      if ('failures' in outcome && outcome.failures !== undefined)
        this.failures.push(isFailing(outcome as RecordedFailure));
    };
    for (const event of found) note(await deliver(cloud.deps, { event }));
    for (const delivery of cloud.dueDeliveries()) note(await deliver(cloud.deps, delivery));
  }
}
