import * as z from 'zod';
import { attributeUse, judgedMax, rangeText, teamFaults, withoutEffect } from '../attribute-faults.ts';
import { expected } from '../expected.ts';
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
  of: z.enum(['mean', 'sum', 'least', 'greatest', 'count']),
  attribute: attributeName,
  team: z.string().optional().meta({ description: 'A kind of team (default: the whole game)' }),
});
const side = z.union([value, measure], { error: expected('a number or an object with of and attribute') });
const keys = {
  type: z.literal('compare'),
  left: side,
  right: side,
  op: z.enum(['<=', '>=', '=']).optional(),
  max: limit.optional().meta({ description: 'In place of op: the greatest difference' }),
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
        const fails =
          op === '<='
            ? l - r
            : op === '>='
              ? r - l
              : op === '='
                ? Math.abs(l - r)
                : Math.abs(l - r) - (max ?? 0);
        units = Math.max(units, fails);
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
  impossible: outOfRangeFaults,
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
  betweenTwo: () => undefined,
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
  { left, right, op, max = 0 }: CompareRule,
  _cost: number | undefined,
  attributes: Attributes,
  surroundings: RulesSurroundings,
): RuleFault | undefined {
  const ofGame = measuresOf(left, right).every(({ team }) => team === undefined);
  if (ofGame && JSON.stringify(left) === JSON.stringify(right))
    return withoutEffect('both sides are the same measure', ['right']);
  const [l, r] = [reachOf(left, attributes, surroundings), reachOf(right, attributes, surroundings)];
  const above = l.most - r.least;
  const below = r.most - l.least;
  const fails = op === '<=' ? above : op === '>=' ? below : Math.max(above, below) - max;
  return fails <= 0 ? withoutEffect('all values that the sides can have meet it', ['right']) : undefined;
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

/** A number that no value of an attribute reaches. */
function outOfRangeFaults(rule: CompareRule & Named, attributes: Attributes): RuleFault[] {
  const { left, right, op } = rule;
  if (typeof left === 'number' || typeof right !== 'number' || op === undefined) return [];
  const attribute = attributes[left.attribute];
  if (attribute?.type !== 'number' || left.of === 'sum' || left.of === 'count') return [];
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = attribute;
  const limits = [
    right,
    ...(rule.relax ?? []).flatMap((step) => (typeof step.right === 'number' ? [step.right] : [])),
  ];
  const loosest = op === '<=' ? Math.max(...limits) : op === '>=' ? Math.min(...limits) : right;
  if ((op === '<=' || loosest <= max) && (op === '>=' || loosest >= min)) return [];
  const message = `Expected ${rangeText(attribute)}, which the values of ${left.attribute} are, got ${right}: no game has such a ${left.of}`;
  return [{ path: ['right'], message }];
}
