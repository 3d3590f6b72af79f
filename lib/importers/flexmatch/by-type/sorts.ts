import { immaterial } from '../../reading.ts';
import type { FlexRuleType } from '../flex-rule-type.ts';

/** A sort forbids no match. It only says which tickets FlexMatch tries first. */
export const absoluteSort: FlexRuleType = ({ sortDirection, sortAttribute, mapKey, partyAggregation }) => {
  immaterial(mapKey, partyAggregation);
  return {
    rules: [],
    note: `a sort forbids no match: FlexMatch tries tickets in ${String(sortDirection)} order of ${String(sortAttribute)}, Muster searches all of them for the least imbalance`,
  };
};

export const distanceSort: FlexRuleType = (
  { sortDirection, sortAttribute, mapKey, partyAggregation },
  source,
) => {
  immaterial(mapKey, partyAggregation);
  const attribute = String(sortAttribute);
  const isFar = sortDirection === 'descending';
  const advice =
    !isFar && source.typeOf(attribute) === 'number' && attribute !== source.skill
      ? `; a rule within ${source.nameOf(attribute)} with a cost prefers near values`
      : '';
  return {
    rules: [],
    note: `a sort forbids no match: FlexMatch tries the tickets first whose ${attribute} is ${isFar ? 'farthest from' : 'nearest to'} that of the first, Muster searches all of them for the least imbalance${advice}`,
  };
};
