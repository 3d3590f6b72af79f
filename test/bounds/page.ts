const [BEGIN, END] = ['<!-- template bounds -->\n', '<!-- end of template bounds -->'];

/** The page with other bounds of the template between their markers. */
export function withTemplateBounds(page: string, bounds: string): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from === -1 || to < from) throw new Error(`Expected ${BEGIN.trim()} and then ${END} in the page`);
  return `${page.slice(0, from)}${BEGIN}${bounds}\n${page.slice(to)}`;
}
