import { NOTES, PARTY } from '../draft.ts';
import { immaterial } from '../reading.ts';
import { upper } from '../relaxation.ts';
import { collection } from './by-type/collection.ts';
import { comparison } from './by-type/comparison.ts';
import { distance } from './by-type/distance.ts';
import type { FlexRuleType } from './flex-rule-type.ts';

/** The tickets of a match share a text, or their numbers are within `maxDistance`. */
const batchDistance: FlexRuleType = (rule, source) => {
  const { batchAttribute = '' } = rule;
  const type = source.typeOf(batchAttribute);
  const attribute = source.nameOf(batchAttribute);
  if (type === undefined) return `there is no attribute ${batchAttribute}`;
  if (type === 'string') return { rules: [{ body: { type: 'same', attribute } }] };
  const { maxDistance, partyAggregation = 'avg' } = rule;
  if (type !== 'number' || maxDistance === undefined)
    return 'only numbers with a maxDistance and texts are batched';
  const party = PARTY.get(partyAggregation);
  if (!party) return `parties by ${partyAggregation} have no counterpart`;
  const body = { type: 'within', attribute, max: maxDistance, party } as const;
  return {
    rules: [{ body, limits: { maxDistance: upper('max') } }],
    note: `a party counts by its ${party}`,
  };
};

/** All players within `maxLatency` of one region. */
const latency: FlexRuleType = ({ maxLatency, maxDistance, distanceReference }) => {
  if (maxDistance !== undefined || distanceReference !== undefined)
    return 'distances between latencies have no counterpart';
  if (maxLatency === undefined) return 'it has no maxLatency';
  const limits = { maxLatency: upper('max') };
  return { rules: [{ body: { type: 'latency', max: maxLatency }, limits }] };
};

/** A sort only says which tickets FlexMatch tries first. */
const sort: FlexRuleType = ({ sortDirection, sortAttribute, mapKey, partyAggregation }) => {
  immaterial(sortDirection, sortAttribute, mapKey, partyAggregation);
  return { rules: [], note: NOTES.forbidsNothing };
};

/** The types of rules of FlexMatch by name, but `compound`, which combines the others. */
export const FLEX_RULE_TYPES: ReadonlyMap<string, FlexRuleType> = new Map(
  Object.entries({
    batchDistance,
    collection,
    comparison,
    distance,
    latency,
    absoluteSort: sort,
    distanceSort: sort,
  }),
);
