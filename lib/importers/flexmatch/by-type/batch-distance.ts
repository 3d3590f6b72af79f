import { plainly } from '../../relaxation.ts';
import type { FlexRuleType } from '../flex-rule-type.ts';

const PARTY: Readonly<Record<string, 'mean' | 'least' | 'greatest'>> = {
  avg: 'mean',
  min: 'least',
  max: 'greatest',
};

/** The tickets of a match share a text, or their numbers are within `maxDistance`. */
export const batchDistance: FlexRuleType = {
  properties: ['batchAttribute', 'maxDistance', 'partyAggregation'],
  convert({ batchAttribute = '', maxDistance, partyAggregation = 'avg' }, source) {
    const type = source.typeOf(batchAttribute);
    const attribute = source.nameOf(batchAttribute);
    if (type === undefined) return `there is no attribute ${batchAttribute}`;
    if (type === 'string') return { rules: [{ body: { type: 'same', attribute } }] };
    if (type !== 'number' || maxDistance === undefined)
      return 'only numbers with a maxDistance and texts are batched';
    const party = PARTY[partyAggregation];
    if (!party) return `parties by ${partyAggregation} have no counterpart`;
    const limits = { maxDistance: { key: 'max', isUpper: true, of: plainly } as const };
    return {
      rules: [{ body: { type: 'within', attribute, max: maxDistance, party }, limits }],
      note: `a party counts by its ${party}`,
    };
  },
};
