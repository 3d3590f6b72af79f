import { quantile } from '../../../lib/service/queues/quantile.ts';
import { table } from '../../tables/print.ts';
import type { Played as Measured, NeighbourResult } from './run.ts';

/** What is measured of the good tenant, as the columns of the table. */
export const MEASURES = ['waitMs', 'webhookMs', 'pollMs'] as const;
type Measure = (typeof MEASURES)[number];

/** Beside a neighbour, a p99 may be this many times its p99 alone, and this much more. */
const TIMES = 1.2;
const MORE_MS = 200;

/** The least number of harmful things that must happen in a row. */
const HARM_MIN = 3;

interface Compared {
  readonly aloneMs: number;
  readonly besideMs: number;
  readonly within: boolean;
}

/** The p99s of a row, and whether they are within the aim. */
export type Judged = Readonly<Record<Measure, Compared>> & {
  /** Whether the neighbour did harm at all. */
  readonly hostile: boolean;
  /** Tickets without a match and matches without a webhook at the end, beside the neighbour. */
  readonly missing: number;
  /** Requests of the good tenant that were rejected beside the neighbour, by status. */
  readonly refused: Readonly<Record<string, number>>;
};

/**
 * @param alone what was measured of the good tenant alone in all rows: it is the same in each, and the p99 of one row's few seconds
 *   depends on chance
 */
export function judged({ beside, harm }: NeighbourResult, alone: readonly Measured[]): Judged {
  const compared = MEASURES.map((measure) => {
    const [aloneMs, besideMs] = [p99(alone, measure), p99(beside, measure)];
    return [measure, { aloneMs, besideMs, within: besideMs <= TIMES * aloneMs + MORE_MS }] as const;
  });
  const refused: Record<string, number> = {};
  for (const { refused: those } of beside)
    for (const [status, count] of Object.entries(those)) refused[status] = (refused[status] ?? 0) + count;
  return {
    ...(Object.fromEntries(compared) as Record<Measure, Compared>),
    hostile: harm.count >= HARM_MIN,
    missing: beside.reduce((sum, { unmatched, unnotified }) => sum + unmatched + unnotified, 0),
    refused,
  };
}

function p99(rounds: readonly Measured[], measure: Measure): number {
  const all = rounds.flatMap((round) => round[measure]).sort((a, b) => a - b);
  return Math.round(quantile(all, 0.99) ?? Number.NaN);
}

const HEAD = ['neighbour', 'wait', 'webhook', 'poll', 'CPU', 'missing', 'rejected', 'what the neighbour did'];

/**
 * The table of docs/reliability.md. The first row is the good tenant alone. The others have its p99 beside each neighbour, in
 * seconds, and whether that is within the aim; and how busy the machine was.
 */
export function tableOf(results: readonly (readonly [string, NeighbourResult])[]): string {
  const seconds = (ms: number) => (ms / 1_000).toFixed(2);
  const percent = (shares: readonly number[]) =>
    `${Math.round((100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length)}%`;
  const alone = results.flatMap(([, result]) => result.alone);
  const first = [
    'none',
    ...MEASURES.map((measure) => seconds(p99(alone, measure))),
    percent(alone.map(({ busy }) => busy)),
    alone.reduce((sum, { unmatched, unnotified }) => sum + unmatched + unnotified, 0),
    '',
    '',
  ];
  const rows = results.map(([name, result]) => {
    const found = judged(result, alone);
    const cells = MEASURES.map((measure) => {
      const { besideMs, within } = found[measure];
      return `${seconds(besideMs)}${within ? '' : ' ✗'}`;
    });
    const rejected = Object.entries(found.refused).map(([status, count]) => `${count} × ${status}`);
    const did = `${result.harm.count} ${result.harm.of}${found.hostile ? '' : ' ✗'}`;
    const busy = percent(result.beside.map((round) => round.busy));
    return [name, ...cells, busy, found.missing, rejected.join(', ') || '0', did];
  });
  return table(HEAD, [first, ...rows], [0, HEAD.length - 1]);
}
