import * as z from 'zod';
import { expected } from '../../vocabulary/expected.ts';
import { judgedMax, valueFault, withoutEffect } from '../attribute-faults.ts';
import { attributeName, gameOrTeam, oneKind, text, value, wholeCount } from '../fields.ts';
import { isOverGame, perScope, valuesOf } from '../measures.ts';
import type { Named, RuleFault, RulesSurroundings, RuleType, Stated, TeamsOfQueue } from '../rule-type.ts';
import type { Attributes } from '../types.ts';
import { SKILL } from '../values.ts';

const least = wholeCount.optional().meta({ description: 'The fewest players with the value (default 0)' });
const most = wholeCount
  .optional()
  .meta({ description: 'The most players with the value (default no limit)' });
const keys = {
  type: z.literal('count'),
  attribute: attributeName,
  value: z
    .union([text, value], { error: expected('text or a number') })
    .meta({ description: 'The value that is counted' }),
  atLeast: least,
  atMost: most,
  scope: gameOrTeam,
  team: oneKind,
};
export type CountRule = z.output<z.ZodObject<typeof keys>>;

/** `atLeast` to `atMost` players have a value; a cost counts the players too few or too many. */
export const count: RuleType<CountRule> = {
  keys,
  changes: { atLeast: least, atMost: most },
  cost: 'instead',
  evaluate: (
    { attribute, value, atLeast = 0, atMost = Number.POSITIVE_INFINITY, ...scoped },
    game,
    context,
  ) =>
    perScope(scoped, game, (tickets) => {
      const values = valuesOf(tickets, attribute, context);
      const found = values.filter((own) => (Array.isArray(own) ? own.includes(value) : own === value)).length;
      const units = Math.max(0, atLeast - found) + Math.max(0, found - atMost);
      return { holds: units === 0, units };
    }),
  reads: ['number', 'string', 'strings'],
  faults: (rule, _cost, attributes, surroundings) => [
    ...valueFaults(rule, attributes),
    ...limitFaults(rule),
    ...sizeFaults(rule, surroundings),
  ],
  idle({ atLeast = 0, atMost, scope, team }, _cost, _attributes, surroundings) {
    const players = judgedMax({ scope, team }, surroundings) ?? Number.POSITIVE_INFINITY;
    if (atLeast > 0 || atMost === undefined || atMost < players) return undefined;
    return withoutEffect(`no more than ${players} players are counted`, ['atMost']);
  },
  states: (rule, teams) => (isOverGame(rule) ? [{ by: 'comparisons', rule }] : sumOverTeams(rule, teams)),
  unitsMax: ({ atLeast = 0 }, _players, seats) => seats * Math.max(seats, atLeast),
};

function valueFaults({ attribute, value }: CountRule, attributes: Attributes): RuleFault[] {
  const known = attribute === SKILL ? ({ type: 'number' } as const) : attributes[attribute];
  if (known === undefined) return [];
  const fault = valueFault(known.type === 'strings' ? [value] : value, known);
  return fault === undefined ? [] : [{ path: ['value'], message: fault }];
}

function limitFaults({ atLeast, atMost }: CountRule): RuleFault[] {
  const faults: RuleFault[] = [];
  if (atLeast === undefined && atMost === undefined) {
    faults.push({
      path: ['atLeast'],
      message: 'Expected atLeast, atMost or both, got none: the rule would permit every game',
    });
  }
  if (atLeast !== undefined && atMost !== undefined && atLeast > atMost) {
    faults.push({
      path: ['atLeast'],
      message: `Expected at most atMost (${atMost}), got ${atLeast}: no game has that many`,
    });
  }
  return faults;
}

function sizeFaults({ atLeast, scope, team }: CountRule, surroundings: RulesSurroundings): RuleFault[] {
  const most = judgedMax({ scope, team }, surroundings);
  if (atLeast === undefined || most === undefined || atLeast <= most) return [];
  const where = team !== undefined ? `team ${team}` : scope === 'team' ? 'a team' : 'a game';
  const message = `Expected at most the ${most} players of ${where}, got ${atLeast}: lower it`;
  return [{ path: ['atLeast'], message }];
}

/** What a count in each team, or in those of a kind, means for the whole game: the limits times the number of teams. */
function sumOverTeams(rule: CountRule & Named, { teams, kinds }: TeamsOfQueue): Stated<CountRule>[] {
  if (rule.cost !== undefined || teams === undefined) return [];
  const isAll = rule.scope === 'team';
  const counted = isAll ? teams : (kinds ?? []).filter((kind) => kind === rule.team).length;
  if (counted === 0) return [];
  const times = (most: number | undefined) => (most === undefined ? undefined : counted * most);
  const limits = ({ atLeast, atMost }: Pick<CountRule, 'atLeast' | 'atMost'>) => ({
    atLeast: times(atLeast),
    // Players on other kinds of team are not limited.
    atMost: isAll ? times(atMost) : undefined,
  });
  const { scope: _, team: __, ...others } = rule;
  const relax = rule.relax?.map((step) => {
    const own = limits(step);
    return {
      waitSeconds: step.waitSeconds,
      ...(step.off && { off: step.off }),
      ...(own.atLeast !== undefined && { atLeast: own.atLeast }),
      ...(own.atMost !== undefined && { atMost: own.atMost }),
    };
  });
  return [{ by: 'comparisons', rule: { ...others, ...limits(rule), relax } }];
}
