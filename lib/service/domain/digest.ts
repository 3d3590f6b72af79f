import { createHash } from 'node:crypto';

/** The digest of a definition, which does not depend on the order of its fields. */
export function digestOf(definition: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(inOrder(definition)))
    .digest('base64url');
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, inOrder(inner)]));
}
