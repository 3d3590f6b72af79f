import type { Game, Ticket } from '../engine/types.ts';
import type { Filling } from '../policies/plan.ts';
import { meanSkill } from '../policies/policy.ts';
import { type RulesOfTeams, relaxableRules, relaxedRules } from '../rules/relaxed-rules.ts';
import { getOrCreate } from '../vocabulary/get-or-create.ts';
import type { BackfillMeasures } from './backfill-measures.ts';
import { type Distribution, distributionOf, Histogram, rounded } from './histogram.ts';
import type { Observer, Unmatched } from './observer.ts';
import { TimeSeries } from './time-series.ts';

/** The waits of a part of the players, in seconds. */
export interface WaitsOf extends Distribution {
  /** Which part: a range of skill such as `1480–1730`, a party size, a role. */
  readonly of: string;
}

/**
 * What happened to the players of one simulated queue.
 *
 * Waits count players, not tickets, and all of them: a wait runs from enqueueing to the match, also one of another queue, the
 * cancellation or the time-out, and for players who still wait to the last tick. So a policy gains nothing by leaving players unmatched.
 * The waits of the unmatched are censored: a match would have come even later.
 */
export interface Measures {
  readonly players: number;
  readonly tickets: number;
  readonly matches: number;
  /** Virtual seconds from the first arrival to the last tick. */
  readonly seconds: number;
  /** Where the players ended; the sum is `players`. */
  readonly outcome: {
    readonly matched: number;
    readonly cancelled: number;
    readonly timedOut: number;
    readonly waiting: number;
    /** Matched by another queue in which they waited too. Present where there are such players. */
    readonly elsewhere?: number;
  };
  /** Seats that bots took. */
  readonly bots: number;
  readonly waitSeconds: Distribution;
  /** Of the matched players alone. It is short when others are never matched, so read it together with `outcome`. */
  readonly waitSecondsMatched: Distribution;
  readonly waitSecondsBySkill: readonly WaitsOf[];
  readonly waitSecondsByPartySize: readonly WaitsOf[];
  /** Matched players count in the role they play, all others in every role they accept. */
  readonly waitSecondsByRole: readonly WaitsOf[];
  /** The matches in each region; empty in a queue without a latency rule. Waits are those of matched players. */
  readonly byRegion: readonly RegionMeasures[];
  /** In the order of the definition. */
  readonly byRule: readonly RuleMeasures[];
  readonly imbalance: Distribution;
  /** d_p, how far apart the teams of a match are. */
  readonly teamGap: Distribution;
  readonly skillSpread: Distribution;
  /**
   * Priority less its proven lower bound: how much better the best possible game of the pool can have been. Of the
   * matches that have a proven bound; `count` says how many.
   */
  readonly gap: Distribution;
  /** The share of all matches that were proved best of their pool, in [0, 1]; NaN without matches. */
  readonly provedBest: number;
  /** Players waiting after a tick, the mean over the time; 0 while the queue is empty. */
  readonly waitingPlayers: { readonly mean: number; readonly max: number };
  /** At most 400 points. */
  readonly waitingOverTime: readonly { readonly seconds: number; readonly players: number }[];
  /** `part` of all players were matched within `value` seconds, for a chart. It ends at the share of the matched. */
  readonly waitQuantiles: readonly Quantile[];
  readonly imbalanceQuantiles: readonly Quantile[];
  /** Present when matches last and players leave them. */
  readonly backfill?: BackfillMeasures;
}

/** The matches played in a region. */
export interface RegionMeasures {
  readonly region: string;
  readonly matches: number;
  readonly waitSeconds: Distribution;
}

/** What a rule did to the matches. */
export interface RuleMeasures {
  readonly rule: string;
  /** The share of the matches that the rule without its relaxation forbids; NaN for a rule that cannot relax. */
  readonly relaxed: number;
  /** The imbalance that it adds to a match, on average; NaN for a rule without a cost. */
  readonly cost: number;
}

/** `part` ∈ [0, 1] of all values are at most `value`. */
export interface Quantile {
  readonly part: number;
  readonly value: number;
}

