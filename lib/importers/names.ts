/** Different names in the form of ours, by name. */
export function uniqueNames(
  names: readonly string[],
  form: (name: string) => string,
  taken: readonly string[] = [],
): Map<string, string> {
  const used = new Set(taken);
  return new Map(names.map((name) => [name, uniqueName(form(name), used)]));
}

/** A name that is not used yet, and is from now on: NAME, NAME-2, NAME-3, … */
export function uniqueName(name: string, used: Set<string>, separator = '-'): string {
  let own = name;
  for (let n = 2; used.has(own); n++) own = `${name}${separator}${n}`;
  used.add(own);
  return own;
}

/** A name in the form of ours: other characters become `-`, and those before the first allowed one are omitted. */
function form(others: RegExp, start: RegExp, lengthMax: number, otherwise: string) {
  return (name = otherwise) =>
    name.replaceAll(others, '-').replace(start, '').slice(0, lengthMax) || otherwise;
}

export const teamName = form(/[^A-Za-z0-9_-]+/g, /^[^A-Za-z]+/, 28, 'team');
export const fieldName = form(/[^A-Za-z0-9_.-]+/g, /^[^A-Za-z]+/, 60, 'attribute');
/** Names of queues have fewer characters than those of rule sets. */
export const queueName = form(/[^A-Za-z0-9_.-]+/g, /^[^A-Za-z0-9]+/, 64, 'imported');
export const ruleName = form(/[^A-Za-z0-9_. -]+/g, /^[^A-Za-z0-9]+/, 58, 'rule');
