import { shown } from '../../vocabulary/expected.ts';
import { ticketsOf } from '../measures.ts';
import type {
  CustomBody,
  FunctionCalls,
  RuleContext,
  RuledGame,
  RuledTicket,
  Verdict,
} from '../rule-type.ts';
import type { RuledPlayer } from '../types.ts';
import { attributeOf } from '../values.ts';
import { type CustomCode, codeInUse } from './code.ts';
import type { CustomGame, CustomOptions, CustomPlayer, CustomTicket } from './types.ts';

/** The most units of a custom cost. Searches count on it. */
export const CUSTOM_UNITS_MAX = 10_000;

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

/**
 * Calls the studio's functions. They receive frozen values. A call that throws, returns something else than it should or takes
 * too long refuses its game and is noted: it never ends a search.
 */
export class CustomCalls implements FunctionCalls {
  readonly names: readonly string[] | undefined;
  readonly #code: CustomCode;
  readonly #failures = new Map<string, CustomFailure>();
  readonly #options = new WeakMap<CustomOptions, CustomOptions>();
  /** By rule: the last answer of a function that does not read the teams. */
  readonly #last = new WeakMap<CustomBody, Answered>();
  /** By player, at one moment. */
  #players = new WeakMap<RuledPlayer, CustomPlayer>();
  #nowMs = Number.NaN;

  /** @param code the functions. @default those that the process uses */
  constructor(code: CustomCode | undefined = codeInUse()) {
    this.names = code && Object.keys(code.functions);
    this.#code = code ?? { functions: {}, mayJoin: {}, least: {} };
  }

  /** By rule and function, in the order of the first failure. */
  get failures(): CustomFailure[] {
    return [...this.#failures.values()];
  }

  asksTickets({ function: name, cost }: CustomBody): boolean {
    return Object.hasOwn(cost === undefined ? this.#code.mayJoin : this.#code.least, name);
  }

  evaluate(rule: CustomBody, game: RuledGame, context: RuleContext): Verdict {
    const { function: name, cost } = rule;
    const { isFound, nowMs } = context;
    const tickets = ticketsOf(game);
    const last = this.#last.get(rule);
    const isSame = last?.nowMs === nowMs && last.tickets.size === tickets.length;
    if (isSame && tickets.every((ticket) => last.tickets.has(ticket))) return last.verdict;
    let isOfTeams = false;
    const view = this.#gameOf(game, tickets, context, () => {
      isOfTeams = true;
    });
    const call = () => this.#code.functions[name]!(view, this.#optionsOf(rule));
    const answer =
      cost === undefined
        ? this.#call(rule, name, call, permissionFault, isFound)
        : this.#call(rule, name, call, unitsFault, isFound);
    if (isFound && typeof answer !== 'number' && answer !== true) {
      // It permitted the match before: a function that is not pure ends no search.
      if (answer !== undefined)
        this.#note(rule.name ?? '', name, `Expected the same answer as before, true, got ${shown(answer)}`);
      return { holds: true, units: 0 };
    }
    if (answer === undefined) return { holds: false, units: cost === undefined ? 1 : 0 };
    const verdict =
      cost !== undefined
        ? { holds: true, units: answer as number }
        : answer === true
          ? { holds: true, units: 0 }
          : { holds: false, units: 1, reason: answer as string };
    if (!isOfTeams) this.#last.set(rule, { nowMs, tickets: new Set(tickets), verdict });
    return verdict;
  }

  mayJoin(rule: CustomBody, a: RuledTicket, b: RuledTicket, context: RuleContext): boolean {
    const { function: name } = rule;
    const [x, y] = (a.ticketId < b.ticketId ? [a, b] : [b, a]).map((ticket) =>
      this.#ticketOf(ticket, context),
    );
    const call = () => this.#code.mayJoin[name]!(x, y, this.#optionsOf(rule));
    return typeof this.#call(rule, `mayJoin.${name}`, call, permissionFault) !== 'string';
  }

