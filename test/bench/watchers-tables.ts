import { quantile } from '../../lib/service/queues/quantile.ts';
import { table } from '../tables/print.ts';
import type { Crowd, Waits } from './watchers-run.ts';

/** Prices of WebSocket APIs per million, in the cheapest and the dearest region of those that the documentation names. */
const PRICES = { messages: [1.0, 1.14], minutes: [0.25, 0.285] } as const;
const MILLION = 1_000_000;
const MINUTE_MS = 60_000;

/** How soon players and the backend are told of a match. */
export function latencyTable(runs: Readonly<Record<'watched' | 'presence', Waits>>): string {
  const ms = (values: readonly number[], share: number) => quantile(values, share)!.toFixed(0);
  return table(
    ['duels', 'message p50 ms', 'p99', 'webhook p50 ms', 'p99', 'message after webhook p50 ms', 'p99'],
    Object.entries({ 'without presence': runs.watched, 'with presence': runs.presence }).map(
      ([name, { messageMs, webhookMs, laterMs }]) => [
        `${messageMs.length} ${name}`,
        ...[messageMs, webhookMs, laterMs].flatMap((values) => [ms(values, 0.5), ms(values, 0.99)]),
      ],
    ),
  );
}

/** What a wait uses more when it is watched, and dollars for a million of them. @param duels the waits of each run */
export function costTable(
  duels: number,
  { unwatched, ...runs }: Readonly<Record<'unwatched' | 'watched' | 'presence', Waits>>,
): string {
  const rows = Object.entries({ 'without presence': runs.watched, 'with presence': runs.presence });
  return table(
    [
      'a million waits',
      'write units of one',
      'read units',
      'invocations',
      'messages',
      'minutes',
      'messages $',
      'connections $',
      'DynamoDB, Lambda and others $',
      'total $',
    ],
    rows.map(([name, { used }]) => {
      const more = (key: keyof typeof used) => (used[key] - unwatched.used[key]) / duels;
      const [messages, minutes] = [more('messages'), more('connectedMs') / MINUTE_MS];
      const at = (region: 0 | 1) => [messages * PRICES.messages[region], minutes * PRICES.minutes[region]];
      const [cheap, dear] = [at(0), at(1)];
      const others = more('dollars') * MILLION;
      const range = (low: number, high: number) => `${low.toFixed(2)}–${high.toFixed(2)}`;
      return [
        name,
        ...[more('writeUnits'), more('readUnits'), more('invocations'), messages, minutes].map((value) =>
          value.toFixed(2),
        ),
        range(cheap[0]!, dear[0]!),
        range(cheap[1]!, dear[1]!),
        others.toFixed(2),
        range(cheap[0]! + cheap[1]! + others, dear[0]! + dear[1]! + others),
      ];
    }),
  );
}

/** The memory of the process of the service. */
export function memoryTable({ memory, connected, told, refusal }: Crowd): string {
  const rows = table(
    ['watchers', 'memory of the process MB', 'heap of its main thread MB'],
    memory.map(({ watchers, rssMb, heapMb }) => [watchers, rssMb.toFixed(0), heapMb.toFixed(0)]),
  );
  const all = `${told} of ${connected} watchers were told that their ticket was cancelled.`;
  return `${rows}\n\n${all}${refusal === undefined ? '' : ` A connection was refused: ${refusal}.`}`;
}
