import type * as z from 'zod';

/** The maximum of characters that an error quotes of a text value. */
const GOT_LENGTH_MAX = 60;

/** A message for a schema, to pass as its `error`: "Expected 1 to 64 letters, got nothing". */
export function expected(what: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => `Expected ${what}, got ${shown(input)}`;
}

/**
 * The check that nothing is named twice, for the `superRefine` of a schema: `Expected each role once, got "tank" again`.
 *
 * @param namedIn what a value names (default its entries)
 * @param pathTo where the value has the name of this index (default the value itself)
 */
export function eachOnce<Value>(
  what: string,
  namedIn: (value: Value) => readonly unknown[] = (value) => value as readonly unknown[],
  pathTo: (at: number) => PropertyKey[] = () => [],
) {
  return (value: Value, issues: z.RefinementCtx): void => {
    const names = namedIn(value);
    const before = new Set<unknown>();
    const again = names.findIndex((name) => before.size === before.add(name).size);
    if (again === -1) return;
    const message = `Expected each ${what} once, got ${shown(names[again])} again`;
    issues.addIssue({ code: 'custom', path: pathTo(again), message });
  };
}

/** A value in an error message: text quoted and truncated, lists and objects by their kind. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > GOT_LENGTH_MAX ? `${value.slice(0, GOT_LENGTH_MAX)}…` : value);
}
