import type { Consistency } from '../service/ports/consistency.ts';

/** Whether DynamoDB has to read consistently, for twice the read units. */
export function isConsistent(consistency: Consistency = 'strong'): boolean {
  return consistency === 'strong';
}
