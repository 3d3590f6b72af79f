import { upper } from '../../relaxation.ts';
import type { FlexRuleType } from '../flex-rule-type.ts';

/** All players within `maxLatency` of one region. */
export const latency: FlexRuleType = ({ maxLatency, maxDistance, distanceReference }) => {
  if (maxDistance !== undefined || distanceReference !== undefined)
    return 'distances between latencies have no counterpart';
  if (maxLatency === undefined) return 'it has no maxLatency';
  const limits = { maxLatency: upper('max') };
  return { rules: [{ body: { type: 'latency', max: maxLatency }, limits }] };
};
