import { expect, it } from 'vitest';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { codeOf } from '../../lib/rules/custom/code.ts';
import type { CustomGame } from '../../lib/rules/custom/types.ts';
import type { Rule } from '../../lib/rules/rule-types.ts';
import { checkFunctions } from '../../lib/simulation/check-functions.ts';
import { definition } from '../service/definitions.ts';

const rule: Rule = { name: 'Votes', type: 'custom', function: 'judged' };
const queue = (...rules: Rule[]): QueueDefinition =>
  definition({ teamSize: 2, attributes: { level: { type: 'number', min: 1, max: 50, default: 1 } }, rules });
const levelsOf = ({ teams }: CustomGame) =>
  teams.flatMap(({ players }) => players.map(({ attributes }) => attributes.level as number));

const check = (module: object, of: Rule = rule, clockMs = () => 0) =>
  checkFunctions(queue(of), codeOf(module), clockMs)[0]!;

it('says how many games a rule permits and how long a call takes', () => {
  let ms = 0;
  const judged = (game: CustomGame) => {
    ms++;
    return Math.max(...levelsOf(game)) <= 40 || 'too strong';
  };
  const report = check({ judged }, rule, () => ms);
  expect(report).toMatchObject({ rule: 'Votes', function: 'judged', callMs: 1 });
  expect(report.fault).toBeUndefined();
  expect(report.permittedShare).toBeGreaterThan(0.2);
  expect(report.permittedShare).toBeLessThan(0.7);
});

const wrong: [string, object, Partial<Rule>, RegExp][] = [
  [
    'returns no answer',
    { judged: () => undefined },
    {},
    /^Expected true or a reason, got nothing, in the match \[\[/,
  ],
  [
    'changes its input',
    {
      judged: (game: { teams: unknown[] }) => {
        game.teams.pop();
        return true;
      },
    },
    {},
    /it threw TypeError: Cannot delete property/,
  ],
  ['answers at random', { judged: drawn() }, {}, /^Expected the same answer for the same match, got two/],
  [
    'depends on the order of equal teams',
    {
      judged: ({ teams }: CustomGame) => (teams[0]!.players.length >= 2 && first(teams) <= 25 ? true : 'no'),
    },
    {},
    /^Expected the same answer for equal teams and their players in another order/,
  ],
  [
    'forbids with later options what it permitted',
    { judged: (game: CustomGame, { most }: { most: number }) => Math.max(...levelsOf(game)) <= most || 'no' },
    { options: { most: 40 }, relax: [{ waitSeconds: 10, options: { most: 20 } }] } as Partial<Rule>,
    /^Expected options that permit more after a wait/,
  ],
  [
    'costs more with later options',
    { judged: (_: CustomGame, { each }: { each: number }) => each },
    { cost: 1, options: { each: 1 }, relax: [{ waitSeconds: 10, options: { each: 2 } }] } as Partial<Rule>,
    /^Expected options that cost no more after a wait/,
  ],
  [
    'has a mayJoin that does not follow from it',
    { judged: () => true, mayJoin: { judged: () => 'never' } },
    {},
    /^Expected mayJoin.judged to follow from the rule, got a reason for two tickets of a match that the rule permits/,
  ],
  [
    'has a least above the cost',
    { judged: () => 5, least: { judged: (tickets: unknown[]) => 2 * tickets.length } },
    { cost: 1 },
    /^Expected least.judged to follow from the rule, got more than the match costs/,
  ],
  [
    'has a mayJoin that fails',
    {
      judged: () => true,
      mayJoin: {
        judged: () => {
          throw new Error('no');
        },
      },
    },
    {},
    /^mayJoin.judged: Expected true or a reason, but it threw Error: no/,
  ],
];

function first(teams: CustomGame['teams']): number {
  return teams[0]!.players[0]!.attributes.level as number;
}

/** Answers that alternate, as if they were drawn. */
function drawn() {
  let calls = 0;
  return () => (calls++ % 2 === 0 ? true : 'no');
}

it.each(wrong)('finds a function that %s', (_, module, changes, fault) => {
  expect(check(module, { ...rule, ...changes } as Rule).fault).toMatch(fault);
});

it('shows the simplest game: only the players who matter differ from plain ones', () => {
  const judged = (game: CustomGame) => {
    if (levelsOf(game).some((level) => level > 45)) throw new Error('too strong');
    return true;
  };
  const { fault } = check({ judged });
  const game = JSON.parse(fault!.slice(fault!.indexOf('[[')));
  const players = game
    .flat()
    .flatMap(({ players }: { players: { attributes: { level?: number } }[] }) => players);
  expect(players).toHaveLength(4);
  const marked = players.filter(
    ({ attributes }: { attributes: { level?: number } }) => attributes.level !== undefined,
  );
  expect(marked.length).toBeGreaterThan(0);
  expect(marked.some(({ attributes }: { attributes: { level: number } }) => attributes.level > 45)).toBe(
    true,
  );
  expect(game.flat().filter(({ waitSeconds }: { waitSeconds: number }) => waitSeconds > 0)).toEqual([]);
});

it('a function that is slow on average is told with its time', () => {
  let ms = 0;
  const judged = () => {
    ms += 30;
    return true;
  };
  const [report] = checkFunctions(queue(rule), codeOf({ judged }), () => ms);
  expect(report!.fault).toBe('Expected an answer within 20 ms, got it after 30 ms on average');
});
