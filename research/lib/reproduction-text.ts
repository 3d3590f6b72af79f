import { styleText } from 'node:util';
import type { Finding, Reproduction, Verdict } from './papers/finding.ts';

/** A table of the figures of each section, and the verdict, for a terminal. Ends with a line break. */
export function textOf({ source, players, seed, sections, verdict }: Reproduction): string {
  const lines = [source, `${players.toLocaleString('en')} players per measurement, seed ${seed}`];
  for (const { title, findings, remarks = [] } of sections) {
    lines.push('', styleText('bold', title), ...table(findings), ...remarks.map((remark) => `  * ${remark}`));
  }
  const all = sections.flatMap(({ findings }) => findings);
  const count = (wanted: Verdict) => all.filter((finding) => finding.verdict === wanted).length;
  lines.push(
    '',
    `${all.length} figures: ${count('holds')} hold, ${count('corrected')} hold once corrected, ${count('fails')} fail`,
    styleText(verdict === 'holds' ? 'green' : 'red', `verdict: ${verdict}`),
  );
  return `${lines.join('\n')}\n`;
}

function table(findings: readonly Finding[]): string[] {
  const rows = [
    ['', 'paper', 'derived again', 'at most', 'ours', '± s.e.', 'verdict', ''],
    ...findings.map(({ what, paper, derived, limit, ours, standardError, verdict, note }) => [
      what,
      figure(paper),
      figure(derived),
      figure(limit),
      figure(ours),
      figure(standardError),
      verdict,
      note ?? '',
    ]),
  ];
  // Empty columns are omitted.
  const columns = rows[0].map((_, at) => at).filter((at) => rows.slice(1).some((row) => row[at] !== ''));
  const widths = columns.map((at) => Math.max(...rows.map((row) => row[at].length)));
  return rows.map((row) => {
    const cells = columns.map((at, column) =>
      at >= 1 && at <= 5 ? row[at].padStart(widths[column]) : row[at].padEnd(widths[column]),
    );
    return `  ${cells.join('  ')}`.trimEnd();
  });
}

function figure(value: number | undefined): string {
  if (value === undefined) return '';
  if (value !== 0 && Math.abs(value) < 1e-4) return value.toExponential(1);
  return Number(value.toPrecision(5)).toString();
}
