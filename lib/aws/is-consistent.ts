import type { Freshness } from '../service/ports/freshness.ts';

/** Whether DynamoDB has to read consistently, for twice the read units. @default true */
export function isConsistent(freshness: Freshness = 'now'): boolean {
  return freshness === 'now';
}
