import { cpus } from 'node:os';
import { asMarked } from './marked.ts';

type Cell = string | number;

/** A table in Markdown. Columns are aligned to the right, except those at the given places. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[], left = [0]): string {
  const ruler = head.map((_, at) => (left.includes(at) ? '---' : '---:'));
  return [head, ruler, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Prints a table, or other text, between marks by which `npm run docs:tables` finds it. */
export function printMarked(name: string, text: string): void {
  console.log(asMarked(name, text));
}

/** The machine and the runtime of a measurement. */
export function machine(): string {
  return `${cpus().length} × ${cpus()[0]!.model}, Node ${process.version}`;
}
