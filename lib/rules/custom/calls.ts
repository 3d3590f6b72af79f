import { shown } from '../../vocabulary/expected.ts';
import { getOrCreate } from '../../vocabulary/get-or-create.ts';
import { CUSTOM_UNITS_MAX, type CustomRuleBody } from '../by-type/custom.ts';
import { ticketsOf } from '../measures.ts';
import type { Named, RuleContext, RuledGame, RuledTicket, Verdict } from '../rule-type.ts';
import type { Attributes, RuledPlayer } from '../types.ts';
import { attributeOf } from '../values.ts';
import { type CustomCode, codeInUse } from './code.ts';
import type { CustomGame, CustomOptions, CustomPlayer, CustomTicket } from './types.ts';

/** A call that takes longer refuses its game, where the code has a clock: milliseconds. */
export const CALL_MS_MAX = 20;

/** The message of an error may have any length. */
const MESSAGE_LENGTH_MAX = 300;

/** The calls of a function that failed in one plan. */
export interface CustomFailure {
  readonly rule: string;
  readonly function: string;
  /** How many calls. */
  readonly calls: number;
  /** What was expected and what happened, of the first one. */
  readonly message: string;
}

/** By rule and function, in the order of the first failure. */
export type CustomFailures = Map<string, CustomFailure>;

const NO_OPTIONS = {};

/** A rule of type `custom`, at one level of its relaxation. */
type OneRule = CustomRuleBody & Partial<Named>;

/**
 * Calls the studio's functions at one moment. They receive frozen values. A call that throws, returns something else than it
 * should or takes too long refuses its game and is noted: it never ends a search.
 */
export class CustomCalls {
  readonly #moment: Pick<RuleContext, 'attributes' | 'nowMs'>;
  readonly #failures: CustomFailures;
  readonly #code: CustomCode | undefined;
  readonly #tickets = new WeakMap<RuledTicket, CustomTicket>();
  /** Frozen copies. */
  readonly #options = new WeakMap<CustomOptions, CustomOptions>();

  /** @param code the functions. @default those that the process uses */
  constructor(
    moment: Pick<RuleContext, 'attributes' | 'nowMs'>,
    failures: CustomFailures = new Map(),
    code: CustomCode | undefined = codeInUse(),
  ) {
    this.#moment = moment;
    this.#failures = failures;
    this.#code = code;
  }

  /** Whether the search can ask about tickets before it has a game. */
  asksTickets({ function: name, cost }: OneRule): boolean {
    return this.#code?.functions[`${cost === undefined ? 'mayJoin' : 'least'}.${name}`] !== undefined;
  }

