import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { teamsText } from '../../../contract/team-kinds.ts';
import { CountedBar } from '../charts/counted-bar.tsx';
import { Key } from '../charts/key.tsx';
import { TimeChart } from '../charts/time-chart.tsx';
import { countReasons } from '../data/engine.ts';
import { troublesOfLive, unreadableTroubles } from '../data/health.ts';
import { type LiveQueue, liveQueues, unreadableQueues } from '../data/live-queues.ts';
import { type MatchedTicket, waitsByGroup, withMatchedTickets } from '../data/matched-tickets.ts';
import { measuresOf } from '../data/measures.ts';
import { paced } from '../data/pace.ts';
import { outage, poll, usePolled, useUpdates } from '../data/polling.ts';
import type { CountedReason } from '../data/reasons-of.ts';
import { service } from '../data/service.ts';
import { imbalanceOverTime, waitingAndMatched, waitsOverTime } from '../data/timelines.ts';
import type { WaitingSample } from '../data/waiting.ts';
import { countText, numberText, secondsText, shareText } from '../format.ts';
import { Card } from '../frame/card.tsx';
import { now } from '../frame/now.ts';
import { Absent, Loading, Page } from '../frame/page.tsx';
import { pathTo } from '../frame/router.ts';
import { Cooldowns } from './cooldowns.tsx';
import { Experiment } from './experiment.tsx';
import { Funnel } from './funnel.tsx';
import { LatestMatches } from './latest-matches.tsx';
import { PoolPicture } from './pool-picture.tsx';
import { WaitBars } from './wait-bars.tsx';
import { Webhooks } from './webhooks.tsx';

const BEAT_MS = 2_000;
/** The tickets that the picture shows: a change of it every few seconds is enough. */
const SAMPLE = { limit: 500, everyMs: 4_000 };
/** Reading tickets costs more than statistics, and their waits change slowly. */
const TICKETS_EVERY_MS = 10_000;
const WINDOW_SECONDS = 600;
const NO_BOUNDARIES: readonly number[] = [];

/** One queue: its waiting tickets with reasons and waits, and the matches that were made. */
export function QueuePage({ name }: { readonly name: string }) {
  useUpdates(name, () => paced(BEAT_MS));
  const live = useComputed(() => liveQueues.value?.get(name));
  if (live.value === undefined) {
    return (
      <Page title={name} trail={[]}>
        {liveQueues.value === undefined ? (
          outage.value === undefined && <Loading what="the queue" />
        ) : (
          <p class="empty">
            {unreadableTroubles(unreadableQueues.value.filter((one) => one === name))[0]?.text ??
              'The service has no queue of this name. It may have been deleted.'}{' '}
            <a href="/">See all queues.</a>
          </p>
        )}
      </Page>
    );
  }
  return <KnownQueue live={live.value} />;
}

function KnownQueue({ live }: { readonly live: LiveQueue }) {
  const { definition, stats } = live;
  const { name, tickSeconds, timeoutSeconds, release, buckets, ladder } = definition;
  const troubles = troublesOfLive(live);
  return (
    <Page
      title={name}
      trail={[]}
      lead={
        <div class="row spread soft">
          <p>
            {teamsText(definition)} · {release.policy} · a tick every{' '}
            {secondsText(tickSeconds).replace('.0', '')} · time-out after {secondsText(timeoutSeconds)}
          </p>
          <p>
            <a class="button" href={pathTo('queues', name, 'definition')}>
              Definition
            </a>{' '}
            {ladder !== undefined && (
              <>
                <a class="button" href={pathTo('ladders', ladder)}>
                  Ladder
                </a>{' '}
              </>
            )}
            <a class="button" href={pathTo('what-if', name)}>
              What if
            </a>
          </p>
        </div>
      }
    >
      {troubles.length > 0 && (
        <ul class="stack" aria-label="What is wrong">
          {troubles.map(({ level, text }) => (
            <li key={text} class={`trouble trouble-${level}`}>
              {text}
            </li>
          ))}
        </ul>
      )}
      <Pool live={live} boundaries={Array.isArray(buckets) ? buckets : NO_BOUNDARIES} />
      <Numbers live={live} />
      {stats !== undefined && <Funnel outcomes={stats.outcomes} />}
      <Charts live={live} />
      <Waits live={live} />
      {definition.cooldown !== undefined && <Cooldowns name={name} counts={stats?.outcomes.cooldowns} />}
      {stats?.experiment !== undefined && <Experiment name={name} />}
      {stats?.webhooks !== undefined && <Webhooks name={name} webhooks={stats.webhooks} />}
      <LatestMatches live={live} />
    </Page>
  );
}

