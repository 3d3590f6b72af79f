import type { MatchView } from '../../../contract/match.ts';
import { gapOf } from '../data/measures.ts';
import { numberText } from '../frame/format.ts';

/**
 * The proof of a match as a picture: its imbalance as a bar, and as much of it as a better match could have saved at most.
 * Priority is imbalance less the weight of the longest wait, so a gap of the one is a gap of the other.
 */
export function ProofPicture({ match }: { readonly match: MatchView }) {
  const { imbalance, teamGap, skillSpread, priority, lowerBound } = match;
  const gap = gapOf(match);
  const shown = Math.max(imbalance, gap, 1e-9);
  const part = (value: number) => (1000 * value) / shown;
  const bestAtLeast = Math.max(0, imbalance - gap);
  return (
    <>
      <p class="verdict">
        {gap === 0
          ? 'Proved best: no match possible in the pool at that moment was better.'
          : `No match possible in the pool at that moment was better by more than ${numberText(gap)}.`}
      </p>
      <svg
        class="proof"
        viewBox="0 0 1000 64"
        role="img"
        aria-label={`Imbalance ${numberText(imbalance)}; the best possible match had at least ${numberText(bestAtLeast)}`}
      >
        <rect class="proof-sure" x="0" y="14" width={part(bestAtLeast)} height="26" />
        <rect
          class="proof-gap"
          x={part(bestAtLeast)}
          y="14"
          width={part(Math.min(gap, imbalance))}
          height="26"
        />
        <line
          class="proof-bound"
          x1={Math.max(1.5, part(bestAtLeast))}
          x2={Math.max(1.5, part(bestAtLeast))}
          y1="4"
          y2="50"
        />
      </svg>
      <dl class="facts">
        <dt>Imbalance</dt>
        <dd>{numberText(imbalance)}, 0 is perfect</dd>
        <dt>of it</dt>
        <dd>
          team gap {numberText(teamGap)}, skill spread {numberText(skillSpread)}
        </dd>
        <dt>Priority</dt>
        <dd>{numberText(priority)}: the imbalance less the weight of the longest wait</dd>
        <dt>Lower bound</dt>
        <dd>{numberText(lowerBound)}: no possible match had a lower priority</dd>
        <dt>Gap</dt>
        <dd>{gap === 0 ? '0, proved' : `at most ${numberText(gap)}`}</dd>
      </dl>
    </>
  );
}
