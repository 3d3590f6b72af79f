import { expect, it } from 'vitest';
import { proofText, savedAtMost } from '../../lib/console/page/data/gap.ts';
import { reasonsOf } from '../../lib/console/page/data/reasons-of.ts';
import { sentenceText } from '../../lib/console/page/format.ts';
import type { MatchView } from '../../lib/contract/match.ts';
import { definition } from '../service/definitions.ts';

it('counts reasons of a kind together, with a range for each number that differs', () => {
  const rules = definition({ teamSize: 5, release: { policy: 'greedy' } });
  const waiting = [1, 2, 3].map((skill) => ({ skill, size: 1, ageSeconds: 10 }));
  expect(reasonsOf(rules, waiting)).toEqual([
    { reason: 'A match needs 10 players; 3 are waiting.', tickets: 3 },
  ]);
  const expanding = definition({ release: { policy: 'expanding', tolerance: 1, growthPerSecond: 0.5 } });
  const apart = [
    { skill: 100, size: 1, ageSeconds: 10 },
    { skill: 200, size: 1, ageSeconds: 20 },
  ];
  const counted = reasonsOf(expanding, apart);
  expect(counted.reduce((sum, { tickets }) => sum + tickets, 0)).toBe(2);
  expect(counted).toHaveLength(1);
  expect(counted[0]!.reason).toMatch(/\d to \d/);
});

it('saves no more than the imbalance of a match', () => {
  const match = { imbalance: 187, optimal: false, priority: 100, lowerBound: -97 } as MatchView;
  expect(savedAtMost(match)).toBe(187);
  expect(savedAtMost({ ...match, lowerBound: 40 })).toBe(60);
  expect(savedAtMost({ ...match, optimal: true })).toBe(0);
});

it('calls a match proved best only where none could have had a better priority', () => {
  const match = { imbalance: 0, optimal: false, priority: -20, lowerBound: -50 } as MatchView;
  expect(savedAtMost(match)).toBe(0);
  expect(proofText(match)).toBe('within 30');
  expect(proofText({ ...match, lowerBound: -20 })).toBe('proved best');
  expect(proofText({ ...match, lowerBound: -20.003 })).toBe('within 0.003');
});

it('shows times of a reason on the clock of the reader', () => {
  expect(sentenceText(`not every ticket accepted by ${new Date().toISOString()}`)).toMatch(
    /^Not every ticket accepted by \d\d:\d\d:\d\d\.$/,
  );
});
