import { batchDistance } from './by-type/batch-distance.ts';
import { collection } from './by-type/collection.ts';
import { comparison } from './by-type/comparison.ts';
import { distance } from './by-type/distance.ts';
import { latency } from './by-type/latency.ts';
import { absoluteSort, distanceSort } from './by-type/sorts.ts';
import type { FlexRuleType } from './flex-rule-type.ts';

/** The types of rules of FlexMatch by name, but `compound`, which combines the others. */
export const FLEX_RULE_TYPES: Readonly<Record<string, FlexRuleType>> = {
  batchDistance,
  collection,
  comparison,
  distance,
  latency,
  absoluteSort,
  distanceSort,
};
