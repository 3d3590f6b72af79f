import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { LIMITS } from '../../../lib/contract/queue-definition.ts';
import { ShapeGames } from '../../../lib/engine/game-pool.ts';
import { parseTicketsFile } from '../../../lib/service/tickets/parse-tickets.ts';
import { dryRun, matchOffline } from '../../../lib/service/ticks/offline.ts';
import { type RandomSource, seededRandom } from '../../../lib/simulation/random.ts';
import { sample } from '../../long.ts';
import { definition } from '../definitions.ts';

/** The maximum work of a dry run before it is cut, in divisions of games. */
const WORK_MAX = sample(4_000_000, 10_000_000);
/** The maximum work between two checks of the limit: some hundredths of a second of one processor. */
const STEP_MAX = 3_000_000;
/** The work between two checks besides divisions. */
const STEP_MIN = 20_000;

interface Worst {
  readonly teamSize: number;
  readonly roles?: Record<string, number>;
  /** The roles a player accepts: one of them, two, or any. */
  readonly accepts?: 'one' | 'two' | 'any';
  readonly partyMax: number;
  /** The skill of a player. */
  readonly skill: (random: RandomSource) => number;
  readonly beta: number;
  /** Whether players are in several tickets. */
  readonly clashes?: boolean;
}

/** A body of the maximum size. */
function bodyOf({ roles, accepts, partyMax, skill, clashes }: Worst): { tickets: unknown[]; now: string } {
  const random = seededRandom(7);
  const names = Object.keys(roles ?? {});
  const now = '2026-01-01T00:10:00Z';
  const tickets: unknown[] = [];
  let bytes = JSON.stringify({ tickets, now }).length;
  for (let i = 0; ; i++) {
    // The players of a party differ in their first role, so that they can sit in one team.
    const first = random.integer(names.length || 1);
    const role = (at: number) => names[(first + at) % names.length]!;
    const players = Array.from({ length: 1 + random.integer(partyMax) }, (_, j) => ({
      playerId: clashes ? `p${3 * random.integer(60) + j}` : `${i.toString(36)}.${j}`,
      skill: skill(random),
      ...(accepts === 'one' && { roles: [role(j)] }),
      ...(accepts === 'two' && { roles: [role(j), role(j + 1)] }),
    }));
    const seconds = String(random.integer(60)).padStart(2, '0');
    const one = { ticketId: i.toString(36), enqueuedAt: `2026-01-01T00:00:${seconds}Z`, players };
    bytes += JSON.stringify(one).length + 1;
    if (bytes > LIMITS.bodyBytesMax) return { tickets, now };
    tickets.push(one);
  }
}

/** In how many ways solo players can be divided into two teams: C(2t − 1, t). */
function divisionsOf(teamSize: number): number {
  let divisions = 1;
  for (let i = 1; i <= teamSize; i++) divisions = (divisions * (teamSize - 1 + i)) / i;
  return divisions;
}

const few = (random: RandomSource) => random.integer(9);
const wide = (random: RandomSource) => random.integer(3000);
const outliers = (random: RandomSource) => (random.integer(50) === 0 ? 1e6 * random.integer(9) : few(random));
const RARE = { a: 5, b: 1, c: 1, d: 1 };
const EACH = { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1 };

const WORST: Readonly<Record<string, Worst>> = {
  'rare roles': { teamSize: 8, roles: RARE, accepts: 'one', partyMax: 1, skill: few, beta: 1 },
  'rare roles far apart': { teamSize: 8, roles: RARE, accepts: 'two', partyMax: 1, skill: wide, beta: 0 },
  'a role for each player': {
    teamSize: 8,
    roles: EACH,
    accepts: 'two',
    partyMax: 2,
    skill: outliers,
    beta: 1,
  },
  parties: { teamSize: 8, partyMax: 4, skill: outliers, beta: 1 },
  'players in several tickets': { teamSize: 8, partyMax: 2, skill: few, beta: 1, clashes: true },
  'five a side with roles': {
    teamSize: 5,
    roles: { a: 1, b: 1, c: 3 },
    accepts: 'one',
    partyMax: 2,
    skill: outliers,
    beta: 1,
  },
};

const RELEASES: readonly QueueDefinition['release'][] = [
  { policy: 'greedy' },
  { policy: 'periodic' },
  { policy: 'fifo' },
  { policy: 'option-value', waitCost: 0.01 },
  { policy: 'expanding', tolerance: 1e9 },
];

describe('a dry run', () => {
  let work = 0;
  let unit = 1;
  beforeEach(() => {
    work = 0;
    const { divide } = ShapeGames.prototype;
    vi.spyOn(ShapeGames.prototype, 'divide').mockImplementation(function (this: ShapeGames, members) {
      work += unit;
      return divide.call(this, members);
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Runs until this much work is done. Returns the result and the largest step. */
  const run = (worst: Worst, release: QueueDefinition['release'], workMax: number) => {
    const { teamSize, roles, beta } = worst;
    const rules = definition({ teamSize, beta, release, timeoutSeconds: 1_000, ...(roles && { roles }) });
    unit = divisionsOf(teamSize);
    let last = 0;
    let stepMax = 0;
    const body = bodyOf(worst);
    const result = dryRun(rules, body, () => {
      stepMax = Math.max(stepMax, work - last);
      work += STEP_MIN;
      last = work;
      return work >= workMax;
    });
    return { result, tickets: body.tickets.length, stepMax: Math.max(stepMax, work - last) };
  };

  const cases = Object.keys(WORST).flatMap((worst) => RELEASES.map((release) => [worst, release] as const));
  it.each(cases)('of the largest body, with %s and %o, ends after bounded work', (worst, release) => {
    const { result, tickets, stepMax } = run(WORST[worst]!, release, WORK_MAX);
    expect(stepMax).toBeLessThanOrEqual(STEP_MAX);
    expect(work).toBeLessThanOrEqual(WORK_MAX + STEP_MAX);
    const matched = result.matches.flatMap(({ teams }) =>
      teams.flatMap(({ players }) => players.map(({ ticketId }) => ticketId)),
    );
    expect(new Set(matched).size + result.waiting.length).toBe(tickets);
  });

  it('reports that it was cut, and returns the matches found until then', () => {
    const { result } = run(WORST['rare roles']!, { policy: 'greedy' }, 1);
    expect(result.cut).toBe(true);
    expect(result.waiting.at(-1)!.reason).toMatch(/reached its limit/);
  });

  it('of few tickets is the same as `muster match`, and not cut', () => {
    const rules = definition({ teamSize: 2 });
    const tickets = ['a', 'b', 'c', 'd', 'e'].map((ticketId, i) => ({
      ticketId,
      enqueuedAt: '2026-01-01T00:00:00Z',
      players: [{ playerId: ticketId, skill: i }],
    }));
    const result = dryRun(rules, tickets, () => false);
    expect(result).not.toHaveProperty('cut');
    expect(result).toEqual(matchOffline(rules, parseTicketsFile(tickets, rules, 'tickets')));
  });
});
