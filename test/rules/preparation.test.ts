import { describe, expect, it, onTestFinished } from 'vitest';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { Ticket } from '../../lib/engine/types.ts';
import { planTick } from '../../lib/policies/plan.ts';
import { useCode } from '../../lib/rules/custom/code.ts';
import { meetingsOf } from '../../lib/rules/met.ts';
import { Preparation } from '../../lib/rules/preparation.ts';
import type { RuledPlayer } from '../../lib/rules/types.ts';
import { slowCase, summaryOf } from '../fuzz/slow-case.ts';
import { sample } from '../long.ts';
import { studio } from './by-type/custom.ts';

const ticket = (players: readonly RuledPlayer[]) => ({ players });
const solo = (playerId: string, more: Partial<RuledPlayer> = {}) =>
  ticket([{ playerId, skill: 1500, ...more }]);

/** The work of each further ticket. */
const worksOf = (definition: Partial<QueueDefinition>, tickets: readonly ReturnType<typeof solo>[]) => {
  const preparation = new Preparation(definition);
  let before = 0;
  return tickets.map((one) => {
    const all = preparation.add(one);
    const work = all - before;
    before = all;
    return work;
  });
};

/** The ticket, whose players count each read of a field that rules use. */
const counting = (of: Ticket, onRead: () => void): Ticket => ({
  ...of,
  players: of.players.map((player) => {
    const counted: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(player)) {
      const isRuled = ['attributes', 'latencyMs', 'avoid', 'met'].includes(name);
      Object.defineProperty(counted, name, {
        enumerable: true,
        get() {
          if (isRuled) onRead();
          return value;
        },
      });
    }
    return counted as unknown as RuledPlayer;
  }),
});

describe('the work of preparing a pool', () => {
  it('is the same for each of many solo players', () => {
    const works = worksOf({}, [solo('a'), solo('b'), solo('c')]);
    expect(new Set(works).size).toBe(1);
    expect(worksOf({}, [ticket([solo('a'), solo('b')].flatMap(({ players }) => players))])[0]).toBe(
      2 * works[0]!,
    );
  });

  it('counts the pairs of many tickets of one player and of those who avoid it', () => {
    const many = Array.from({ length: 100 }, () => solo('x'));
    const avoiding = Array.from({ length: 100 }, (_, i) => solo(`p${i}`, { avoid: ['x'] }));
    const sum = (works: readonly number[]) => works.reduce((all, work) => all + work, 0);
    const apart = sum(worksOf({}, many)) + sum(worksOf({}, avoiding));
    const pairs = 100 * 100;
    expect(sum(worksOf({}, [...many, ...avoiding])) - apart).toBe(3 * pairs);
    expect(sum(worksOf({}, [...avoiding, ...many])) - apart).toBe(3 * pairs);
  });

  it('counts a bit of each ticket for each value of the pool', () => {
    const rules: QueueDefinition['rules'] = [{ name: 'Maps', type: 'common', attribute: 'maps' }];
    const definition = { attributes: { maps: { type: 'strings' as const } }, rules };
    const listing = (i: number, of: string) =>
      solo(`p${i}`, { attributes: { maps: Array.from({ length: 50 }, (_, k) => `${of}${k}`) } });
    const shared = worksOf(
      definition,
      Array.from({ length: 400 }, (_, i) => listing(i, 'm')),
    );
    const own = worksOf(
      definition,
      Array.from({ length: 400 }, (_, i) => listing(i, `m${i}.`)),
    );
    expect(shared.at(-1)! / shared[1]!).toBeLessThan(1.01);
    // The last ticket adds 50 values to those of 399 others, and its own bits of 20,000.
    expect(own.at(-1)! - shared.at(-1)!).toBeGreaterThan((0.2 * 2 * 400 * 49) / 32);
  });

  it('counts meetings only where a rule reads them', () => {
    const met = [...Array(100).keys()].map((i): [string, number] => [`q${i}`, 0]);
    const recent: QueueDefinition['rules'] = [{ name: 'Recent', type: 'recent', seconds: 60 }];
    const [without] = worksOf({ rules: [{ name: 'S', type: 'same', attribute: 'skill' }] }, [
      solo('a', { met }),
    ]);
    const [with100] = worksOf({ rules: recent }, [solo('a', { met })]);
    const [withNone] = worksOf({ rules: recent }, [solo('a')]);
    expect(without).toBe(withNone);
    expect(with100! - withNone!).toBe(4 * 100);
  });

  it('is not below the number of fields of players that a plan reads before it asks for the time', () => {
    useCode(studio);
    onTestFinished(() => useCode(undefined));
    for (let seed = 1; seed <= sample(20, 40); seed++) {
      const of = slowCase(seed, { ticketsMax: 60 });
      const preparation = new Preparation(of.definition);
      let work = 0;
      for (const one of of.tickets) work = preparation.add(one);
      let reads = 0;
      let isOver = false;
      const tickets = of.tickets.map((one) => counting(one, () => (reads += isOver ? 0 : 1)));
      planTick({
        rules: of.definition,
        tickets,
        nowMs: of.nowMs,
        reasons: false,
        outOfTime: () => (isOver = true),
      });
      expect(reads, `seed ${seed}: ${summaryOf(of)}`).toBeLessThanOrEqual(work);
    }
  });
});

describe('the meetings of players', () => {
  it('are those among the players, whichever of the two has noted them', () => {
    const meetings = meetingsOf([
      { playerId: 'ann', met: [['bob', 5] as const, ['gone', 6] as const] },
      { playerId: 'bob', met: [['ann', 4] as const] },
    ]);
    expect(meetings.of('ann')).toEqual(new Map([['bob', 5]]));
    expect(meetings.of('bob')).toEqual(new Map([['ann', 5]]));
    expect(meetings.of('gone')).toBeUndefined();
  });
});
