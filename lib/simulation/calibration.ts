import type { Game, Ticket } from '../engine/types.ts';
import type { Filling, TickMemory } from '../policies/plan.ts';
import { Likenesses } from '../policies/waits/likenesses.ts';
import { countTick, quantilesIn, shareBelow, type WaitTable } from '../policies/waits/wait-table.ts';
import { getOrCreate } from '../vocabulary/get-or-create.ts';
import type { Observer, Unmatched } from './observer.ts';

/** The shares of matched tickets whose times are estimated and compared. */
export const ESTIMATED_SHARES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] as const;
const P50 = 4;
const P90 = 8;

/** Whether the estimates that tickets got came true, of a part of the tickets. */
export interface CalibrationOf {
  /** Which part: `all`, `on arrival`, `later`, or tickets that are alike, such as `size 2`. */
  readonly of: string;
  /** How often a ticket asked. */
  readonly asked: number;
  /** Of all times that it asked, the share in which it got a p50 and a p90. */
  readonly withP50: number;
  readonly withP90: number;
  /** The share that was matched within the estimated time; NaN when there was none. */
  readonly matchedByP50: number;
  readonly matchedByP90: number;
  /** For each of `ESTIMATED_SHARES`, the share that was matched within the time estimated for it. */
  readonly curve: readonly number[];
}

/**
 * Measures the calibration of estimated waits. Each ticket asks on arrival, and after 1, 2, 4, 8, … times the time between
 * two ticks. Tickets that are cancelled, time out, are matched by another queue, or still wait at the end are censored: the shares are estimates of Kaplan
 * and Meier over the time since the question, as a share of the estimated time.
 */
export class WaitCalibration implements Observer {
  readonly #tickMs: number;
  readonly #timeoutMs: number;
  readonly #tables = new Map<string, WaitTable>();
  /** By range: what estimates the waits of its tickets now. */
  readonly #estimators = new Map<string, Estimator>();
  readonly #questions = new Map<string, Questions>();
  readonly #groups = new Map<string, Group>();
  #beforeMs = Number.NEGATIVE_INFINITY;

  constructor({ tickSeconds, timeoutSeconds }: { tickSeconds: number; timeoutSeconds: number }) {
    this.#tickMs = 1000 * tickSeconds;
    this.#timeoutMs = 1000 * timeoutSeconds;
  }

