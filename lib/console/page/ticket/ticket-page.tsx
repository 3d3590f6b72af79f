import { isFinal } from '../../../client/index.ts';
import type { TicketView } from '../../../contract/ticket.ts';
import { Bar } from '../charts/bar.tsx';
import { liveQueues } from '../data/live-queues.ts';
import { paced } from '../data/pace.ts';
import { usePolled, useUpdates } from '../data/polling.ts';
import { service } from '../data/service.ts';
import { clockText, countText, numberText, secondsText, sentenceText } from '../format.ts';
import { Card } from '../frame/card.tsx';
import { now } from '../frame/now.ts';
import { Absent, Page } from '../frame/page.tsx';
import { pathTo } from '../frame/router.ts';
import { type Station, statusText, Way } from '../frame/status.tsx';

const BEAT_MS = 2_000;
/** The reason is found by a search in the service, so it is asked for less often. */
const EXPLAIN_EVERY_MS = 10_000;

/** A ticket: where it stands, why it waits, and how long yet. */
export function TicketPage({ ticketId }: { readonly ticketId: string }) {
  const ticket = usePolled(
    ticketId,
    (abort) => service.ticket(ticketId, abort),
    (data) => (data !== undefined && isFinal(data.status) ? undefined : paced(BEAT_MS)),
  );
  const { data, error } = ticket.value;
  if (data === undefined) {
    return (
      <Page title={ticketId} trail={[]}>
        <Absent
          what="the ticket"
          error={error}
          missing={
            <>
              The service has no ticket <code>{ticketId}</code>. Ended tickets are kept for a limited time.
            </>
          }
        />
      </Page>
    );
  }
  return <KnownTicket ticket={data} />;
}

function KnownTicket({ ticket }: { readonly ticket: TicketView }) {
  const { ticketId, queue, status, players, matchId, reason, enqueuedAt } = ticket;
  return (
    <Page
      title={ticketId}
      trail={[{ text: queue, href: pathTo('queues', queue) }]}
      lead={
        <p class="soft">
          {statusText(status)} · {players.length === 1 ? 'a player alone' : `a party of ${players.length}`}
          {ticket.split === true && ' that may be divided'} · since {clockText(Date.parse(enqueuedAt))}
        </p>
      }
    >
      <Card title="Its way">
        <Way stations={stationsOf(ticket, now.value)} />
        {reason !== undefined && status !== 'QUEUED' && <p class="player">{sentenceText(reason)}</p>}
        {matchId !== undefined && (
          <p>
            <a class="button" href={pathTo('matches', matchId)}>
              Its match
            </a>
          </p>
        )}
      </Card>
      {status === 'QUEUED' && <Waiting ticket={ticket} />}
      <Card title={countText(players.length, 'player')}>
        <ul class="items">
          {players.map((player) => (
            <li key={player.playerId} class="row">
              <strong class="player">{player.playerId}</strong>
              {factsOf(player).map((fact) => (
                <span key={fact}>{fact}</span>
              ))}
            </li>
          ))}
        </ul>
      </Card>
    </Page>
  );
}

function factsOf({
  skill,
  roles,
  teams,
  attributes = {},
  latencyMs = {},
  avoid,
}: TicketView['players'][number]): string[] {
  const named = Object.entries(attributes).map(
    ([key, value]) => `${key} ${Array.isArray(value) ? value.join(', ') : value}`,
  );
  const latencies = Object.entries(latencyMs).map(([region, ms]) => `${region} ${numberText(ms)} ms`);
  return [
    `skill ${numberText(skill)}`,
    roles && `plays ${roles.join(' or ')}`,
    teams && `for ${teams.join(' or ')}`,
    named.join(' · '),
    latencies.join(' · '),
    avoid && `avoids ${countText(avoid.length, 'player')}`,
  ].filter((fact): fact is string => fact !== undefined && fact !== '');
}