/** Waits below this are not distinguished. */
const WAIT_UNIT_SECONDS = 0.01;
/** A gap below this share of the imbalance counts as rounding. */
const ROUNDING = 1e-9;
/** 0, 2 %, …, 98 %, 99 %. */
const CHART_PARTS = [...Array.from({ length: 50 }, (_, at) => at / 50), 0.99];

/** Counts what a simulation does. Memory does not grow with the number of players. */
export class Meter implements Observer {
  readonly #skillEdges: readonly number[];
  readonly #skillUnit: number;
  readonly #roles: readonly string[];
  readonly #rules: RulesOfTeams;
  readonly #byRegion = new Map<string, { matches: number; waits: Histogram }>();
  readonly #relaxed = new Map<string, number>();
  readonly #costs = new Map<string, number>();
  readonly #waitsMatched = new Histogram(WAIT_UNIT_SECONDS);
  /** Of the players who have left. */
  readonly #waits: Waits;
  readonly #imbalance: Histogram;
  readonly #teamGap: Histogram;
  readonly #skillSpread: Histogram;
  readonly #gap: Histogram;
  readonly #waitingOverTime = new TimeSeries();
  #provedBest = 0;
  #tickets = 0;
  #matched = 0;
  readonly #unmatched = { cancelled: 0, timedOut: 0, elsewhere: 0 };
  /** After the last tick. */
  #waiting: readonly Ticket[] = [];
  #waitingMax = 0;
  #bots = 0;
  #startMs = Number.POSITIVE_INFINITY;
  /** The first arrival among the tickets that have left since the last tick. */
  #sinceMs = Number.POSITIVE_INFINITY;
  #endMs = Number.NEGATIVE_INFINITY;

  /**
   * @param skillEdges ascending inner edges of the ranges of skill for which waits are reported separately
   * @param skillUnit the resolution of imbalances; a millionth of the spread of skills is plenty
   * @param roles the roles of the queue, none if it has none
   * @param rules the rules of the queue
   */
  constructor(
    skillEdges: readonly number[],
    skillUnit: number,
    roles: readonly string[] = [],
    rules: RulesOfTeams = {},
  ) {
    this.#skillEdges = skillEdges;
    this.#skillUnit = skillUnit;
    this.#roles = roles;
    this.#rules = rules;
    this.#waits = new Waits(skillEdges.length + 1);
    this.#imbalance = new Histogram(skillUnit);
    this.#teamGap = new Histogram(skillUnit);
    this.#skillSpread = new Histogram(skillUnit);
    this.#gap = new Histogram(skillUnit);
  }

