import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { QueueDefinition } from '../../../contract/queue-definition.ts';
import { teamsText } from '../../../contract/team-kinds.ts';
import { runJson } from '../../../simulation/run-json.ts';
import type { TrafficOptions } from '../../../simulation/traffic-options.ts';
import { definitionProblems } from '../data/definition-problems.ts';
import { simulate } from '../data/engine.ts';
import { type MatchedTicket, withMatchedTickets } from '../data/matched-tickets.ts';
import { isOutage, useLoaded } from '../data/polling.ts';
import { service } from '../data/service.ts';
import { numberText, secondsText, shareText } from '../format.ts';
import { Card } from '../frame/card.tsx';
import { Absent, Loading, Page } from '../frame/page.tsx';
import { goTo, pathTo } from '../frame/router.ts';
import { Table } from '../frame/table.tsx';
import { commandOf } from './command.ts';
import { knobsOf, withKnobs } from './knobs.ts';
import { assumedTraffic, measuredTraffic } from './measured-traffic.ts';
import { PLAYERS, type Run } from './run.ts';
import { TradePicture } from './trade-picture.tsx';

/** Requests for tickets from which arrivals are measured. */
const TICKET_REQUESTS = 3;

/** The simulator: what players of a queue would wait and get if its numbers were others. */
export function WhatIfPage({ name }: { readonly name: string | undefined }) {
  const { data: known, error } = useLoaded('queues', (abort) => service.queues(abort)).value;
  const definition = known?.find((one) => one.name === name) ?? (name === undefined ? known?.[0] : undefined);
  return (
    <Page
      title="What if"
      trail={[]}
      lead={
        <p class="soft">
          Plays a queue with simulated players in this page, with the service's own search and policies, and
          shows what a change would do to waits and matches. Nothing in the service changes.
        </p>
      }
    >
      {known === undefined ? (
        <Absent what="the queues" error={error} />
      ) : (
        <>
          <p>
            <label>
              Queue{' '}
              <select
                value={definition?.name ?? ''}
                onChange={(event) => goTo(pathTo('what-if', event.currentTarget.value))}
              >
                {definition === undefined && <option value="">choose one</option>}
                {known.map((one) => (
                  <option key={one.name} value={one.name}>
                    {one.name} ({teamsText(one)})
                  </option>
                ))}
              </select>
            </label>
          </p>
          {definition === undefined ? (
            <p class="empty">The service has no queue of this name whose definition it can read.</p>
          ) : (
            <Simulator key={definition.name} definition={definition} />
          )}
        </>
      )}
    </Page>
  );
}

const FIELDS: readonly (readonly [key: keyof TrafficOptions, label: string, hint: string])[] = [
  ['rate', 'Players per second', '5'],
  ['players', 'Players', String(PLAYERS)],
  ['skills', 'Skills', 'normal:MEAN:SD'],
  ['parties', 'Party sizes', '1=70,2=20,5=10'],
  ['roleWeights', 'Roles', 'tank=10,healer=15'],
  ['sides', 'Sides', 'killer=12,any=8'],
  ['regions', 'Regions', 'eu=60,us=40'],
  ['patience', 'Patience, seconds', 'no player cancels'],
  ['seed', 'Seed', '1'],
];
const ALWAYS: readonly (keyof TrafficOptions)[] = ['rate', 'players', 'skills', 'patience', 'seed'];

function Simulator({ definition }: { readonly definition: QueueDefinition }) {
  const { options, isMeasured } = useTraffic(definition);
  const values = useSignal<ReadonlyMap<string, number>>(new Map());
  const edited = useComputed(() => withKnobs(definition, values.value));
  const { runs, share, problem, start, stop } = useRuns();
  if (options.value === undefined) return <Loading what="the queue's own arrivals" />;
  const given = options.value;
  return (
    <>
      <form
        class="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          void start(given, [
            { name: 'running definition', definition },
            { name: changesText(values.value), definition: edited.value },
          ]);
        }}
      >
        <fieldset>
          <legend>The definition</legend>
          <Knobs definition={definition} values={values} />
        </fieldset>
        <fieldset>
          <legend>
            The players{' '}
            <span class="soft">
              {isMeasured
                ? 'measured from the latest matches'
                : 'assumed: the queue has too few matches to measure'}
            </span>
          </legend>
          <TrafficFields given={given} change={(changed) => (options.value = changed)} />
        </fieldset>
        <div class="row">
          {share.value === undefined ? (
            <button type="submit" class="primary">
              Simulate
            </button>
          ) : (
            <>
              <progress max={1} value={share.value} aria-label="Progress of the simulation" />
              <button type="button" onClick={stop}>
                Cancel
              </button>
            </>
          )}
          <p role="alert">{problem.value}</p>
        </div>
      </form>
      {runs.value.length > 0 && <Results runs={runs.value} />}
    </>
  );
}