/** Why it waits, and how its age compares with what others waited and with the time-out. */
function Waiting({ ticket }: { readonly ticket: TicketView }) {
  const { ticketId, queue, enqueuedAt } = ticket;
  const explained = usePolled(
    ticketId,
    (abort) => service.ticket(ticketId, abort, true),
    () => paced(EXPLAIN_EVERY_MS),
  );
  useUpdates(queue, () => paced(EXPLAIN_EVERY_MS));
  const live = liveQueues.value?.get(queue);
  const age = Math.max(0, (now.value - Date.parse(enqueuedAt)) / 1_000);
  const estimate = ticket.estimatedWaitSeconds;
  const { waitSecondsP50: p50, waitSecondsP99: p99 } = live?.stats?.recentMatches ?? {};
  return (
    <div class="tiles">
      <Card title="Why it waits">
        {explained.value.data?.reason === undefined ? (
          <Absent what="the reason" error={explained.value.error} />
        ) : explained.value.data.queues !== undefined ? (
          <ul class="items">
            {explained.value.data.queues.map((one) => (
              <li key={one.queue} class="row">
                <a href={pathTo('queues', one.queue)}>{one.queue}</a>
                {one.reason !== undefined && <span class="player">{sentenceText(one.reason)}</span>}
              </li>
            ))}
          </ul>
        ) : (
          <p class="player">{sentenceText(explained.value.data.reason)}</p>
        )}
        <p class="soft small">
          The service has searched for its best match among its neighbours. The reason names what would have
          to give: the policy, a rule, or time.
        </p>
      </Card>
      <Card title="How long yet">
        {estimate === undefined ? (
          <p>
            {live?.stats === undefined
              ? 'The waits of recent matches are not known yet.'
              : p50 == null
                ? 'No estimate: the queue has matched no players recently.'
                : `Half of the recent matches came after ${secondsText(p50)}, 99 % after ${secondsText(p99)}. This ticket has waited ${secondsText(age)}.`}
          </p>
        ) : (
          <p>
            Tickets like it wait another {secondsText(estimate.p50)} in half of the cases
            {estimate.p90 !== undefined && `, and ${secondsText(estimate.p90)} in 90 %`}.
          </p>
        )}
        {live !== undefined && (
          <AgePicture age={age} recent={[p50, p99]} timeout={live.definition.timeoutSeconds} />
        )}
      </Card>
    </div>
  );
}

/** @param recent how long half and 99 % of the tickets of recent matches waited; null where there are none */
function AgePicture({
  age,
  recent,
  timeout,
}: {
  readonly age: number;
  readonly recent: readonly (number | null | undefined)[];
  readonly timeout: number;
}) {
  // Roots, because most waits are short against the time-out.
  const part = (seconds: number) => Math.sqrt(Math.min(1, seconds / timeout));
  return (
    <figure>
      <div role="img" aria-label={`It has waited ${secondsText(age)} of at most ${secondsText(timeout)}`}>
        <Bar
          height={36}
          stretches={[
            { from: 0, to: 1, colour: 'line', thickness: 20 },
            { from: 0, to: part(age), colour: age > 0.85 * timeout ? 'bad' : 'accent', thickness: 20 },
          ]}
          marks={recent.flatMap((seconds) => (seconds == null ? [] : part(seconds)))}
        />
      </div>
      <figcaption class="soft small">
        waited {secondsText(age)} of {secondsText(timeout)}
        {recent[0] != null && ' · the lines: half and 99 % of recent matches'}
      </figcaption>
    </figure>
  );
}

function stationsOf({ status, enqueuedAt, matchId, acceptance }: TicketView, nowMs: number): Station[] {
  const queued: Station = {
    text: 'Waiting',
    note:
      status === 'QUEUED'
        ? `for ${secondsText(Math.max(0, nowMs - Date.parse(enqueuedAt)) / 1_000)}`
        : `since ${clockText(Date.parse(enqueuedAt))}`,
    state: status === 'QUEUED' ? 'now' : 'done',
  };
  if (status === 'CANCELLED' || status === 'TIMED_OUT' || (status === 'FAILED' && matchId === undefined))
    return [queued, { text: capital(statusText(status)), state: 'failed' }];
  const found: Station = { text: 'Match found', state: matchId === undefined ? 'ahead' : 'done' };
  const middle: Station[] =
    status === 'REQUIRES_ACCEPTANCE' || status === 'PLACING'
      ? [{ text: capital(statusText(status)), note: readyText(acceptance), state: 'now' }]
      : [];
  const end: Station =
    status === 'FAILED'
      ? { text: 'Failed', state: 'failed' }
      : { text: 'Completed', state: status === 'COMPLETED' ? 'done' : 'ahead' };
  return [queued, found, ...middle, end];
}

function readyText(acceptance: TicketView['acceptance']): string | undefined {
  if (acceptance === undefined) return undefined;
  const { ready, of, players } = acceptance;
  const own = players.length === 0 ? 'nobody' : players.join(', ');
  return `${ready} of ${of} players are ready, of this ticket: ${own}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
