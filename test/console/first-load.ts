/** The files of the first load: the page, its styles, and its script with what that imports statically. */
export function firstLoad(files: ReadonlyMap<string, Buffer>): string[] {
  const found = ['index.html', 'console.css', 'icon.svg', 'console.js'];
  for (const name of found.filter((one) => one.endsWith('.js'))) {
    const text = files.get(name)!.toString();
    for (const [, chunk] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g))
      if (!found.includes(chunk!)) found.push(chunk!);
  }
  return found;
}
