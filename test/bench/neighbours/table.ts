import { quantile } from '../../../lib/service/queues/quantile.ts';
import { table } from '../../tables/print.ts';
import type { Measured } from './good-tenant.ts';
import type { NeighbourResult } from './run.ts';

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

export function judged({ alone, beside, harm }: NeighbourResult): Judged {
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

const HEAD = ['neighbour', 'wait', 'webhook', 'poll', 'missing', 'rejected', 'what the neighbour did'];

/** The table of docs/reliability.md. Each cell has the p99 alone, the p99 beside the neighbour, and whether that is within the aim. */
export function tableOf(results: readonly (readonly [string, NeighbourResult])[]): string {
  const seconds = (ms: number) => (ms / 1_000).toFixed(2);
  const rows = results.map(([name, result]) => {
    const found = judged(result);
    const cells = MEASURES.map((measure) => {
      const { aloneMs, besideMs, within } = found[measure];
      return `${seconds(aloneMs)} → ${seconds(besideMs)}${within ? '' : ' ✗'}`;
    });
    const rejected = Object.entries(found.refused).map(([status, count]) => `${count} × ${status}`);
    const did = `${result.harm.count} ${result.harm.of}${found.hostile ? '' : ' ✗'}`;
    return [name, ...cells, found.missing, rejected.join(', ') || '0', did];
  });
  return table(HEAD, rows, [0, HEAD.length - 1]);
}
