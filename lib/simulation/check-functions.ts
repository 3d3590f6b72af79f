import type { QueueDefinition } from '../contract/queue-definition.ts';
import { teamKindsOf } from '../contract/team-kinds.ts';
import type { CustomRuleBody } from '../rules/by-type/custom.ts';
import { CALL_MS_MAX, CustomCalls, type CustomFailures } from '../rules/custom/calls.ts';
import type { CustomCode } from '../rules/custom/code.ts';
import { levelsOf } from '../rules/levels.ts';
import { kindsOf } from '../rules/measures.ts';
import type { RuleContext, RuledGame, RuledTicket, Verdict } from '../rules/rule-type.ts';
import type { Rule } from '../rules/rule-types.ts';
import type { RuledPlayer } from '../rules/types.ts';
import { drawFacts } from './player-facts.ts';
import { type RandomSource, seededRandom } from './random.ts';

/** How many games of the queue's layout are played. */
const GAMES = 1_000;

/** What random games have shown about a custom rule. */
export interface FunctionReport {
  readonly rule: string;
  readonly function: string;
  /** The share of the games that the rule permits with its last options. */
  readonly permittedShare: number;
  /** The mean time of a call, in milliseconds. */
  readonly callMs: number;
  /** What the function does that it must not do, with the simplest game that shows it; undefined when nothing. */
  readonly fault?: string | undefined;
}

/**
 * Plays random games of a queue's layout and asks the functions of its custom rules about them: whether they answer, the same for
 * the same game, for equal teams in another order and with looser options nothing stricter, and whether `mayJoin` and `least`
 * follow from the rule.
 *
 * @param clockMs a monotonic clock
 */
export function checkFunctions(
  definition: QueueDefinition,
  code: CustomCode,
  clockMs: () => number,
  seed = 1,
): FunctionReport[] {
  const random = seededRandom(seed);
  const games = Array.from({ length: GAMES }, () => randomGame(definition, random));
  const moment = { attributes: definition.attributes ?? {}, nowMs: NOW_MS };
  return (definition.rules ?? []).flatMap((rule) =>
    rule.type === 'custom' ? reportOn(rule, games, moment, { ...code, clockMs: undefined }, clockMs) : [],
  );
}

type CustomOne = Rule & CustomRuleBody;
type Moment = Pick<RuleContext, 'attributes' | 'nowMs'>;

const NOW_MS = Date.UTC(2026, 0, 1);

function reportOn(
  rule: CustomOne,
  games: readonly RuledGame[],
  moment: Moment,
  code: CustomCode,
  clockMs: () => number,
): FunctionReport {
  const loosest = levelsOf(rule).findLast((level) => level !== undefined) as CustomOne;
  const calls = new CustomCalls(moment, new Map(), code);
  const startMs = clockMs();
  const permitted = games.filter((game) => calls.evaluate(loosest, game).holds);
  const callMs = (clockMs() - startMs) / games.length;
  const faultOf = (game: RuledGame) => faultIn(game, rule, moment, code);
  const first = games.find((game) => faultOf(game) !== undefined);
  const simplest = first && simplified(first, (game) => faultOf(game) !== undefined, moment);
  const fault = simplest
    ? `${faultOf(simplest)}, in the match ${JSON.stringify(simplest.teams.map((team) => team.map(shownTicket)))}`
    : callMs > CALL_MS_MAX
      ? `Expected an answer within ${CALL_MS_MAX} ms, got it after ${Math.round(callMs)} ms on average`
      : undefined;
  const permittedShare = permitted.length / games.length;
  return { rule: rule.name, function: rule.function, permittedShare, callMs, fault };
}

/** What is wrong about the answers to a game; the same text for the same kind of fault. */
function faultIn(game: RuledGame, rule: CustomOne, moment: Moment, code: CustomCode): string | undefined {
  const failures: CustomFailures = new Map();
  const calls = new CustomCalls(moment, failures, code);
  let before: Verdict = { holds: false, units: Number.POSITIVE_INFINITY };
  for (const level of levelsOf(rule) as (CustomOne | undefined)[]) {
    if (level === undefined) break;
    const verdict = calls.evaluate(level, game);
    const wrong = wrongIn(calls, level, game, verdict, before);
    const [failure] = failures.values();
    if (failure !== undefined)
      return failure.function === rule.function ? failure.message : `${failure.function}: ${failure.message}`;
    if (wrong !== undefined) return wrong;
    before = verdict;
  }
  return undefined;
}