/** The traffic of a queue as its latest matches show it, or an assumed one. Undefined until they are read. */
function useTraffic(definition: QueueDefinition) {
  const options = useSignal<TrafficOptions | undefined>(undefined);
  const { data, error } = useLoaded(definition.name, (abort) => matchedTickets(definition.name, abort)).value;
  const measured = data && measuredTraffic(definition, data);
  useEffect(() => {
    // An outage passes; it would then replace what was entered meanwhile.
    if (data !== undefined || (error !== undefined && !isOutage(error)))
      options.value = { ...(measured ?? assumedTraffic()), players: String(PLAYERS), seed: '1' };
  }, [data, error]);
  return { options, isMeasured: measured !== undefined };
}

/** A definition to simulate, and what the results call it. */
interface Played {
  readonly name: string;
  readonly definition: QueueDefinition;
}

/** The simulations so far. Those of other traffic are dropped, and none is repeated. */
function useRuns() {
  const runs = useSignal<readonly Run[]>([]);
  const share = useSignal<number | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const running = useRef<AbortController | undefined>(undefined);
  const stop = () => running.current?.abort();
  useEffect(() => stop, []);

  const play = async ({ name, definition }: Played, options: TrafficOptions, signal: AbortSignal) => {
    const startMs = performance.now();
    const result = await simulate(definition, options, (part) => (share.value = part), signal);
    const seconds = (performance.now() - startMs) / 1_000;
    runs.value = [...runs.value, { name, definition, options, result, seconds }];
  };

  const start = async (options: TrafficOptions, all: readonly Played[]) => {
    running.current = new AbortController();
    const { signal } = running.current;
    const faults = definitionProblems(all.at(-1)!.definition) ?? [];
    problem.value =
      faults.length === 0
        ? undefined
        : faults.map(({ pointer, detail }) => `${pointer.slice(2)}: ${detail}`).join('; ');
    if (problem.value !== undefined) return;
    share.value = 0;
    try {
      const sameTraffic = runs.value.filter((run) => isSame(run.options, options));
      if (sameTraffic.length < runs.value.length) runs.value = sameTraffic;
      for (const one of all)
        if (!runs.value.some((run) => isSame(run.definition, one.definition)))
          await play(one, options, signal);
    } catch (error) {
      if (!signal.aborted) problem.value = (error as Error).message;
    }
    share.value = undefined;
  };

  return { runs, share, problem, start, stop };
}

function Knobs({
  definition,
  values,
}: {
  readonly definition: QueueDefinition;
  readonly values: Signal<ReadonlyMap<string, number>>;
}) {
  const change = (path: string, running: number, next: number) => {
    const changed = new Map(values.value);
    if (next === running) changed.delete(path);
    else changed.set(path, next);
    values.value = changed;
  };
  return (
    <div class="tiles fields">
      {knobsOf(definition).map(({ path, label, value }) => (
        <NumberField
          key={path}
          label={label}
          value={values.value.get(path) ?? value}
          running={value}
          onInput={(next) => change(path, value, next)}
        />
      ))}
    </div>
  );
}

function TrafficFields({
  given,
  change,
}: {
  readonly given: TrafficOptions;
  readonly change: (changed: TrafficOptions) => void;
}) {
  const shown = FIELDS.filter(([key]) => ALWAYS.includes(key) || given[key] !== undefined);
  return (
    <div class="tiles fields">
      {shown.map(([key, label, hint]) => (
        <label key={key}>
          {label}
          <input
            type="text"
            value={given[key] ?? ''}
            placeholder={hint}
            spellcheck={false}
            onInput={(event) => {
              const { [key]: _, ...others } = given;
              const text = event.currentTarget.value.trim();
              change({ seed: '1', ...others, ...(text !== '' && { [key]: text }) });
            }}
          />
        </label>
      ))}
    </div>
  );
}