  matched(game: Game, tickets: readonly Ticket[], nowMs: number): void {
    this.#imbalance.add(game.imbalance);
    this.#teamGap.add(game.teamGap);
    this.#skillSpread.add(game.skillSpread);
    const gap = game.priority - game.lowerBound;
    if (gap <= ROUNDING * Math.max(game.imbalance, this.#skillUnit)) this.#provedBest++;
    if (Number.isFinite(gap)) this.#gap.add(Math.max(0, gap));
    this.#addRuling(game, tickets, nowMs);
    this.#seated(game.teams, tickets, nowMs);
  }

  joined({ teams }: Filling, tickets: readonly Ticket[], nowMs: number): void {
    this.#seated(teams, tickets, nowMs);
  }

  /** Counts the waits of these tickets, in the roles that they play in these teams. */
  #seated(teams: Game['teams'], tickets: readonly Ticket[], nowMs: number): void {
    const waits = new Map<string, number>();
    for (const ticket of tickets) {
      const wait = this.#leave(ticket, nowMs);
      const players = ticket.players.length;
      waits.set(ticket.ticketId, wait);
      this.#matched += players;
      this.#waitsMatched.add(wait, players);
      this.#waits.add(wait, players, this.#rangeOf(ticket));
    }
    for (const team of teams) {
      for (const { ticketId, role, bot } of team) {
        const wait = waits.get(ticketId);
        if (bot) this.#bots++;
        else if (role !== undefined && wait !== undefined) this.#waits.addRole(role, wait);
      }
    }
  }

  #addRuling(game: Game, tickets: readonly Ticket[], nowMs: number): void {
    const add = (sums: Map<string, number>, rule: string, value: number) =>
      sums.set(rule, (sums.get(rule) ?? 0) + value);
    for (const rule of relaxedRules(this.#rules, game, tickets, nowMs)) add(this.#relaxed, rule, 1);
    const { region, rules = {} } = game.ruling ?? {};
    for (const [rule, { cost = 0 }] of Object.entries(rules)) add(this.#costs, rule, cost);
    if (region === undefined) return;
    const own = getOrCreate(this.#byRegion, region, () => ({ matches: 0, waits: waitHistogram() }));
    own.matches++;
    for (const { enqueuedAtMs, players } of tickets)
      own.waits.add((nowMs - enqueuedAtMs) / 1000, players.length);
  }

  left(ticket: Ticket, why: Unmatched, atMs: number): void {
    this.#unmatched[why] += ticket.players.length;
    this.#addUnmatched(this.#waits, ticket, this.#leave(ticket, atMs));
  }

  ticked(nowMs: number, waiting: readonly Ticket[]): void {
    const players = playersOf(waiting);
    const oldestMs = waiting[0]?.enqueuedAtMs ?? nowMs;
    this.#startMs = Math.min(this.#startMs, oldestMs);
    this.#waitingMax = Math.max(this.#waitingMax, players);
    this.#waitingOverTime.add(nowMs, players, Math.min(this.#sinceMs, oldestMs));
    this.#sinceMs = Number.POSITIVE_INFINITY;
    this.#endMs = nowMs;
    this.#waiting = waiting;
  }

  /** The measures so far. */
  read(): Measures {
    const start = Number.isFinite(this.#startMs) ? this.#startMs : 0;
    const waiting = playersOf(this.#waiting);
    const { cancelled, timedOut, elsewhere } = this.#unmatched;
    const players = this.#matched + cancelled + timedOut + elsewhere + waiting;
    const waits = this.#waits.copy();
    for (const ticket of this.#waiting) {
      this.#addUnmatched(waits, ticket, (this.#endMs - ticket.enqueuedAtMs) / 1000);
    }
    return {
      players,
      tickets: this.#tickets + this.#waiting.length,
      matches: this.#imbalance.count,
      seconds: Number.isFinite(this.#endMs) ? (this.#endMs - start) / 1000 : 0,
      outcome: {
        matched: this.#matched,
        cancelled,
        timedOut,
        waiting,
        ...(elsewhere > 0 && { elsewhere }),
      },
      bots: this.#bots,
      waitSeconds: distributionOf(waits.all),
      waitSecondsMatched: distributionOf(this.#waitsMatched),
      waitSecondsBySkill: waits.bySkill.map((values, at) => ({
        of: this.#rangeName(at),
        ...distributionOf(values),
      })),
      waitSecondsByPartySize: [...waits.byPartySize]
        .sort(([a], [b]) => a - b)
        .map(([size, values]) => ({ of: String(size), ...distributionOf(values) })),
      waitSecondsByRole: [...waits.byRole]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([role, values]) => ({ of: role, ...distributionOf(values) })),
      byRegion: [...this.#byRegion]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([region, { matches, waits }]) => ({ region, matches, waitSeconds: distributionOf(waits) })),
      byRule: this.#ruleMeasures(),
      imbalance: distributionOf(this.#imbalance),
      teamGap: distributionOf(this.#teamGap),
      skillSpread: distributionOf(this.#skillSpread),
      gap: distributionOf(this.#gap),
      provedBest: this.#provedBest / this.#imbalance.count,
      waitingPlayers: { mean: this.#waitingOverTime.mean, max: this.#waitingMax },
      waitingOverTime: this.#waitingOverTime
        .points()
        .map(({ atMs, value }) => ({ seconds: (atMs - start) / 1000, players: value })),
      waitQuantiles: quantilesOf(this.#waitsMatched, this.#matched / players),
      imbalanceQuantiles: quantilesOf(this.#imbalance),
    };
  }

  #ruleMeasures(): RuleMeasures[] {
    const relaxable = relaxableRules(this.#rules);
    const matches = this.#imbalance.count;
    const perMatch = (sums: ReadonlyMap<string, number>, rule: string) =>
      rounded((sums.get(rule) ?? 0) / matches);
    return (this.#rules.rules ?? []).map((rule) => ({
      rule: rule.name,
      relaxed: relaxable.includes(rule) ? perMatch(this.#relaxed, rule.name) : Number.NaN,
      cost: rule.cost === undefined ? Number.NaN : perMatch(this.#costs, rule.name),
    }));
  }

  /** @returns how long the ticket has waited, in seconds */
  #leave({ enqueuedAtMs }: Ticket, nowMs: number): number {
    this.#tickets++;
    this.#startMs = Math.min(this.#startMs, enqueuedAtMs);
    this.#sinceMs = Math.min(this.#sinceMs, enqueuedAtMs);
    return (nowMs - enqueuedAtMs) / 1000;
  }

  #addUnmatched(waits: Waits, ticket: Ticket, seconds: number): void {
    waits.add(seconds, ticket.players.length, this.#rangeOf(ticket));
    for (const { roles = this.#roles } of ticket.players) {
      for (const role of roles) waits.addRole(role, seconds);
    }
  }

  #rangeOf(ticket: Ticket): number {
    const skill = meanSkill(ticket);
    const at = this.#skillEdges.findIndex((edge) => skill < edge);
    return at === -1 ? this.#skillEdges.length : at;
  }

  #rangeName(at: number): string {
    const [low, high] = [this.#skillEdges[at - 1], this.#skillEdges[at]];
    if (low === undefined && high === undefined) return 'all';
    if (low === undefined) return `below ${shortNumber(high)}`;
    if (high === undefined) return `${shortNumber(low)} and above`;
    return `${shortNumber(low)} to ${shortNumber(high)}`;
  }
}

/** Waits of players in seconds: of all, and by range of skill, party size and role. */
class Waits {
  readonly all: Histogram;
  readonly bySkill: readonly Histogram[];
  readonly byPartySize: Map<number, Histogram>;
  readonly byRole: Map<string, Histogram>;

  constructor(skillRanges: number, from?: Waits) {
    this.all = from?.all.copy() ?? waitHistogram();
    this.bySkill =
      from?.bySkill.map((waits) => waits.copy()) ?? Array.from({ length: skillRanges }, waitHistogram);
    this.byPartySize = copyOf(from?.byPartySize);
    this.byRole = copyOf(from?.byRole);
  }

  copy(): Waits {
    return new Waits(this.bySkill.length, this);
  }

  /** The wait of a party; `range` is that of its skill. Roles are counted apart. */
  add(seconds: number, players: number, range: number): void {
    this.all.add(seconds, players);
    this.bySkill[range].add(seconds, players);
    getOrCreate(this.byPartySize, players, waitHistogram).add(seconds, players);
  }

  addRole(role: string, seconds: number): void {
    getOrCreate(this.byRole, role, waitHistogram).add(seconds);
  }
}

function copyOf<Key>(histograms: ReadonlyMap<Key, Histogram> = new Map()): Map<Key, Histogram> {
  return new Map(Array.from(histograms, ([key, histogram]) => [key, histogram.copy()]));
}

const waitHistogram = () => new Histogram(WAIT_UNIT_SECONDS);

function playersOf(tickets: readonly Ticket[]): number {
  return tickets.reduce((sum, { players }) => sum + players.length, 0);
}

/** @param share that the values are of all, in (0, 1] */
function quantilesOf(values: Histogram, share = 1): Quantile[] {
  if (values.count === 0) return [];
  const found = values.quantiles(CHART_PARTS);
  return CHART_PARTS.map((part, at) => ({ part: rounded(part * share), value: rounded(found[at]) }));
}

const shortNumber = (value: number) => String(Number(value.toPrecision(4)));
