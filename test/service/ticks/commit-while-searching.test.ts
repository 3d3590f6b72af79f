import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Released, TickPlan } from '../../../lib/policies/plan.ts';
import { commitWhileSearching } from '../../../lib/service/ticks/commit-while-searching.ts';
import { Pace } from '../../../lib/service/ticks/pace.ts';

/** Commits games of a plan of which each search takes so long, on a clock that only searches advance. */
async function run(searchMs: number, games: number, limitMs = 60_000) {
  let nowMs = 0;
  const clock = { now: () => nowMs, sleep: async () => {} };
  let committed = 0;
  /** How many games were committed when each further search began. */
  const committedBefore: number[] = [];
  function* plan(outOfTime: () => boolean): Generator<Released, TickPlan> {
    for (let i = 0; i < games && !outOfTime(); i++) {
      committedBefore.push(committed);
      nowMs += searchMs;
      yield { ticketIds: [`t${i}`] } as unknown as Released;
    }
    return {} as TickPlan;
  }
  const commit = async () => {
    for (let i = 0; i < 5; i++) await turn();
    committed++;
  };
  const pace = new Pace(clock, 1_000);
  const { commits, isCut } = await commitWhileSearching(clock, plan, commit, pace, limitMs);
  return { commits: commits.length, committedBefore, isCut };
}

describe('committing games while a plan continues', () => {
  it('awaits the commit of a game whose search took long before the next search begins', async () => {
    const { committedBefore, commits } = await run(250, 4);
    expect(committedBefore).toEqual([0, 1, 2, 3]);
    expect(commits).toBe(4);
  });

  it('does not wait for commits between short searches', async () => {
    const { committedBefore } = await run(1, 4);
    expect(committedBefore).toEqual([0, 0, 0, 0]);
  });

  it('says whether the time was up before the plan ended', async () => {
    expect(await run(1_000, 3)).toMatchObject({ commits: 3, isCut: false });
    expect(await run(1_000, 3, 1_500)).toMatchObject({ commits: 1, isCut: true });
  });
});
