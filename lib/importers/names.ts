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

export function teamName(name: string): string {
  const made = name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replace(/^[^A-Za-z]+/, '');
  return made.slice(0, 28) || 'team';
}

export function fieldName(name: string): string {
  const made = name.replaceAll(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[^A-Za-z]+/, '');
  return made.slice(0, 60) || 'attribute';
}

/** Names of queues have fewer characters than those of rule sets. */
export function queueName(name = 'imported'): string {
  const made = name.replaceAll(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return made.slice(0, 64) || 'imported';
}

export function ruleName(name: string): string {
  const made = name.replaceAll(/[^A-Za-z0-9_. -]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return made.slice(0, 58) || 'rule';
}