/** What is wrong about a verdict on a game, if no call fails. @param before the verdict with earlier options */
function wrongIn(
  calls: CustomCalls,
  level: CustomOne,
  game: RuledGame,
  { holds, units }: Verdict,
  before: Verdict,
): string | undefined {
  const differs = (of: RuledGame) => {
    const other = calls.evaluate(level, of);
    return other.holds !== holds || other.units !== units;
  };
  if (differs(game)) return 'Expected the same answer for the same match, got two answers';
  if (differs(turned(game)))
    return 'Expected the same answer for equal teams and their players in another order, got two answers';
  if (before.holds && !holds)
    return 'Expected options that permit more after a wait, got a match that they forbid';
  if (units > before.units)
    return 'Expected options that cost no more after a wait, got a match that costs more';
  if (!calls.asksTickets(level) || !holds || !excludes(calls, level, game, units)) return undefined;
  return level.cost === undefined
    ? `Expected mayJoin.${level.function} to follow from the rule, got a reason for two tickets of a match that the rule permits`
    : `Expected least.${level.function} to follow from the rule, got more than the match costs`;
}

/** Whether `mayJoin` excludes tickets of a game that the rule permits, or `least` is more than its units. */
function excludes(calls: CustomCalls, level: CustomOne, { teams }: RuledGame, units: number): boolean {
  const tickets = teams.flat();
  return tickets.some((one, i) =>
    level.cost === undefined
      ? tickets.some((other, j) => j < i && !calls.mayJoin(level, one, other))
      : calls.least(level, tickets.slice(0, i + 1)) > units,
  );
}

/** The game with the teams of each kind in the opposite order, and their tickets too. */
function turned({ teams, kinds }: RuledGame): RuledGame {
  const places = [...teams.keys()];
  const turned = places.map((t) => {
    const alike = places.filter((other) => kinds?.[other] === kinds?.[t]);
    return alike[alike.length - 1 - alike.indexOf(t)]!;
  });
  return { teams: turned.map((t) => teams[t]!.toReversed()), kinds };
}

/** The game with as many plain tickets as possible. @param shows whether a game shows a fault */
function simplified(game: RuledGame, shows: (game: RuledGame) => boolean, { attributes }: Moment): RuledGame {
  const needed = Object.keys(attributes).filter((name) => attributes[name]!.default === undefined);
  const plain = (player: RuledPlayer) => ({
    ...player,
    skill: 1500,
    attributes: Object.fromEntries(needed.map((name) => [name, player.attributes![name]!])),
  });
  const plainer = [
    (own: RuledTicket) => ({ ...own, players: own.players.map(plain) }),
    (own: RuledTicket) => ({ ...own, enqueuedAtMs: NOW_MS }),
  ];
  let simplest = game;
  for (const { ticketId } of game.teams.flat()) {
    for (const change of plainer) {
      const teams = simplest.teams.map((team) =>
        team.map((one) => (one.ticketId === ticketId ? change(one) : one)),
      );
      if (shows({ ...simplest, teams })) simplest = { ...simplest, teams };
    }
  }
  return simplest;
}

function shownTicket({ ticketId, players, enqueuedAtMs = NOW_MS }: RuledTicket): object {
  return {
    ticketId,
    waitSeconds: (NOW_MS - enqueuedAtMs) / 1_000,
    players: players.map(({ skill, attributes, latencyMs }) => ({ skill, attributes, latencyMs })),
  };
}

/** A full game: parties of random sizes fill the teams. Each attribute is drawn evenly, and each wait up to the time-out. */
function randomGame(definition: QueueDefinition, random: RandomSource): RuledGame {
  const { attributes, timeoutSeconds, rules = [] } = definition;
  const hasRegions = rules.some(({ type }) => type === 'latency');
  const regionWeights = hasRegions ? { east: 1, west: 1 } : undefined;
  let tickets = 0;
  const teams = teamKindsOf(definition).flatMap(({ size, count }) =>
    Array.from({ length: count }, () => {
      const team: RuledTicket[] = [];
      for (let left = size; left > 0; ) {
        const players = random.uniform() < 0.6 ? 1 : 1 + random.integer(left);
        const ticketId = `t${++tickets}`;
        const facts = drawFacts({ attributes, regionWeights }, players, random.uniform(), random);
        team.push({
          ticketId,
          enqueuedAtMs: NOW_MS - 1_000 * random.integer(timeoutSeconds + 1),
          players: facts.map((own, i) => ({
            playerId: `${ticketId}.${i}`,
            skill: 1000 + random.integer(1001),
            ...own,
          })),
        });
        left -= players;
      }
      return team;
    }),
  );
  return { teams, kinds: kindsOf(definition.teams) };
}
