import type { QueueDefinition } from '../contract/queue-definition.ts';
import { teamKindsOf } from '../contract/team-kinds.ts';
import { CALL_MS_MAX, CustomCalls } from '../rules/custom/calls.ts';
import type { CustomCode } from '../rules/custom/code.ts';
import { levelsOf } from '../rules/levels.ts';
import { kindsOf } from '../rules/measures.ts';
import { noMeetings } from '../rules/met.ts';
import type { CustomBody, RuleContext, RuledGame, RuledTicket } from '../rules/rule-type.ts';
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
  const context = { attributes: definition.attributes ?? {}, nowMs: NOW_MS, meetings: noMeetings };
  return (definition.rules ?? []).flatMap((rule) =>
    rule.type === 'custom' ? reportOn(rule, games, context, { ...code, clockMs: undefined }, clockMs) : [],
  );
}

const NOW_MS = Date.UTC(2026, 0, 1);

function reportOn(
  rule: Rule & CustomBody,
  games: readonly RuledGame[],
  context: RuleContext,
  code: CustomCode,
  clockMs: () => number,
): FunctionReport {
  const loosest = levelsOf(rule).findLast((level) => level !== undefined) as typeof rule;
  let permitted = 0;
  let tookMs = 0;
  let slowestMs = 0;
  for (const game of games) {
    const calls = new CustomCalls(code);
    const startMs = clockMs();
    if (calls.evaluate(loosest, game, context).holds) permitted++;
    const ms = clockMs() - startMs;
    tookMs += ms;
    slowestMs = Math.max(slowestMs, ms);
  }
  const faultOf = (game: RuledGame) => faultIn(game, rule, context, code);
  const first = games.find((game) => faultOf(game) !== undefined);
  const simplest = first && simplified(first, (game) => faultOf(game) !== undefined, context);
  const callMs = tookMs / games.length;
  const fault = simplest
    ? `${faultOf(simplest)}, in the match ${JSON.stringify(simplest.teams.map((team) => team.map(shownTicket)))}`
    : callMs > CALL_MS_MAX
      ? `Expected an answer within ${CALL_MS_MAX} ms, got it after ${Math.round(callMs)} ms on average, ${Math.round(slowestMs)} ms at most`
      : undefined;
  const { name, function: called } = rule;
  return { rule: name, function: called, permittedShare: permitted / games.length, callMs, fault };
}

/** What is wrong about the answers to a game; the same text for the same kind of fault. */
function faultIn(
  game: RuledGame,
  rule: Rule & CustomBody,
  context: RuleContext,
  code: CustomCode,
): string | undefined {
  const calls = new CustomCalls(code);
  const levels = levelsOf(rule).filter((level) => level !== undefined) as (typeof rule)[];
  const verdictOn = (level: CustomBody, of: RuledGame) => {
    const { holds, units } = new CustomCalls(code).evaluate(level, of, context);
    return { holds, units };
  };
  const tickets = game.teams.flat();
  let before: { holds: boolean; units: number } | undefined;
  for (const level of levels) {
    const { holds, units } = calls.evaluate(level, game, context);
    const [failure] = calls.failures;
    if (failure !== undefined) return failure.message;
    const differs = (of: RuledGame) => {
      const other = verdictOn(level, of);
      return other.holds !== holds || other.units !== units;
    };
    if (differs(game)) return 'Expected the same answer for the same match, got two answers';
    if (differs(turned(game)))
      return 'Expected the same answer for equal teams and their players in another order, got two answers';
    if (before?.holds && !holds)
      return 'Expected options that permit more after a wait, got a match that they forbid';
    if (before !== undefined && rule.cost !== undefined && units > before.units)
      return 'Expected options that cost no more after a wait, got a match that costs more';
    before = { holds, units };
    if (!calls.asksTickets(level)) continue;
    if (rule.cost !== undefined) {
      const tooMuch = tickets.some((_, i) => calls.least(level, tickets.slice(0, i + 1), context) > units);
      if (tooMuch) return `Expected least.${rule.function} to be at most the cost of the match, got more`;
    } else if (
      holds &&
      tickets.some((a, i) => tickets.some((b, j) => j < i && !calls.mayJoin(level, a, b, context)))
    )
      return `Expected mayJoin.${rule.function} to permit the tickets of a match that the rule permits, got a reason`;
    const [failed] = calls.failures;
    if (failed !== undefined) return `${failed.function}: ${failed.message}`;
  }
  return undefined;
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
function simplified(
  game: RuledGame,
  shows: (game: RuledGame) => boolean,
  { attributes }: RuleContext,
): RuledGame {
  let simplest = game;
  const defaults = Object.entries(attributes).filter(([, { default: value }]) => value === undefined);
  for (const ticket of game.teams.flat()) {
    const plainer = (own: RuledTicket): RuledTicket[] => {
      const kept = (player: RuledPlayer) =>
        Object.fromEntries(defaults.map(([name]) => [name, player.attributes![name]!]));
      const players = own.players.map((player) => ({ ...player, skill: 1500, attributes: kept(player) }));
      return [
        { ...own, players, enqueuedAtMs: NOW_MS },
        { ...own, players },
        { ...own, enqueuedAtMs: NOW_MS },
      ];
    };
    for (const plain of plainer(ticket)) {
      const teams = simplest.teams.map((team) =>
        team.map((one) => (one.ticketId === ticket.ticketId ? plain : one)),
      );
      if (!shows({ ...simplest, teams })) continue;
      simplest = { ...simplest, teams };
      break;
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