  /** What the rule means for a game. */
  evaluate(rule: OneRule, game: RuledGame): Verdict {
    let isOfTeams = false;
    const view = this.#gameOf(game, () => {
      isOfTeams = true;
    });
    const isCost = rule.cost !== undefined;
    const answer = this.#call(rule, rule.function, [view], isCost ? unitsFault : permissionFault);
    if (typeof answer === 'number') return { holds: true, units: answer, isOfTeams };
    if (answer === true) return { holds: true, units: 0, isOfTeams };
    return {
      holds: false,
      units: isCost ? 0 : 1,
      isOfTeams,
      ...(answer !== undefined && { reason: answer }),
    };
  }

  /** Whether two tickets may be in one game, by what the module exports about the rule. Tickets may if the call fails. */
  mayJoin(rule: OneRule, a: RuledTicket, b: RuledTicket): boolean {
    const views = [a, b].sort(byId).map((ticket) => this.#ticketOf(ticket));
    return typeof this.#call(rule, `mayJoin.${rule.function}`, views, permissionFault) !== 'string';
  }

  /** What a game with these tickets costs at least, by what the module exports about the cost; 0 if the call fails. */
  least(rule: OneRule, tickets: readonly RuledTicket[]): number {
    const views = Object.freeze(tickets.map((ticket) => this.#ticketOf(ticket)));
    return (this.#call(rule, `least.${rule.function}`, [views], unitsFault) as number | undefined) ?? 0;
  }

  /** The answer; undefined when the call failed. @param faultOf what was expected instead of an answer, if it is wrong */
  #call(
    { name = '', options = NO_OPTIONS }: OneRule,
    called: string,
    args: readonly unknown[],
    faultOf: (answer: unknown) => string | undefined,
  ): true | string | number | undefined {
    const { functions, clockMs } = this.#code!;
    const startMs = clockMs?.() ?? 0;
    let fault: string | undefined;
    let answer: unknown;
    try {
      answer = functions[called]!(
        ...args,
        getOrCreate(this.#options, options, () => frozen(options)),
      );
      fault = faultOf(answer);
      // Nobody waits for it: a rejection would end the process.
      if (answer instanceof Promise) answer.catch(() => undefined);
    } catch (error) {
      fault = `${faultOf(undefined)!.replace(/, got nothing$/, '')}, but it threw ${String(error)}`;
    }
    const tookMs = (clockMs?.() ?? 0) - startMs;
    if (tookMs > CALL_MS_MAX)
      fault ??= `Expected an answer within ${CALL_MS_MAX} ms, got it after ${Math.round(tookMs)} ms`;
    if (fault === undefined) return answer as true | string | number;
    const key = `${name}\n${called}`;
    const { calls, message } = this.#failures.get(key) ?? { calls: 0, message: fault };
    this.#failures.set(key, {
      rule: name,
      function: called,
      calls: calls + 1,
      message: message.slice(0, MESSAGE_LENGTH_MAX),
    });
    return undefined;
  }

  /** @param asksTeams called when the function reads the teams */
  #gameOf(game: RuledGame, asksTeams: () => void): CustomGame {
    let views: CustomGame['teams'] | undefined;
    const teamOf = (tickets: readonly RuledTicket[], t: number) =>
      Object.freeze({ name: game.kinds?.[t] ?? 'team', players: this.#playersOf(tickets) });
    return Object.freeze({
      players: this.#playersOf(ticketsOf(game).toSorted(byId)),
      get teams() {
        asksTeams();
        views ??= Object.freeze(game.teams.map(teamOf));
        return views;
      },
      nowMs: this.#moment.nowMs,
    });
  }

  #ticketOf(ticket: RuledTicket): CustomTicket {
    return getOrCreate(this.#tickets, ticket, () => {
      const { nowMs, attributes } = this.#moment;
      const { ticketId, players, enqueuedAtMs = nowMs } = ticket;
      const waitSeconds = Math.max(0, nowMs - enqueuedAtMs) / 1000;
      const people = players.filter(({ bot }) => !bot);
      const views = people.map((player) => playerOf(player, ticketId, waitSeconds, attributes));
      return frozen({ ticketId, players: views, waitSeconds });
    });
  }

  #playersOf(tickets: readonly RuledTicket[]): readonly CustomPlayer[] {
    return Object.freeze(tickets.flatMap((ticket) => this.#ticketOf(ticket).players));
  }
}

function byId(a: RuledTicket, b: RuledTicket): number {
  return a.ticketId < b.ticketId ? -1 : 1;
}

function permissionFault(answer: unknown): string | undefined {
  if (answer === true || (typeof answer === 'string' && answer !== '')) return undefined;
  return `Expected true or a reason, got ${gotten(answer)}`;
}

function unitsFault(answer: unknown): string | undefined {
  if (typeof answer === 'number' && answer >= 0 && answer <= CUSTOM_UNITS_MAX) return undefined;
  return `Expected a number from 0 to ${CUSTOM_UNITS_MAX}, got ${gotten(answer)}`;
}

function gotten(answer: unknown): string {
  return answer instanceof Promise ? 'a promise' : shown(answer);
}

/** What functions may see of a player. */
function playerOf(
  player: RuledPlayer,
  ticketId: string,
  waitSeconds: number,
  attributes: Attributes,
): CustomPlayer {
  const { playerId, skill, roles, latencyMs = {} } = player;
  const values = Object.keys(attributes).map(
    (name) => [name, attributeOf(player, name, attributes)] as const,
  );
  const known = values.filter(([, value]) => value !== undefined);
  // A player of a running match came with a ticket of their own.
  const { ticketId: party = ticketId } = player as { readonly ticketId?: string };
  return {
    playerId,
    party,
    skill,
    ...(roles && { roles }),
    attributes: Object.fromEntries(known) as CustomPlayer['attributes'],
    latencyMs,
    waitSeconds,
  };
}

/** A copy that cannot change, of plain data. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map(frozen)
    : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, frozen(one)]));
  return Object.freeze(copy) as T;
}
