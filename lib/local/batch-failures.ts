import type { InvocationResult } from './lambda-worker.ts';
import type { Properties } from './template.ts';

/**
 * Which items of a batch failed, by Lambda's rules: all when the function failed or names an item that it was
 * not given; with ReportBatchItemFailures those that it names; none otherwise.
 *
 * @param identifiers the batch's items: message ids or sequence numbers
 */
export function failuresOf(
  result: InvocationResult,
  identifiers: readonly string[],
  mapping: Properties,
): ReadonlySet<string> {
  const all = new Set(identifiers);
  if (!result.ok) return all;
  const reports = (mapping.FunctionResponseTypes as string[] | undefined)?.includes(
    'ReportBatchItemFailures',
  );
  const payload = result.payload as { batchItemFailures?: { itemIdentifier?: unknown }[] | null } | null;
  if (!reports || !payload?.batchItemFailures) return new Set();
  const named = payload.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  const known = named.filter((identifier) => typeof identifier === 'string' && all.has(identifier));
  return known.length < named.length ? all : new Set(known as string[]);
}
