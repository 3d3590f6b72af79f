import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Trouble, troublesOf } from '../../lib/console/page/overview/health.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { queueStats } from '../../lib/contract/queue-stats.ts';
import { type DeliveryOutcome, deliver } from '../../lib/service/events/notify.ts';
import type { OutboundResult } from '../../lib/service/ports/outbound.ts';
import type { SecretResult } from '../../lib/service/ports/secrets.ts';
import { putQueue } from '../../lib/service/queues/queues.ts';
import { getStats } from '../../lib/service/queues/stats.ts';
import { answerMatch } from '../../lib/service/tickets/acceptance.ts';
import { enqueue } from '../../lib/service/tickets/enqueue.ts';
import { WarmSearches } from '../../lib/service/ticks/warm-searches.ts';
import { EMULATORS, suiteName } from '../aws/emulated-tables.ts';
import { ticket } from '../aws/samples.ts';
import { builtApp } from '../infra/built-app.ts';
import { resourcesOf } from '../infra/resources.ts';
import { definition } from './definitions.ts';
import { ownCloudForEachTest } from './own-cloud.ts';
import type { VirtualCloud } from './virtual-cloud.ts';

/** The table of faults says how soon each is reported, and with which words. */
const PAGE = readFileSync(join(import.meta.dirname, '../../docs/reliability.md'), 'utf8');
const ROWS = PAGE.split('## How soon a fault is reported')[1]!.split('\n## ')[0]!.split('\n');
const ALARMS = resourcesOf(builtApp().template, 'AWS::CloudWatch::Alarm');

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
  readonly alarm: string;
  /** What the log says. */
  readonly log: string;
}

const ACCEPTANCE: Partial<QueueDefinition> = { acceptance: { timeoutSeconds: 15 } };
const PROVISIONER: Partial<QueueDefinition> = {
  provisioner: { type: 'http', url: 'https://games.example' },
};
const hook = (name: string) => ({ url: `https://${name}.example/`, secret: `shared/${name}` });
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
];

/** Faults that show in metrics of AWS, each with its alarm and what the log says. */
const BY_AWS: readonly (readonly [what: string, alarm: string, log: string, source: string])[] = [
  ['a table is throttled', 'TicketsTableThrottled', 'the store is busy', 'lib/aws/http.ts'],
  ['a message that no try can handle', 'DeadLetters', 'a message failed', 'lib/aws/message-consumer.ts'],
  ['`dispatch` throws', 'DispatchFails', 'a task of this minute failed', 'lambdas/dispatch.ts'],
  ['`enqueue` crashes', 'EnqueueFails', '–', ''],
  ['`tick` is stopped by Lambda', 'TickFails', '–', ''],
  ['`publish` cannot put events on the bus', 'PublishLate', 'the bus rejected events', 'lambdas/publish.ts'],
  [
    'a queue that the deployed version cannot read',
    'EventsParked',
    'a queue cannot be read, so its events are parked',
    'lambdas/publish.ts',
  ],
  ['the account has no Lambda concurrency left', 'TickThrottled', '–', ''],
];

const { emulator, skipped } = EMULATORS[0]!;
describe.skipIf(skipped !== undefined)(suiteName('a fault is reported', emulator, skipped), () => {
  let play: Play;
  ownCloudForEachTest(emulator, ({ cloud, queue }) => {
    play = new Play(cloud, queue);
  });

  it.each(FAULTS)('when $what', async ({ what, queue, begin, says, alarm, log }) => {
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
    if (log === WEBHOOK_FAILS) expect(play.failures).toContainEqual(expect.any(Number));
    expect(rowAbout(what)).toBe(rowOf(what, `${seconds} s`, alarm, log));
  });

  it.each(BY_AWS)('when %s', (what, alarm, log, source) => {
    if (source !== '')
      expect(readFileSync(join(import.meta.dirname, '../..', source), 'utf8')).toContain(log);
    expect(rowAbout(what)).toBe(rowOf(what, alarm === 'DeadLetters' ? '20 s' : '–', alarm, log));
  });
});

function rowAbout(what: string): string | undefined {
  return ROWS.find((row) => row.startsWith(`| ${what} |`));
}

/** A row of the table. */
function rowOf(what: string, seconds: string, alarm: string, log: string): string {
  return `| ${what} | ${seconds} | ${alarmOf(alarm)} | ${log === '–' ? log : `\`${log}\``} |`;
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
  /** The failures that `notify` has reported. */
  readonly failures: number[] = [];
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
      for (let i = 0; i < 2; i++) {
        const ticketId = `${this.#queue}:${++this.#players}`;
        const { players } = ticket(this.#queue, ticketId, 1_000);
        await enqueue(this.cloud.deps, this.#queue, { ticketId, players }, this.cloud.nowMs);
      }
      if (!this.isScheduled) this.cloud.tickMessages.length = 0;
      // A tick that throws is reported by Lambda, and SQS sends it again.
      await this.cloud.run(1_000).catch(() => this.cloud.run(1_000));
      await this.#answer();
      await this.#notify();
    }
  }

  async troubles(): Promise<Trouble[]> {
    const stats = await getStats(this.cloud.deps, this.#queue, this.cloud.nowMs);
    return troublesOf(
      this.#definition,
      queueStats.parse(JSON.parse(JSON.stringify(stats))),
      this.cloud.nowMs,
    );
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
      if ('failures' in outcome && outcome.failures !== undefined) this.failures.push(outcome.failures);
    };
    for (const event of found) note(await deliver(cloud.deps, { event }));
    for (const delivery of cloud.dueDeliveries()) note(await deliver(cloud.deps, delivery));
  }
}
