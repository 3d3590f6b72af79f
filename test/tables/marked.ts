/**
 * Parts of a page that a program writes stand between two comments: `<!-- NAME -->` and `<!-- end of NAME -->`, each in its own
 * line.
 */
const beginOf = (name: string) => `<!-- ${name} -->\n`;
const endOf = (name: string) => `<!-- end of ${name} -->`;

/** The text between the marks of a name. @throws Error when the page does not have them exactly once, in this order */
export function marked(page: string, name: string): string {
  const [from, to] = placeOf(page, name);
  return page.slice(from, to);
}

/** The page with another text between the marks of a name. @throws Error when the page does not have them exactly once */
export function withMarked(page: string, name: string, text: string): string {
  const [from, to] = placeOf(page, name);
  return `${page.slice(0, from)}${ended(text)}${page.slice(to)}`;
}

/** A text between the marks of a name, as a program prints it. */
export function asMarked(name: string, text: string): string {
  return `${beginOf(name)}${ended(text)}${endOf(name)}\n`;
}

/** The names of all marks of a page. */
export function marksOf(page: string): string[] {
  return [...page.matchAll(/^<!-- end of (.+) -->$/gm)].map(([, name]) => name!);
}

function placeOf(page: string, name: string): [number, number] {
  const [before, ...after] = page.split(beginOf(name));
  const [between, ...rest] = (after[0] ?? '').split(endOf(name));
  if (after.length !== 1 || rest.length !== 1)
    throw new Error(`Expected ${beginOf(name).trim()} and then ${endOf(name)} once in the page`);
  const from = before!.length + beginOf(name).length;
  return [from, from + between!.length];
}

const ended = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
