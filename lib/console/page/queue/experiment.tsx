import { Fragment } from 'preact';
import type { ExperimentView } from '../../../contract/experiment-view.ts';
import { TimeChart } from '../charts/time-chart.tsx';
import { usePolled } from '../data/polling.ts';
import { service } from '../data/service.ts';
import { clockText, countText, numberText, secondsText, shareText } from '../format.ts';
import { Card } from '../frame/card.tsx';
import { Table } from '../frame/table.tsx';

/** The results change with each block, and reading them reads all blocks. */
const EVERY_MS = 30_000;
type Measure = keyof ExperimentView['variants'][number]['measures'];
type Effect = NonNullable<ExperimentView['variants'][number]['measures'][Measure]>;

const MEASURES: Readonly<Record<Measure, readonly [name: string, write: (value: number) => string]>> = {
  waitSeconds: ['mean wait', secondsText],
  waitSecondsP90: ['wait of the 90th percentile', secondsText],
  waitSecondsP99: ['wait of the 99th percentile', secondsText],
  imbalance: ['mean imbalance', numberText],
  cancelled: ['cancelled', shareText],
  timedOut: ['timed out', shareText],
};

/** The last experiment on a queue: the variant in force, its blocks, and the interval of each measure. */
export function Experiment({ name }: { readonly name: string }) {
  const { data, error } = usePolled(
    name,
    (abort) => service.experiment(name, abort),
    () => EVERY_MS,
  ).value;
  return (
    <Card title={<>Experiment{data === undefined ? '' : ` ${data.definition.name}`}</>}>
      {error !== undefined && data === undefined && <p class="trouble trouble-bad">{error.message}</p>}
      {data !== undefined && <Results view={data} />}
    </Card>
  );
}

function Results({ view }: { readonly view: ExperimentView }) {
  const { rounds, players, variants, blocks } = view;
  const control = view.definition.variants[0]!.name;
  return (
    <>
      <p>{stateText(view)}</p>
      <p class="soft">
        {countText(rounds.counted, 'round')} of {numberText(rounds.planned)} with{' '}
        {countText(players, 'player')} counted. A block counts when none of its tickets can still be waiting.
      </p>
      {blocks.length > 0 && <Blocks view={view} />}
      {variants.map(({ name, measures }) => (
        <Fragment key={name}>
          <h3>
            {name} compared with {control}
          </h3>
          <Table
            head={['measure', control, name, '95 % interval of the difference']}
            rows={(Object.entries(measures) as [Measure, Effect][]).map(([measure, effect]) => {
              const [of, write] = MEASURES[measure];
              return [of, write(effect.control), write(effect.variant), intervalOf(effect, write)];
            })}
          />
        </Fragment>
      ))}
    </>
  );
}

function intervalOf({ low, high, verdict, text }: Effect, write: (value: number) => string) {
  const signed = (value: number) => `${value < 0 ? '−' : '+'}${write(Math.abs(value))}`;
  const isReal = verdict === 'real';
  return (
    <span title={text} class={isReal ? '' : 'soft'}>
      {low === null || high === null
        ? 'too few rounds'
        : `${signed(low)} to ${signed(high)}${isReal ? '' : ', may be chance'}`}
    </span>
  );
}

/** The mean wait of each block, a series for each variant. */
function Blocks({ view: { blocks, definition } }: { readonly view: ExperimentView }) {
  const [first, last] = [blocks[0]!, blocks.at(-1)!];
  const blockSeconds = 60 * definition.blockMinutes;
  const colours = ['accent', 'second', 'third', 'ink'] as const;
  const names = definition.variants.map(({ name }) => name);
  const untilMs = Date.parse(last.until);
  return (
    <TimeChart
      label={`Mean wait by block from ${clockText(Date.parse(first.from))} to ${clockText(untilMs)}; the last one, ${last.variant}, ${secondsText(last.waitSeconds)}`}
      series={names.map((name, at) => ({
        name: `mean wait, ${name}`,
        colour: colours[at]!,
        kind: 'bars',
        barSeconds: blockSeconds,
      }))}
      data={[
        blocks.map(({ from }) => Date.parse(from) / 1_000 + blockSeconds / 2),
        ...names.map((name) =>
          blocks.map(({ variant, waitSeconds }) => (variant === name ? waitSeconds : null)),
        ),
      ]}
      height={120}
      windowSeconds={(untilMs - Date.parse(first.from)) / 1_000}
      untilMs={untilMs}
    />
  );
}

function stateText({ state, reason, inForce, beginsAt, endsAt }: ExperimentView): string {
  const at = (time: string) => new Date(time).toLocaleString('en-GB');
  const why = reason === undefined ? '' : `: ${reason}`;
  if (state !== 'running') return `${state === 'stopped' ? 'Stopped' : 'Ended'} ${at(endsAt)}${why}.`;
  if (inForce === null) return `Begins ${at(beginsAt)}.`;
  return `${inForce.variant} is in force until ${clockText(Date.parse(inForce.until))}. It ends ${at(endsAt)}.`;
}
