import { LEAST_COMMON, type Limit, lower, upper } from '../../relaxation.ts';
import { parseExpression } from '../expression.ts';
import type { Converted, FlexRuleType } from '../flex-rule-type.ts';
import { playersOf, scopeOf, unknownExpression } from '../measured.ts';
import type { FlexMatchRule } from '../rule-set.ts';
import type { Source } from '../source.ts';

/** Counts of values in the lists of players. */
export const collection: FlexRuleType = (rule, source) => {
  const blocked = blockListOf(rule, source);
  if (blocked !== undefined)
    return {
      rules: [],
      note: 'it needs no rule: tickets name blocked players in avoid',
      differsInPart: 'blocked players are avoided in every match, whatever else holds',
    };
  const measured = listsOf(rule, source);
  if (typeof measured === 'string') return measured;
  if (rule.operation === 'intersection') return intersection(rule, measured, source);
  if (rule.operation === 'contains') return contains(rule, measured, source);
  if (rule.operation === 'reference_intersection_count') return acceptedValues(rule, measured, source);
  return `the operation ${rule.operation} has no counterpart`;
};

/** The lists of the players of the game, of each team, or of one. */
interface Lists {
  readonly attribute: string;
  readonly scope: { readonly scope?: 'team'; readonly team?: string };
}

function listsOf({ measurements = [] }: FlexMatchRule, source: Source): Lists | string {
  if (measurements.length !== 1) return 'only one measurement is imported';
  const [text] = measurements as [string];
  const expression = parseExpression(text, source.teamNames);
  if (!expression) return unknownExpression(text);
  const { calls, attribute } = expression;
  if (calls.some((call) => call !== 'flatten' && call !== 'set_intersection')) return unknownExpression(text);
  if (attribute === undefined || source.typeOf(attribute) === undefined)
    return 'only lists of attributes are measured';
  const players = playersOf(expression, calls.length > 0, source);
  if (players === undefined) return unknownExpression(text);
  const who = expression.isEverybody && players !== 'all' ? 'teams' : players;
  return { attribute: source.nameOf(attribute), scope: scopeOf({ who }) };
}

/** All lists have `minCount` values in common. */
function intersection(
  { name, minCount = 1, maxCount }: FlexMatchRule,
  { attribute, scope }: Lists,
  source: Source,
): Converted | string {
  if (maxCount !== undefined) return 'a greatest number of common values has no counterpart';
  if (isFree(name, minCount, source)) return FREE;
  const body = { type: 'common', attribute, atLeast: minCount, ...scope } as const;
  return { rules: [{ body, limits: { minCount: LEAST_COMMON } }] };
}

const FREE: Converted = { rules: [], free: 'minCount', note: 'it forbids nothing' };

/** Whether the least count is never above 0. */
function isFree(name: string, minCount: number | undefined, source: Source): boolean {
  return [{ value: minCount ?? 0 }, ...source.stepsOf(`rules[${name}].minCount`)].every(
    ({ value }) => value <= 0,
  );
}

/** From `minCount` to `maxCount` players have a value in their list. */
function contains(rule: FlexMatchRule, { attribute, scope }: Lists, source: Source): Converted | string {
  const { minCount, maxCount, referenceValue } = rule;
  if (typeof referenceValue !== 'string' || parseExpression(referenceValue, source.teamNames))
    return 'only one value is looked for';
  const steps = ['minCount', 'maxCount'].filter(
    (key) => source.stepsOf(`rules[${rule.name}].${key}`).length > 0,
  );
  const least = minCount ?? (maxCount === undefined ? 1 : undefined);
  if (maxCount === undefined && (least ?? 0) <= 0 && !steps.includes('minCount')) return FREE;
  const limits: Record<string, Limit> = {
    ...(least !== undefined && { minCount: lower('atLeast') }),
    ...(maxCount !== undefined && { maxCount: upper('atMost') }),
  };
  const body = {
    type: 'count' as const,
    attribute,
    value: referenceValue,
    ...(least !== undefined && { atLeast: least }),
    ...(maxCount !== undefined && { atMost: maxCount }),
    ...scope,
  };
  return { rules: [{ body, limits }] };
}

/** The list of each player has `minCount` of the values that other lists of all players have in common. */
function acceptedValues(
  { name, minCount, maxCount, referenceValue }: FlexMatchRule,
  { attribute, scope }: Lists,
  source: Source,
): Converted | string {
  const none = 'counts of common entries with these lists have no counterpart';
  const reference = parseExpression(referenceValue, source.teamNames);
  const isShared = reference?.isEverybody && reference.calls.join() === 'set_intersection,flatten';
  if (!isShared || source.typeOf(reference.attribute ?? '') !== 'string_list') return none;
  if (maxCount !== undefined || scope.scope !== undefined || scope.team !== undefined) return none;
  if (isFree(name, minCount, source)) return FREE;
  const by = source.nameOf(reference.attribute!);
  const body = { type: 'accepted', attribute, by, atLeast: minCount ?? 0 } as const;
  return { rules: [{ body, limits: { minCount: LEAST_COMMON } }] };
}

/** The attribute whose lists a rule compares with the ids of all players, so that none may be in one. */
export function blockListOf(rule: FlexMatchRule, source: Source): string | undefined {
  // Whether it is a block list is asked of every rule, so nothing is read that only collections have.
  if (rule.type !== 'collection' || rule.operation !== 'reference_intersection_count') return undefined;
  const { referenceValue, maxCount, measurements = [] } = rule;
  if (maxCount !== 0 || measurements.length !== 1) return undefined;
  const [lists, ids] = [measurements[0], referenceValue].map((text) =>
    parseExpression(text, source.teamNames),
  );
  const isWhole = lists?.isEverybody && ids?.isEverybody && ids.isIds;
  return isWhole ? lists.attribute : undefined;
}