function NumberField({
  label,
  value,
  running,
  onInput,
}: {
  readonly label: string;
  readonly value: number;
  readonly running: number;
  readonly onInput: (value: number) => void;
}) {
  const most = running === 0 ? 20 : running * 4;
  const step = most >= 40 ? 1 : most >= 4 ? 0.1 : 0.01;
  const change = (text: string) => {
    const number = Number(text);
    if (text.trim() !== '' && Number.isFinite(number)) onInput(number);
  };
  return (
    <div>
      <label>
        {label}
        <input
          type="number"
          step="any"
          value={value}
          onInput={(event) => change(event.currentTarget.value)}
        />
      </label>
      <input
        type="range"
        min={0}
        max={most}
        step={step}
        value={value}
        aria-label={`${label}, slider`}
        onInput={(event) => change(event.currentTarget.value)}
      />
      <span class="soft small">running: {running}</span>
    </div>
  );
}

/** What the results compare. */
const ROWS: readonly [string, (run: Run) => string][] = [
  ['wait, half at most', ({ result }) => secondsText(result.measures.waitSeconds.p50)],
  ['wait, 90 % at most', ({ result }) => secondsText(result.measures.waitSeconds.p90)],
  ['wait, 99 % at most', ({ result }) => secondsText(result.measures.waitSeconds.p99)],
  ['mean imbalance', ({ result }) => numberText(result.measures.imbalance.mean)],
  ['imbalance, 90 % at most', ({ result }) => numberText(result.measures.imbalance.p90)],
  ['proved best', ({ result }) => shareText(result.measures.provedBest)],
  ['players matched', ({ result }) => shareText(result.measures.outcome.matched / result.measures.players)],
  [
    'players timed out',
    ({ result }) => shareText(result.measures.outcome.timedOut / result.measures.players),
  ],
  ['cost on AWS per million players', ({ result }) => `$${result.cost.perMillionPlayers.toFixed(2)}`],
  ['played in', ({ seconds }) => secondsText(seconds)],
];

function Results({ runs }: { readonly runs: readonly Run[] }) {
  const latest = runs.at(-1)!;
  const [first] = runs;
  const columns = first === latest ? [latest] : [first!, latest];
  return (
    <>
      <div class="tiles" aria-live="polite">
        <Card title="Wait against imbalance">
          <TradePicture runs={runs} />
        </Card>
        <Card title="Results">
          <Table
            class="compare"
            head={['', ...columns.map(({ name }) => name)]}
            rows={ROWS.map(([label, of]) => [label, ...columns.map(of)])}
          />
          {latest.result.warnings.map((warning) => (
            <p key={warning} class="trouble">
              {warning}
            </p>
          ))}
        </Card>
      </div>
      <Card title="The same run on the command line" class="command">
        <p>
          Save the definition as <code>definition.json</code>. The command then prints the same numbers, to
          the last digit.
        </p>
        <pre>{commandOf(latest.options)}</pre>
        <details>
          <summary>The definition</summary>
          <pre>{JSON.stringify(latest.definition, null, 2)}</pre>
        </details>
        <details>
          <summary>All numbers, as the command prints them</summary>
          <pre>
            {JSON.stringify(
              runJson(latest.definition, latest.result, {
                seed: Number(latest.options.seed),
                interrupted: false,
              }),
              null,
              2,
            )}
          </pre>
        </details>
      </Card>
    </>
  );
}

async function matchedTickets(name: string, abort: AbortSignal): Promise<readonly MatchedTicket[]> {
  const matches = (await service.matches(name, 100, abort)).toReversed();
  let tickets: readonly MatchedTicket[] = [];
  const asked = new Set<string>();
  for (let sent = 0; sent < TICKET_REQUESTS; sent++) {
    const more = await withMatchedTickets(tickets, asked, matches, abort);
    if (more === tickets) break;
    tickets = more;
  }
  return tickets;
}

function changesText(values: ReadonlyMap<string, number>): string {
  return Array.from(values, ([path, value]) => `${path.split('.').at(-1)} ${value}`).join(', ');
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
