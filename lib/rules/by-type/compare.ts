import * as z from 'zod';
import { expected } from '../../vocabulary/expected.ts';
import { attributeUse, judgedMax, rangeText, teamFaults, withoutEffect } from '../attribute-faults.ts';
import { attributeName, limit, value } from '../fields.ts';
import { greatestOf, mean, numbersIn, sum, teamsOfKind, ticketsOf, valuesOf } from '../measures.ts';
import type {
  Named,
  RuleContext,
  RuledGame,
  RuledTicket,
  RuleFault,
  RulesSurroundings,
  RuleType,
} from '../rule-type.ts';
import type { Attribute, Attributes, NumberAttribute } from '../types.ts';
import { SKILL } from '../values.ts';

const measure = z.strictObject({
  of: z
    .enum(['mean', 'sum', 'least', 'greatest', 'count'])
    .meta({ description: 'The measure of the values' }),
  attribute: attributeName,
  team: z.string().optional().meta({ description: 'A kind of team (default the whole match)' }),
});
const side = z.union([value, measure], { error: expected('a number or an object with of and attribute') });
const keys = {
  type: z.literal('compare'),
  left: side.meta({ description: 'A number, or a measure of the players' }),
  right: side.meta({ description: 'What it is compared with' }),
  op: z.enum(['<=', '>=', '=']).optional().meta({ description: 'How left is to right. Either op or max' }),
  max: limit.optional().meta({ description: 'Instead of op: the greatest difference' }),
};
export type CompareRule = z.output<z.ZodObject<typeof keys>>;
/** A measure of the players of the game or of the teams of a kind. */
export type Measure = z.output<typeof measure>;
/** An operand: a number or a measure. */
export type Side = number | Measure;

/** A measure is `<=`, `>=` or `=` another or a number, or they differ by at most `max`; a cost counts the amount by which it fails. */
export const compare: RuleType<CompareRule> = {
  keys,
  changes: { max: limit.optional(), left: value.optional(), right: value.optional() },
  cost: 'instead',
  evaluate({ left, right, op, max }, game, context) {
    let units = 0;
    for (const l of sideValues(left, game, context)) {
      for (const r of sideValues(right, game, context)) {
        units = Math.max(units, failureOf({ op, max }, l - r, r - l));
      }
    }
    return { holds: units === 0, units };
  },
  faults: (rule, _cost, attributes, { teamKinds }) => [
    ...operatorFaults(rule),
    ...sideFaults('left', rule.left, attributes, teamKinds),
    ...sideFaults('right', rule.right, attributes, teamKinds),
  ],
  idle,
  impossible: outOfReach,
  looser(rule, key) {
    if (key !== 'left' && key !== 'right') return key in rule ? 1 : 0;
    if (typeof rule[key] !== 'number' || rule.op === '=' || rule.op === undefined) return 0;
    return (rule.op === '<=') === (key === 'right') ? 1 : -1;
  },
  attributes: ({ left, right }) => measuresOf(left, right).map(({ attribute }) => attribute),
  dependsOnTeams: ({ left, right }) => measuresOf(left, right).some(({ team }) => team !== undefined),
  judgesTeamsAlone: ({ left, right }) => measuresOf(left, right).every(({ team }) => team !== undefined),
  isOfSizes: ({ left, right }) =>
    measuresOf(left, right).every(({ of, attribute }) => of === 'count' && attribute === SKILL),
  isFinal: () => true,
  betweenMates(rule, kind) {
    const measures = measuresOf(rule.left, rule.right);
    if (kind === undefined || measures.some(({ team }) => team !== kind)) return undefined;
    const overTeam = (side: Side) => (typeof side === 'number' ? side : { ...side, team: undefined });
    return { ...rule, left: overTeam(rule.left), right: overTeam(rule.right) };
  },
  // The teams of a search are known at its end only.
  states: (rule) =>
    measuresOf(rule.left, rule.right).some(({ team }) => team) ? [] : [{ by: 'comparisons', rule }],
  unitsMax: ({ left, right, max = 0 }, players, seats, attributes) =>
    [left, right].reduce((most: number, one) => {
      if (typeof one === 'number') return most + Math.abs(one);
      const each = one.of === 'count' ? 1 : Math.max(1, greatestOf(players, one.attribute, attributes));
      return most + seats * each;
    }, max),
};

function measuresOf(...sides: readonly Side[]): Measure[] {
  return sides.filter((one) => typeof one !== 'number');
}

/** One value for a number or a measure of the game, or one for each team of a kind; no value for a measure without players. */
function sideValues(side: Side, game: RuledGame, context: RuleContext): number[] {
  if (typeof side === 'number') return [side];
  const groups = side.team === undefined ? [ticketsOf(game)] : teamsOfKind(game, side.team);
  return groups.flatMap((tickets) => {
    const measured = measureOf(side, tickets, context);
    return measured === undefined ? [] : [measured];
  });
}

