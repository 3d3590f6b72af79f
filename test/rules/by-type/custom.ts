import type { CustomRuleBody } from '../../../lib/rules/by-type/custom.ts';
import { codeOf } from '../../../lib/rules/custom/code.ts';
import type {
  CustomCost,
  CustomGame,
  CustomPlayer,
  CustomRule,
  CustomTeam,
  Least,
  MayJoin,
} from '../../../lib/rules/custom/types.ts';
import type { Rule } from '../../../lib/rules/rule-types.ts';
import type { RuledPlayer } from '../../../lib/rules/types.ts';
import type { AskedGame, OracleType } from './oracle-type.ts';

type Bound = { readonly at: number };

const levelOf = ({ attributes }: CustomPlayer) => attributes.level as number;
const playersOf = ({ players }: CustomGame) => players;
const rangeOf = (values: readonly number[]) =>
  values.length === 0 ? 0 : Math.max(...values) - Math.min(...values);

/** Rules and costs as a studio writes them: with what the search may ask about tickets, and without. */
const evenPatches: CustomRule<Bound> = ({ teams }, { at }) => {
  const onA = ({ players }: CustomTeam) =>
    players.filter(({ attributes }) => attributes.patch === 'a').length;
  return rangeOf(teams.map(onA)) <= at || 'one team has too many players of patch a';
};
const closeLevels: CustomRule<Bound> = (game, { at }) =>
  rangeOf(playersOf(game).map(levelOf)) <= at || 'levels differ';
const patient: CustomRule<Bound> = (game, { at }) =>
  playersOf(game).reduce((sum, { waitSeconds }) => sum + waitSeconds, 0) >= at || 'they have not waited';
const weakApart: CustomCost<Bound> = (game, { at }) => beyondOne(playersOf(game), at);
const fewParties: CustomCost<Bound> = ({ teams }, { at }) =>
  teams.reduce(
    (sum, { players }) => sum + Math.max(0, new Set(players.map(({ party }) => party)).size - at),
    0,
  );
const mayJoin: Record<string, MayJoin<Bound>> = {
  closeLevels: (a, b, { at }) => rangeOf([...a.players, ...b.players].map(levelOf)) <= at || 'levels differ',
};
const least: Record<string, Least<Bound>> = {
  weakApart: (tickets, { at }) =>
    beyondOne(
      tickets.flatMap(({ players }) => players),
      at,
    ),
};
const beyondOne = (players: readonly CustomPlayer[], at: number) =>
  Math.max(0, players.filter((player) => levelOf(player) < at).length - 1);

/** The code of all custom rules of the oracle. */
export const studio = codeOf({ evenPatches, closeLevels, patient, weakApart, fewParties, mayJoin, least });

/** What the functions mean, by the oracle's own view of a game. */
const MEANINGS: Record<string, (at: number, game: AskedGame) => { amount: number; fails: boolean }> = {
  evenPatches(at, { perTeam, valuesOf }) {
    const counts = perTeam.map((team) => valuesOf(team, 'patch').filter((patch) => patch === 'a').length);
    return forbids(counts.some((a) => counts.some((b) => a - b > at)));
  },
  closeLevels(at, { everybody, valuesOf }) {
    const levels = valuesOf(everybody, 'level') as number[];
    return forbids(levels.some((a) => levels.some((b) => a - b > at)));
  },
  patient(at, { members, nowMs }) {
    const people = members.flatMap(({ players, enqueuedAtMs }) =>
      (players as readonly RuledPlayer[]).filter(({ bot }) => !bot).map(() => (nowMs - enqueuedAtMs) / 1000),
    );
    return forbids(people.reduce((a, b) => a + b, 0) < at);
  },
  weakApart(at, { everybody, valuesOf }) {
    const weak = (valuesOf(everybody, 'level') as number[]).filter((level) => level < at).length;
    return { amount: weak > 1 ? weak - 1 : 0, fails: false };
  },
  fewParties(at, { teams }) {
    const isPeople = ({ players }: { readonly players: readonly RuledPlayer[] }) =>
      players.some(({ bot }) => !bot);
    const beyond = teams.map((team) => Math.max(0, team.filter(isPeople).length - at));
    return { amount: beyond.reduce((a, b) => a + b, 0), fails: false };
  },
};

function forbids(fails: boolean) {
  return { amount: 0, fails };
}

export const custom: OracleType<CustomRuleBody> = {
  ask: (rule, game) => MEANINGS[rule.function]!((rule.options as Bound).at, game),
  randomNamed(name, { pick, relaxOf, chance }) {
    const body = { name, type: 'custom' } as const;
    const [of, at, step, isCost] = pick([
      ['evenPatches', pick([0, 1]), 1, false],
      ['closeLevels', pick([1, 2, 4]), 2, false],
      ['patient', pick([10, 30, 60]), -10, false],
      ['weakApart', pick([9, 11, 13]), -2, true],
      ['fewParties', pick([0, 1]), 1, true],
    ] as const);
    const relax = relaxOf(() => [
      { options: { at: at + step } },
      chance(0.5) ? { off: true } : { options: { at: at + 2 * step } },
    ]);
    return {
      ...body,
      function: of,
      options: { at },
      ...relax,
      ...(isCost && { cost: pick([0.5, 10, 40]) }),
    } as Rule;
  },
};