function Numbers({ live }: { readonly live: LiveQueue }) {
  const { stats, atMs } = live;
  const measures = measuresOf(live, atMs);
  const sinceTick =
    stats?.lastTickAt == null ? undefined : Math.max(0, now.value - Date.parse(stats.lastTickAt)) / 1_000;
  return (
    <dl class="tiles figures">
      <Figure
        of={
          stats?.linked === undefined
            ? 'tickets waiting'
            : `tickets waiting, ${numberText(stats.linked)} of them elsewhere too`
        }
      >
        {numberText(stats?.waiting)}
      </Figure>
      <Figure of="players matched per min">{numberText(Math.round(measures.playersPerMinute))}</Figure>
      <Figure of="wait, half of the matched">{secondsText(stats?.recentMatches.waitSecondsP50)}</Figure>
      <Figure of="wait, 99 % of them">{secondsText(stats?.recentMatches.waitSecondsP99)}</Figure>
      <Figure of="mean imbalance">{numberText(measures.imbalance)}</Figure>
      <Figure of="matches proved best">{shareText(measures.provedShare)}</Figure>
      <Figure of="mean gap to the best, at most">{numberText(measures.gap)}</Figure>
      <Figure
        of={`last tick${stats?.tickMilliseconds == null ? '' : `, took ${numberText(Math.round(stats.tickMilliseconds))} ms`}`}
      >
        {sinceTick === undefined ? 'none yet' : `${secondsText(sinceTick)} ago`}
      </Figure>
    </dl>
  );
}