  least(rule: CustomBody, tickets: readonly RuledTicket[], context: RuleContext): number {
    const { function: name } = rule;
    const views = Object.freeze(tickets.map((ticket) => this.#ticketOf(ticket, context)));
    const call = () => this.#code.least[name]!(views, this.#optionsOf(rule));
    return (this.#call(rule, `least.${name}`, call, unitsFault) as number | undefined) ?? 0;
  }

  /** The answer; undefined when the call failed. @param faultOf what was expected instead of an answer, if it is wrong */
  #call(
    rule: CustomBody,
    called: string,
    call: () => unknown,
    faultOf: (answer: unknown) => string | undefined,
    isFound = false,
  ): unknown {
    const { clockMs } = this.#code;
    const startMs = clockMs?.() ?? 0;
    let fault: string | undefined;
    let answer: unknown;
    try {
      answer = call();
      fault = faultOf(answer);
      // Nobody waits for it: a rejection would end the process.
      if (answer instanceof Promise) answer.catch(() => undefined);
    } catch (error) {
      fault = `${faultOf(undefined)!.replace(/, got nothing$/, '')}, but it threw ${String(error)}`;
    }
    const tookMs = (clockMs?.() ?? 0) - startMs;
    if (fault === undefined && tookMs > CALL_MS_MAX && !isFound)
      fault = `Expected an answer within ${CALL_MS_MAX} ms, got it after ${Math.round(tookMs)} ms`;
    if (fault === undefined) return answer;
    this.#note(rule.name ?? '', called, fault);
    return undefined;
  }

  #note(rule: string, called: string, message: string): void {
    const key = `${rule}\n${called}`;
    const { calls, message: first } = this.#failures.get(key) ?? { calls: 0, message };
    this.#failures.set(key, {
      rule,
      function: called,
      calls: calls + 1,
      message: first.slice(0, MESSAGE_LENGTH_MAX),
    });
  }

  #optionsOf({ options = NO_OPTIONS }: CustomBody): CustomOptions {
    let own = this.#options.get(options);
    if (own === undefined) {
      own = frozen(options);
      this.#options.set(options, own);
    }
    return own;
  }

  /** @param asksTeams called when the function reads the teams */
  #gameOf(
    { teams, kinds }: RuledGame,
    tickets: readonly RuledTicket[],
    context: RuleContext,
    asksTeams: () => void,
  ): CustomGame {
    const teamOf = (some: readonly RuledTicket[], t: number) =>
      Object.freeze({ name: kinds?.[t] ?? 'team', players: this.#playersOf(some, context) });
    let views: CustomGame['teams'] | undefined;
    return Object.freeze({
      players: this.#playersOf(tickets.toSorted(byId), context),
      get teams() {
        asksTeams();
        views ??= Object.freeze(teams.map(teamOf));
        return views;
      },
      nowMs: context.nowMs,
    });
  }

  #ticketOf(ticket: RuledTicket, context: RuleContext): CustomTicket {
    const { ticketId } = ticket;
    const players = this.#playersOf([ticket], context);
    return Object.freeze({ ticketId, players, waitSeconds: waitOf(ticket, context) });
  }

  #playersOf(tickets: readonly RuledTicket[], context: RuleContext): readonly CustomPlayer[] {
    const players: CustomPlayer[] = [];
    for (const ticket of tickets) this.#addPlayers(players, ticket, context);
    return Object.freeze(players);
  }

  #addPlayers(to: CustomPlayer[], ticket: RuledTicket, context: RuleContext): void {
    if (context.nowMs !== this.#nowMs) {
      this.#players = new WeakMap();
      this.#nowMs = context.nowMs;
    }
    for (const player of ticket.players) {
      if (player.bot) continue;
      let view = this.#players.get(player);
      if (view === undefined) {
        view = playerOf(player, ticket, context);
        this.#players.set(player, view);
      }
      to.push(view);
    }
  }
}

/** The answer about some players, however they are divided into teams. */
interface Answered {
  readonly nowMs: number;
  readonly tickets: ReadonlySet<RuledTicket>;
  readonly verdict: Verdict;
}

const NO_OPTIONS: CustomOptions = {};

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

function waitOf({ enqueuedAtMs }: RuledTicket, { nowMs }: RuleContext): number {
  return Math.max(0, nowMs - (enqueuedAtMs ?? nowMs)) / 1000;
}

/** A frozen copy of what functions may see of a player. */
function playerOf(player: RuledPlayer, ticket: RuledTicket, context: RuleContext): CustomPlayer {
  const { playerId, skill, roles, latencyMs = {} } = player;
  const names = Object.keys(context.attributes);
  const values = names.map((name) => [name, attributeOf(player, name, context.attributes)] as const);
  const known = values.filter(([, value]) => value !== undefined);
  // A player of a running match came with a ticket of their own.
  const { ticketId: party = ticket.ticketId } = player as { readonly ticketId?: string };
  return frozen({
    playerId,
    party,
    skill,
    ...(roles && { roles }),
    attributes: Object.fromEntries(known) as CustomPlayer['attributes'],
    latencyMs,
    waitSeconds: waitOf(ticket, context),
  });
}

/** A copy that cannot change, of plain data. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map(frozen)
    : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, frozen(one)]));
  return Object.freeze(copy) as T;
}
