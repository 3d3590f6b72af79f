import { seededRandom } from 'muster/simulation';
import { describe, expect, test } from 'vitest';
import { against, atMost, measured, near, reproduction } from '../../lib/papers/finding.ts';

const random = seededRandom(1);

describe('a finding', () => {
  test('holds within three standard errors of the paper, and fails beyond', () => {
    expect(against('x', { paper: 1 }, { value: 1.29, standardError: 0.1 }).verdict).toBe('holds');
    expect(against('x', { paper: 1 }, { value: 1.31, standardError: 0.1 }).verdict).toBe('fails');
  });

  test('is corrected when it agrees with the formula derived again, and fails when it agrees with the paper', () => {
    const forms = { paper: 1, derived: 2 };
    expect(against('x', forms, { value: 2.1, standardError: 0.1 })).toMatchObject({
      ...forms,
      verdict: 'corrected',
    });
    expect(against('x', forms, { value: 1, standardError: 0.1 }).verdict).toBe('fails');
  });

  test('without a standard error may differ only by rounding', () => {
    expect(against('x', { paper: 0.3 }, { value: 0.1 + 0.2 }).verdict).toBe('holds');
    expect(against('x', { paper: 0.3 }, { value: 0.300001 }).verdict).toBe('fails');
    expect(against('x', { paper: 0.3 }, { value: Number.NaN }).verdict).toBe('fails');
  });

  test('that misses the limit is measured once more with four times the players, and the second measurement decides', () => {
    const asked: number[] = [];
    const second = measured('x', { paper: 1 }, { players: 100, random }, (players) => {
      asked.push(players);
      return { value: asked.length === 1 ? 2 : 1.1, standardError: 0.1 };
    });
    expect(asked).toEqual([100, 400]);
    expect(second).toMatchObject({ ours: 1.1, verdict: 'holds' });
    expect(second.note).toContain('measured again');
    const wrong = measured('x', { paper: 1 }, { players: 100, random }, () => ({
      value: 2,
      standardError: 0.1,
    }));
    expect(wrong.verdict).toBe('fails');
  });

  test('may be near a printed figure, or below a limit', () => {
    expect(near('x', 2, 0.05, { value: 2.09 }).verdict).toBe('holds');
    expect(near('x', 2, 0.05, { value: 2.11 }).verdict).toBe('fails');
    expect(atMost('x', 1.3, { value: 1.3 }).verdict).toBe('holds');
    expect(atMost('x', 1.3, { value: 1.31 }).verdict).toBe('fails');
    expect(atMost('x', 1.3, { value: Number.NaN }).verdict).toBe('fails');
  });

  test('that fails makes its paper fail', () => {
    const holds = near('x', 2, 0.05, { value: 2 });
    const fails = near('y', 2, 0.05, { value: 3 });
    const of = (...findings: (typeof holds)[]) =>
      reproduction('p', 's', { seed: 1, players: 1 }, [{ title: 't', findings }]).verdict;
    expect(of(holds)).toBe('holds');
    expect(of(holds, fails)).toBe('fails');
  });
});
