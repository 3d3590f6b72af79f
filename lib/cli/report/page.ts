import { ARROW, type Table } from './run-tables.ts';

/** One self-contained page: no script, no request to anywhere; light or dark as the reader's device is. @param body HTML */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${body}
</main>
</body>
</html>
`;
}

export function htmlTable({ title, columns, rows }: Table): string {
  const head = columns.map((name) => `<th scope="col">${escaped(name)}</th>`).join('');
  const body = rows.map(([name, ...cells]) => {
    const mark = name.startsWith(ARROW) ? ' class="chosen"' : '';
    return `<tr${mark}><th scope="row">${escaped(name)}</th>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`;
  });
  return `${title === undefined ? '' : `<h3>${escaped(title)}</h3>\n`}<div class="scroll"><table><thead><tr><td></td>${head}</tr></thead><tbody>
${body.join('\n')}
</tbody></table></div>`;
}

/** A text as it stands in HTML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const STYLE = `
:root { --ink: #1d232b; --faint: #d5d9de; --page: #fff; --card: #f5f6f8; --warn: #8a4b00; --warn-page: #fff3df;
  --series-1: #1f6feb; --series-2: #d1602a; --series-3: #1a8a55; --series-4: #8250df; --series-5: #b0338a;
  --series-6: #7a7000; --series-7: #00808a; --series-8: #6b7280; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e7ec; --faint: #3a424c; --page: #14181d; --card: #1d232b;
  --warn: #ffc877; --warn-page: #3a2a10; --series-1: #6cb0ff; --series-2: #ff9a66; --series-3: #57d19a;
  --series-4: #c4a2ff; --series-5: #ff8fd0; --series-6: #e0d34f; --series-7: #4fd6df; --series-8: #a9b1bb; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 16px; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 12px 4px 0; text-align: right; border-bottom: 1px solid var(--faint); white-space: nowrap; }
th[scope=row] { text-align: left; font-weight: 400; }
tr.chosen > * { background: var(--card); font-weight: 600; }
code { overflow-wrap: anywhere; }
@media (max-width: 600px) { th[scope=row] { min-width: 12em; white-space: normal; } thead th { white-space: normal; } }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 16px; margin: 20px 0; }
figure { margin: 0; padding: 12px; background: var(--card); border-radius: 8px; }
figcaption { font-weight: 600; }
.legend { margin: 0; font-size: .8rem; } .legend span { margin-right: 12px; white-space: nowrap; }
svg { width: 100%; display: block; margin-top: 8px; font-size: 11px; fill: var(--ink); }
.grid, .line { fill: none; } .grid { stroke: var(--faint); } .line { stroke-width: 2; }
.warning { padding: 10px 14px; border-radius: 8px; color: var(--warn); background: var(--warn-page); }
pre { overflow-x: auto; padding: 12px; background: var(--card); border-radius: 8px; font-size: 13px; }
footer { margin-top: 3rem; font-size: .9rem; }
`;
