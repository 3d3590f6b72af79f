import { useComputed } from '@preact/signals';
import { Key } from '../charts/key.tsx';
import { deadLetterTroubles, type Trouble, troublesOfLive, unreadableTroubles } from '../data/health.ts';
import { beatMs, type LiveQueue, liveQueues, unreadableQueues } from '../data/live-queues.ts';
import { measuresOf } from '../data/measures.ts';
import { paced } from '../data/pace.ts';
import { outage, usePolled, useUpdates } from '../data/polling.ts';
import { service } from '../data/service.ts';
import { countText, numberText } from '../format.ts';
import { Loading, Page } from '../frame/page.tsx';
import { type ListedQueue, NUMBERS, QueueRow } from './queue-row.tsx';

/** Dead letters stay until an operator acts, so a minute more or less does not matter. */
const DEAD_LETTERS_MS = 20_000;

/** All queues, a line each; what is wrong comes first. */
export function OverviewPage() {
  useUpdates(undefined, () => beatMs(liveQueues.value?.size ?? 1));
  const deadLetters = usePolled('', service.deadLetters, () => paced(DEAD_LETTERS_MS));
  const listed = useComputed(() => liveQueues.value && inOrder([...liveQueues.value.values()]));
  const queues = listed.value;
  const ofService = [
    ...unreadableTroubles(unreadableQueues.value),
    ...deadLetterTroubles(deadLetters.value.data ?? []),
  ];
  if (queues === undefined) {
    return (
      <Page title="Overview">
        {outage.value === undefined ? <Loading what="the queues" /> : <p class="empty">No data yet.</p>}
      </Page>
    );
  }
  return (
    <Page title="Overview" lead={<Summary queues={queues} />}>
      {queues.length === 0 && ofService.length === 0 ? (
        <NoQueues />
      ) : (
        <>
          <Troubles queues={queues} ofService={ofService} />
          <QueueTable queues={queues} />
        </>
      )}
    </Page>
  );
}

function inOrder(queues: readonly LiveQueue[]): ListedQueue[] {
  const weight = ({ troubles }: ListedQueue) =>
    troubles[0]?.level === 'bad' ? 2 : troubles.length > 0 ? 1 : 0;
  return queues
    .map((live) => ({ live, troubles: troublesOfLive(live) }))
    .sort((a, b) => weight(b) - weight(a) || (a.live.definition.name < b.live.definition.name ? -1 : 1));
}

function Summary({ queues }: { readonly queues: readonly ListedQueue[] }) {
  const heard = queues.filter(({ live }) => live.stats !== undefined);
  if (heard.length === 0)
    return <p class="soft">{countText(queues.length, 'queue')} · nothing is known of them yet</p>;
  const waiting = heard.reduce((sum, { live }) => sum + live.stats!.waiting, 0);
  const perMinute = queues.reduce((sum, { live }) => {
    const rate = measuresOf(live, live.atMs).playersPerMinute;
    return sum + (Number.isNaN(rate) ? 0 : rate);
  }, 0);
  return (
    <p class="soft">
      {countText(queues.length, 'queue')} · {countText(waiting, 'ticket')} waiting ·{' '}
      {numberText(Math.round(perMinute))} players matched in the last minute
    </p>
  );
}

function NoQueues() {
  return (
    <div class="empty">
      <h2>No queues yet</h2>
      <p>
        A queue is a game mode with its rules. Put a definition into the service's folder of queues and deploy
        it, or send it with <code>PUT /queues/NAME</code>. It appears here within 20 seconds.
      </p>
    </div>
  );
}

interface TroublesProps {
  readonly queues: readonly ListedQueue[];
  /** What is wrong with the service as a whole. */
  readonly ofService: readonly Trouble[];
}

function Troubles({ queues, ofService }: TroublesProps) {
  const ofQueues = queues.flatMap(({ live, troubles }) =>
    troubles.map((trouble) => ({ ...trouble, queue: live.definition.name })),
  );
  const all: readonly (Trouble & { readonly queue?: string })[] = [...ofService, ...ofQueues];
  return (
    <section aria-label="What is wrong" aria-live="polite" aria-relevant="additions">
      {all.length === 0 ? (
        outage.value === undefined && <AllWell queues={queues} />
      ) : (
        <ul class="stack">
          {all.map(({ queue, level, text }) => (
            // What only counts on is no news for a screen reader.
            <li key={`${queue} ${text.replace(/[\d.,:]+/g, '')}`} class={`trouble trouble-${level}`}>
              {queue !== undefined && <a href={`/queues/${encodeURIComponent(queue)}`}>{queue}</a>} {text}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Only of queues that the service has reported. */
function AllWell({ queues }: { readonly queues: readonly ListedQueue[] }) {
  const unheard = queues.filter(({ live }) => live.stats === undefined).length;
  return (
    <p>
      {unheard > 0 ? (
        <Key colour="soft">
          Nothing has been heard yet of{' '}
          {unheard === queues.length ? 'the queues' : countText(unheard, 'queue')}.
        </Key>
      ) : (
        <Key colour="good">
          All queues are well: ticks are on time, no ticket is near its time-out, matches become games, and
          webhooks are delivered.
        </Key>
      )}
    </p>
  );
}

function QueueTable({ queues }: { readonly queues: readonly ListedQueue[] }) {
  return (
    <div class="card queues">
      <table>
        <thead>
          <tr>
            <th scope="col">Queue</th>
            <th scope="col">
              <Key colour="accent" kind="bars">
                players matched,
              </Key>{' '}
              <Key colour="second" kind="line">
                tickets waiting, last 5 min
              </Key>
            </th>
            {NUMBERS.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {queues.map((queue) => (
            <QueueRow key={queue.live.definition.name} {...queue} />
          ))}
        </tbody>
      </table>
    </div>
  );
}
