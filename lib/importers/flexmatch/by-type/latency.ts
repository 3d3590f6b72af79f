import { upper } from '../../relaxation.ts';
import { type FlexRuleType, partyNote } from '../flex-rule-type.ts';

/** All players within `maxLatency` of one region. */
export const latency: FlexRuleType = {
  convert(rule) {
    const { maxLatency, maxDistance, distanceReference } = rule;
    if (maxDistance !== undefined || distanceReference !== undefined)
      return 'distances between latencies have no counterpart';
    if (maxLatency === undefined) return 'it has no maxLatency';
    const limits = { maxLatency: upper('max') };
    return { rules: [{ body: { type: 'latency', max: maxLatency }, limits }], note: partyNote(rule) };
  },
};
