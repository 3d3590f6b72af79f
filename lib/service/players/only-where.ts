/** The entries of a record whose keys are shown; undefined when none is left. */
export function onlyWhere<Value>(
  record: Readonly<Record<string, Value>> | undefined,
  isShown: (name: string) => boolean,
): Record<string, Value> | undefined {
  const entries = Object.entries(record ?? {}).filter(([name]) => isShown(name));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