  /** The tickets ask that arrived since the last tick, or are old enough to ask again. */
  searching(range: string, tickets: readonly Ticket[], nowMs: number): void {
    const estimator = this.#estimators.get(range) ?? this.#estimatorOf(undefined, () => 0.5);
    for (const ticket of tickets) {
      const questions = getOrCreate(this.#questions, ticket.ticketId, () => ({ nextMs: 0, estimates: [] }));
      const atMs = ticket.enqueuedAtMs + questions.nextMs;
      if (atMs > nowMs) continue;
      this.#estimate(estimator, ticket, questions, Math.max(atMs, this.#beforeMs));
      questions.nextMs = questions.nextMs === 0 ? this.#tickMs : 2 * questions.nextMs;
    }
  }

  #estimate(estimator: Estimator, ticket: Ticket, { nextMs, estimates }: Questions, atMs: number): void {
    const times = estimator.times(ticket, { nowMs: atMs, timeoutMs: this.#timeoutMs });
    const groups = [this.#groupOf(WHENS[nextMs === 0 ? 0 : 1]), ...estimator.groups.of(ticket)];
    for (let i = 0; i < groups.length; i++) groups[i]!.asked++;
    estimates.push({ atMs, times, groups });
  }

  #estimatorOf(table: WaitTable | undefined, part: (skill: number) => number): Estimator {
    return {
      times: quantilesIn(table, part, ESTIMATED_SHARES),
      groups: new Likenesses(part, (name) => this.#groupOf(name)),
    };
  }

  /** The table of the range counts its search. */
  searched(
    range: string,
    tickets: readonly Ticket[],
    matchedIds: ReadonlySet<string>,
    memory: TickMemory,
    nowMs: number,
  ): void {
    const part = shareBelow(memory.skills);
    const table = countTick(this.#tables.get(range), tickets, matchedIds, {
      tickMs: this.#tickMs,
      nowMs,
      part,
    });
    this.#tables.set(range, table);
    this.#estimators.set(range, this.#estimatorOf(table, part));
  }

  matched(_game: Game, tickets: readonly Ticket[], nowMs: number): void {
    for (const ticket of tickets) this.#leave(ticket, nowMs, true);
  }
  joined(_filling: Filling, tickets: readonly Ticket[], nowMs: number): void {
    for (const ticket of tickets) this.#leave(ticket, nowMs, true);
  }
  left(ticket: Ticket, _why: Unmatched, atMs: number): void {
    this.#leave(ticket, atMs, false);
  }
  ticked(nowMs: number): void {
    this.#beforeMs = nowMs;
  }

  #leave({ ticketId }: Ticket, nowMs: number, isMatched: boolean): void {
    for (const { atMs, times, groups } of this.#questions.get(ticketId)?.estimates ?? []) {
      for (let part = 0; part < times.length; part++) {
        const ms = times[part];
        if (ms === undefined) continue;
        const step = stepOf(Math.max(0, nowMs - atMs), ms);
        for (let i = 0; i < groups.length; i++) groups[i]!.add(part, step, isMatched);
      }
    }
    this.#questions.delete(ticketId);
  }

  #groupOf(name: string): Group {
    return getOrCreate(this.#groups, name, () => new Group());
  }

  /** The groups in the order of their names, `all` first. */
  read(): CalibrationOf[] {
    const groups = new Map(this.#groups);
    if (groups.size > 0) groups.set('all', Group.together(WHENS.flatMap((when) => groups.get(when) ?? [])));
    const names = [...groups.keys()].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
    return names.map((of) => {
      const group = groups.get(of)!;
      const curve = ESTIMATED_SHARES.map((_, part) => group.matchedInTime(part));
      const share = (at: number) => group.estimated[at]! / Math.max(1, group.asked);
      return {
        of,
        asked: group.asked,
        withP50: share(P50),
        withP90: share(P90),
        matchedByP50: curve[P50]!,
        matchedByP90: curve[P90]!,
        curve,
      };
    });
  }
}

/** Each question is one of these. */
const WHENS = ['on arrival', 'later'] as const;

const rank = (name: string) =>
  ['all', ...WHENS].indexOf(name) + (name.includes(' ') && name !== 'on arrival' ? 9 : 0);

interface Questions {
  /** The age at which the ticket asks next. */
  nextMs: number;
  readonly estimates: Estimate[];
}

interface Estimate {
  readonly atMs: number;
  readonly times: readonly (number | undefined)[];
  readonly groups: readonly Group[];
}

/** Estimates the waits of the tickets of a range: the times for `ESTIMATED_SHARES`, and the groups that they are counted in. */
interface Estimator {
  readonly times: ReturnType<typeof quantilesIn>;
  readonly groups: Likenesses<Group>;
}

/**
 * A part of the tickets. For each of `ESTIMATED_SHARES`, the estimate of Kaplan and Meier of the share that is matched within the estimated time,
 * when some are not observed until then.
 */
class Group {
  asked = 0;
  /** By part: how often there was an estimate. */
  readonly estimated = new Uint32Array(ESTIMATED_SHARES.length);
  /** By part and step: the waits that ended there. */
  readonly #matched = new Uint32Array(ESTIMATED_SHARES.length * STEPS);
  readonly #censored = new Uint32Array(ESTIMATED_SHARES.length * STEPS);

  static together(groups: readonly Group[]): Group {
    const all = new Group();
    const addAll = (sums: Uint32Array, more: Uint32Array) =>
      more.forEach((value, at) => {
        sums[at]! += value;
      });
    for (const group of groups) {
      all.asked += group.asked;
      addAll(all.estimated, group.estimated);
      addAll(all.#matched, group.#matched);
      addAll(all.#censored, group.#censored);
    }
    return all;
  }

  /** @param step in which a wait ended; `STEPS` when it lasted longer than estimated */
  add(part: number, step: number, isMatched: boolean): void {
    this.estimated[part]!++;
    if (step < STEPS) (isMatched ? this.#matched : this.#censored)[part * STEPS + step]!++;
  }

  matchedInTime(part: number): number {
    let atRisk = this.estimated[part]!;
    if (atRisk === 0) return Number.NaN;
    let left = 1;
    for (let at = part * STEPS; at < (part + 1) * STEPS; at++) {
      if (atRisk > 0) left *= 1 - this.#matched[at]! / atRisk;
      atRisk -= this.#matched[at]! + this.#censored[at]!;
    }
    return 1 - left;
  }
}

/** The number of steps that the estimated time is divided into. */
const STEPS = 200;

/** The step of the estimated time in which a wait ended; `STEPS` when it lasted longer. */
function stepOf(waitedMs: number, estimatedMs: number): number {
  if (waitedMs > estimatedMs) return STEPS;
  return estimatedMs === 0 ? 0 : Math.min(STEPS - 1, Math.floor((STEPS * waitedMs) / estimatedMs));
}