function Figure({ of, children }: { readonly of: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt class="small">{of}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The picture of the pool, and why its tickets wait. */
function Pool({ live, boundaries }: { readonly live: LiveQueue; readonly boundaries: readonly number[] }) {
  const { definition } = live;
  const { name, timeoutSeconds } = definition;
  const sample = usePolled(
    name,
    (abort) => service.waiting(name, SAMPLE.limit, abort),
    () => paced(SAMPLE.everyMs),
  );
  const { data, error } = sample.value;
  return (
    <div class="tiles pool">
      <Card title="Waiting now, by skill and by age">
        {data === undefined ? (
          <Absent what="the waiting tickets" error={error} />
        ) : (
          <>
            <PoolPicture waiting={data.waiting} boundaries={boundaries} timeoutSeconds={timeoutSeconds} />
            <p class="row soft small">
              <Key colour="accent">a player alone</Key>
              <Key colour="second">a party</Key>
              <Key colour="bad">close to its time-out</Key>
              {boundaries.length > 0 && (
                <Key colour="third" kind="line">
                  boundary of two buckets
                </Key>
              )}
              {!data.isComplete && (
                <span>{countText(data.waiting.length, 'ticket')} of more, evenly along the skills</span>
              )}
            </p>
          </>
        )}
      </Card>
      <Card title="Why they wait">
        {data === undefined ? (
          <Absent what="the reasons" error={error} />
        ) : (
          <Reasons live={live} sample={data} />
        )}
      </Card>
    </div>
  );
}

function Reasons({ live, sample }: { readonly live: LiveQueue; readonly sample: WaitingSample }) {
  const reasons = useSignal<readonly CountedReason[] | undefined>(undefined);
  const failure = useSignal<string | undefined>(undefined);
  useEffect(() => {
    const abort = new AbortController();
    countReasons(live.definition, sample.waiting, abort.signal).then(
      (counted) => {
        reasons.value = counted;
        failure.value = undefined;
      },
      (error) => {
        if (!abort.signal.aborted) failure.value = error.message;
      },
    );
    return () => abort.abort();
  }, [sample]);
  if (sample.waiting.length === 0)
    return <p class="soft">No tickets wait. The next one is searched within a tick.</p>;
  if (failure.value !== undefined) return <p class="soft">The reasons could not be found: {failure.value}</p>;
  if (reasons.value === undefined) return <Loading what="the reasons" />;
  const total = reasons.value.reduce((sum, { tickets }) => sum + tickets, 0);
  return (
    <>
      {total === 0 && <p class="soft">Every ticket has a match within reach; the next tick decides.</p>}
      <ul class="stack">
        {reasons.value.map(({ reason, tickets }) => (
          <CountedBar
            key={reason}
            text={reason}
            value={countText(tickets, 'ticket')}
            part={total === 0 ? 0 : tickets / total}
          />
        ))}
      </ul>
      <p class="soft small">
        Found by the engine in this page, over a sample. The page of a ticket has its exact reason: enter its
        id above.
      </p>
    </>
  );
}

const WAITING_SERIES = [
  { name: 'tickets waiting', colour: 'second', kind: 'line' },
  { name: 'players matched in 10 s', colour: 'accent', kind: 'bars', barSeconds: 10 },
] as const;
const WAIT_SERIES = [
  { name: 'half waited at most', colour: 'accent', kind: 'line' },
  { name: '99 % waited at most', colour: 'second', kind: 'line' },
] as const;
const IMBALANCE_SERIES = [
  { name: 'imbalance of a match', colour: 'accent', kind: 'dots' },
  { name: 'how much a match of as long a wait could have saved at most', colour: 'bad', kind: 'dots' },
] as const;

function Charts({ live }: { readonly live: LiveQueue }) {
  const { atMs, stats } = live;
  const windowSeconds = shownSeconds(live);
  const window = { windowSeconds, untilMs: atMs, height: 190 };
  const measures = measuresOf(live, atMs);
  return (
    <div class="tiles">
      <Card title="Waiting and matched">
        <TimeChart
          {...window}
          series={WAITING_SERIES}
          label={`${numberText(stats?.waiting)} tickets wait; ${numberText(measures.playersPerMinute)} players are matched per minute`}
          data={waitingAndMatched(live, atMs, { windowSeconds, binSeconds: 10 })}
        />
      </Card>
      <Card title="Imbalance and proof of each match">
        <TimeChart
          {...window}
          series={IMBALANCE_SERIES}
          label={`Mean imbalance ${numberText(measures.imbalance)}; ${shareText(measures.provedShare)} of the matches are proved best`}
          data={imbalanceOverTime(live, atMs, windowSeconds)}
        />
      </Card>
      <Card title="Waits of matched tickets, seconds">
        <TimeChart
          {...window}
          series={WAIT_SERIES}
          label={`Half of the matched tickets waited at most ${secondsText(stats?.recentMatches.waitSecondsP50)}, 99 % at most ${secondsText(stats?.recentMatches.waitSecondsP99)}`}
          data={waitsOverTime(live, atMs, windowSeconds)}
        />
      </Card>
    </div>
  );
}

/** The time that the charts show: what is known, from one minute to ten. */
function shownSeconds({ matches, samples, atMs }: LiveQueue): number {
  const first = Math.min(samples[0]?.atMs ?? atMs, matches[0] ? Date.parse(matches[0].createdAt) : atMs);
  return Math.min(WINDOW_SECONDS, Math.max(60, (atMs - first) / 1_000));
}

function Waits({ live }: { readonly live: LiveQueue }) {
  const { name } = live.definition;
  const tickets = useSignal<readonly MatchedTicket[]>([]);
  useEffect(() => {
    tickets.value = [];
    const asked = new Set<string>();
    const polling = poll(
      async (abort) => {
        const { matches = [] } = liveQueues.value?.get(name) ?? {};
        tickets.value = await withMatchedTickets(tickets.value, asked, matches, abort);
      },
      () => (tickets.value.length === 0 ? paced(BEAT_MS) : paced(TICKETS_EVERY_MS)),
    );
    return () => polling.stop();
  }, [name]);
  const groups = useComputed(() => waitsByGroup(tickets.value));
  if (groups.value.length === 0) return null;
  return (
    <Card title={<>Waits of the last {tickets.value.length} matched tickets</>}>
      <div class="tiles groups">
        {groups.value.map((group) => (
          <WaitBars key={group.by} {...group} />
        ))}
      </div>
    </Card>
  );
}
