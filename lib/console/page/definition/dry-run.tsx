import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { QueueDefinition } from '../../../contract/queue-definition.ts';
import { CountedBar } from '../charts/counted-bar.tsx';
import { countReasons, type DryRunResult, dryRun } from '../data/engine.ts';
import type { CountedReason } from '../data/reasons-of.ts';
import { service } from '../data/service.ts';
import { countText, numberText, shareText } from '../format.ts';
import { Table } from '../frame/table.tsx';
import { parsed } from './faults.ts';

interface Outcome {
  readonly running: DryRunResult;
  readonly edited: DryRunResult;
  readonly reasons: readonly CountedReason[];
  readonly isComplete: boolean;
}

const SAMPLE_MAX = 500;

/** One search of the edited definition over the tickets that wait now, beside one of the running definition. */
export function DryRun({
  name,
  text,
  isValid,
}: {
  readonly name: string;
  readonly text: string;
  readonly isValid: boolean;
}) {
  const outcome = useSignal<Outcome | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const run = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => run.current?.abort(), []);
  const start = async () => {
    run.current?.abort();
    run.current = new AbortController();
    const { signal } = run.current;
    isBusy.value = true;
    problem.value = undefined;
    try {
      const edited = parsed(text).value as QueueDefinition;
      const [{ waiting, isComplete }, running] = await Promise.all([
        service.waiting(name, SAMPLE_MAX, signal),
        service.queue(name, signal),
      ]);
      outcome.value = {
        running: await dryRun(running, waiting, signal),
        edited: await dryRun(edited, waiting, signal),
        reasons: await countReasons(edited, waiting, signal),
        isComplete,
      };
    } catch (error) {
      if (!signal.aborted) problem.value = (error as Error).message;
    }
    if (!signal.aborted) isBusy.value = false;
  };
  return (
    <>
      <p class="soft">
        Searches once among the tickets that wait now, with the running definition and with this one. It runs
        in this page and changes nothing.
      </p>
      <div class="row">
        <button type="button" disabled={!isValid || isBusy.value} onClick={start}>
          {isBusy.value ? 'Searching …' : 'Run'}
        </button>
      </div>
      <div role="status">
        {problem.value !== undefined && <p class="trouble trouble-bad">{problem.value}</p>}
        {outcome.value !== undefined && <OutcomeTable {...outcome.value} />}
      </div>
    </>
  );
}

function OutcomeTable({ running, edited, reasons, isComplete }: Outcome) {
  const rows: readonly [string, (result: DryRunResult) => string][] = [
    ['matches', ({ matches }) => numberText(matches)],
    ['players in them', ({ players }) => numberText(players)],
    ['tickets that go on waiting', ({ waiting }) => numberText(waiting)],
    ['mean imbalance', ({ imbalance }) => numberText(imbalance)],
    ['proved best', ({ provedShare }) => shareText(provedShare)],
  ];
  return (
    <>
      <Table
        class="compare"
        head={['', 'running', 'this one']}
        rows={rows.map(([label, of]) => [label, of(running), of(edited)])}
      />
      {!isComplete && <p class="soft small">Over a sample of the waiting tickets.</p>}
      {reasons.length > 0 && (
        <ul class="stack">
          {reasons.slice(0, 4).map(({ reason, tickets }) => (
            <CountedBar key={reason} text={reason} value={countText(tickets, 'ticket')} />
          ))}
        </ul>
      )}
    </>
  );
}
