import type { InvocationResult } from './lambda-worker.ts';
import type { Properties } from './template.ts';

/**
 * The items of a batch that failed, by Lambda's rules. All items fail when the function fails or reports an item that
 * is not in the batch. With ReportBatchItemFailures, the items that the function reports fail. Otherwise none fails.
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
