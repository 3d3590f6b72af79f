import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COOLDOWN_LIMITS, type CooldownOptions } from '../../../lib/contract/cooldown.ts';
import {
  type CooldownRecord,
  cooldownAt,
  cooldownReason,
  type Offence,
  withOffence,
} from '../../../lib/service/domain/cooldowns.ts';

const OPTIONS: CooldownOptions = {
  decline: [
    { times: 1, seconds: 30 },
    { times: 2, seconds: 120 },
    { times: 4, seconds: 600 },
  ],
  leave: [{ times: 2, seconds: 300 }],
  forgetAfterSeconds: 3_600,
};

const NONE: CooldownRecord = { offences: [] };
const offence = (second: number, kind: Offence['kind'] = 'decline', matchId = `m${second}`): Offence => ({
  kind,
  matchId,
  atMs: 1_000 * second,
});
const recordOf = (...offences: Offence[]) =>
  offences.reduce((record, one) => withOffence(record, one) ?? record, NONE);
/** The second at which the cooldown ends, as seen at a second; undefined when there is none. */
const until = (record: CooldownRecord, second: number, options = OPTIONS) => {
  const found = cooldownAt(options, record, 1_000 * second);
  return found && found.untilMs / 1_000;
};

describe('the cooldown of a player', () => {
  it('grows with the offences of its kind, by the last step that they reach', () => {
    expect(until(NONE, 0)).toBeUndefined();
    expect(until(recordOf(offence(0)), 0)).toBe(30);
    expect(until(recordOf(offence(0), offence(100)), 100)).toBe(220);
    expect(until(recordOf(offence(0), offence(100), offence(300)), 300)).toBe(420);
    expect(until(recordOf(offence(0), offence(100), offence(300), offence(500)), 500)).toBe(1_100);
    expect(until(recordOf(...[0, 100, 300, 500, 1_200].map((at) => offence(at))), 1_200)).toBe(1_800);
  });

  it('ends at its second, not before it', () => {
    expect(until(recordOf(offence(0)), 29.999)).toBe(30);
    expect(until(recordOf(offence(0)), 30)).toBeUndefined();
  });

  it('counts each kind alone, and is that which ends last', () => {
    expect(until(recordOf(offence(0, 'leave')), 0)).toBeUndefined();
    expect(until(recordOf(offence(0, 'leave'), offence(1)), 1)).toBe(31);
    const both = recordOf(offence(0, 'leave'), offence(1), offence(2, 'leave'), offence(3));
    expect(cooldownAt(OPTIONS, both, 3_000)).toEqual({ kind: 'leave', times: 2, untilMs: 302_000 });
    expect(cooldownAt({ ...OPTIONS, leave: undefined }, both, 3_000)).toEqual({
      kind: 'decline',
      times: 2,
      untilMs: 123_000,
    });
  });

  it('forgets an offence after its time, and does not become shorter while it lasts', () => {
    expect(until(recordOf(offence(0), offence(3_599)), 3_599)).toBe(3_719);
    expect(until(recordOf(offence(0), offence(3_599)), 3_650)).toBe(3_719);
    expect(until(recordOf(offence(0), offence(3_600)), 3_600)).toBe(3_630);
  });

  it('is that of the offences after the last pardon', () => {
    const record = recordOf(offence(0), offence(100));
    expect(until({ ...record, forgivenAtMs: 100_000 }, 100)).toBeUndefined();
    expect(until({ ...record, forgivenAtMs: 50_000 }, 100)).toBe(130);
  });

  it('follows the definition in force', () => {
    const record = recordOf(offence(0));
    expect(until(record, 1, { decline: [{ times: 1, seconds: 5 }] })).toBe(5);
    expect(until(record, 1, { leave: [{ times: 1, seconds: 5 }] })).toBeUndefined();
  });

  it('stands for an offence of which the clock is ahead', () => {
    expect(until(recordOf(offence(10)), 0)).toBe(40);
  });

  it('is the same in whatever order and however often its offences are added', () => {
    const someOffence = fc.record({
      kind: fc.constantFrom('decline' as const, 'leave' as const),
      matchId: fc.integer({ min: 0, max: 40 }).map((n) => `m${n}`),
    });
    // A match has one time.
    const atOf = ({ matchId }: { matchId: string }) => 1_000 * (Number(matchId.slice(1)) % 7);
    fc.assert(
      fc.property(fc.array(someOffence, { maxLength: 60 }), fc.infiniteStream(fc.nat()), (some, numbers) => {
        const all = some.map((one): Offence => ({ ...one, atMs: atOf(one) }));
        const shuffled = [...all, ...all]
          .map((one) => ({ one, at: numbers.next().value! }))
          .sort((a, b) => a.at - b.at)
          .map(({ one }) => one);
        const record = recordOf(...all);
        expect(recordOf(...shuffled)).toEqual(record);
        for (const kind of ['decline', 'leave'] as const)
          expect(record.offences.filter((one) => one.kind === kind).length).toBeLessThanOrEqual(
            COOLDOWN_LIMITS.timesMax,
          );
        for (const one of all) expect(withOffence(record, one)).toBeUndefined();
      }),
    );
  });

  it('is said in words', () => {
    const left = (ms: number) => cooldownReason({ kind: 'leave', times: 2, untilMs: ms }, 0);
    expect(left(1)).toBe('left 2 matches and gets no ticket for 1 second');
    expect(left(90_000)).toMatch(/for 1 minute 30 seconds$/);
    expect(left(7_200_001)).toMatch(/for 2 hours 1 second$/);
    expect(left(604_800_000)).toMatch(/for 7 days$/);
    expect(cooldownReason({ kind: 'decline', times: 1, untilMs: 3_661_000 }, 0)).toBe(
      'declined, or did not answer, a match and gets no ticket for 1 hour 1 minute',
    );
  });
});