function measureOf({ of, attribute }: Measure, tickets: readonly RuledTicket[], context: RuleContext) {
  if (of === 'count') return valuesOf(tickets, attribute, context).length;
  const values = numbersIn(tickets, attribute, context);
  if (values.length === 0) return undefined;
  if (of === 'least') return Math.min(...values);
  if (of === 'greatest') return Math.max(...values);
  return of === 'sum' ? sum(values) : mean(values);
}

function operatorFaults({ left, right, op, max }: CompareRule): RuleFault[] {
  const faults: RuleFault[] = [];
  if ((op === undefined) === (max === undefined)) {
    faults.push({
      path: ['op'],
      message: `Expected op or max, got ${op === undefined ? 'none' : 'both'}: give exactly one of them`,
    });
  }
  if (typeof left === 'number' && typeof right === 'number') {
    faults.push({
      path: ['left'],
      message: `Expected a measure of players on one side, got the numbers ${left} and ${right}`,
    });
  }
  return faults;
}

function sideFaults(
  key: string,
  side: Side,
  attributes: Attributes,
  teamKinds: readonly string[] | undefined,
): RuleFault[] {
  if (typeof side === 'number') return [];
  const types: Attribute['type'][] = side.of === 'count' ? ['number', 'string', 'strings'] : ['number'];
  return [
    ...attributeUse(side.attribute, types, attributes, [key, 'attribute']),
    ...(side.team === undefined ? [] : teamFaults(side.team, teamKinds, [key, 'team'])),
  ];
}

/** A comparison that holds for all values that the attributes and the seats permit. */
function idle(
  { left, right, op, max }: CompareRule,
  _cost: number | undefined,
  attributes: Attributes,
  surroundings: RulesSurroundings,
): RuleFault | undefined {
  const ofGame = measuresOf(left, right).every(({ team }) => team === undefined);
  if (ofGame && JSON.stringify(left) === JSON.stringify(right))
    return withoutEffect('both sides are the same measure', ['right']);
  const [l, r] = [reachOf(left, attributes, surroundings), reachOf(right, attributes, surroundings)];
  return failureOf({ op, max }, l.most - r.least, r.most - l.least) <= 0
    ? withoutEffect('all values that the sides can have meet it', ['right'])
    : undefined;
}

/** The least and the greatest value of a side. */
function reachOf(side: Side, attributes: Attributes, surroundings: RulesSurroundings) {
  if (typeof side === 'number') return { least: side, most: side };
  const players = judgedMax({ team: side.team }, surroundings) ?? Number.POSITIVE_INFINITY;
  if (side.of === 'count') return { least: 0, most: players };
  const known = attributes[side.attribute];
  const {
    min = Number.NEGATIVE_INFINITY,
    max = Number.POSITIVE_INFINITY,
  }: Pick<NumberAttribute, 'min' | 'max'> =
    side.attribute === SKILL ? { min: 0 } : known?.type === 'number' ? known : {};
  if (side.of !== 'sum') return { least: min, most: max };
  return { least: min < 0 ? players * min : 0, most: max > 0 ? players * max : 0 };
}

/** A comparison that no values meet which the attributes and the seats permit, whatever its relaxation. */
function outOfReach(
  rule: CompareRule & Named,
  attributes: Attributes,
  surroundings: RulesSurroundings,
): RuleFault[] {
  const { left, right, op, max }: CompareRule = Object.assign({ ...rule }, ...(rule.relax ?? []));
  const [l, r] = [reachOf(left, attributes, surroundings), reachOf(right, attributes, surroundings)];
  // Numbers on both sides are another fault.
  if (measuresOf(left, right).length === 0) return [];
  if (!(failureOf({ op, max }, l.least - r.most, r.least - l.most) > 0)) return [];
  const [key, given, other, reach] =
    typeof left === 'number'
      ? (['left', rule.left, right, r] as const)
      : (['right', rule.right, left, l] as const);
  const message = `Expected ${reachText(reach)}, as the ${sideText(other)} is, got ${typeof given === 'number' ? given : `${reachText(r)} as the ${sideText(given)}`}: no game meets the rule`;
  return [{ path: [key], message }];
}

/** By how much a comparison fails, of how far the left side is above the right one and below it. */
function failureOf({ op, max = 0 }: Pick<CompareRule, 'op' | 'max'>, above: number, below: number): number {
  if (op === '<=') return above;
  return op === '>=' ? below : Math.max(above, below) - max;
}

function sideText(side: Side): string {
  return typeof side === 'number' ? String(side) : `${side.of} of ${side.attribute}`;
}

function reachText({ least, most }: ReturnType<typeof reachOf>): string {
  return rangeText({
    min: Number.isFinite(least) ? least : undefined,
    max: Number.isFinite(most) ? most : undefined,
  });
}
