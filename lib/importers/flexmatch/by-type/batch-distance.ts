import { upper } from '../../relaxation.ts';
import type { FlexRuleType } from '../flex-rule-type.ts';

const PARTY: ReadonlyMap<string, 'mean' | 'least' | 'greatest'> = new Map([
  ['avg', 'mean'],
  ['min', 'least'],
  ['max', 'greatest'],
]);

/** The tickets of a match share a text, or their numbers are within `maxDistance`. */
export const batchDistance: FlexRuleType = (rule, source) => {
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
  return {
    rules: [
      {
        body: { type: 'within', attribute, max: maxDistance, party },
        limits: { maxDistance: upper('max') },
      },
    ],
    note: `a party counts by its ${party}`,
  };
};
