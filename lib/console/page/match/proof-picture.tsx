import type { MatchView } from '../../../contract/match.ts';
import { provedGap } from '../../../contract/proved-gap.ts';
import { Bar } from '../charts/bar.tsx';
import { numberText } from '../format.ts';

/**
 * The proof of a match as a picture: its imbalance as a bar, and as much of it as a match of as long a wait could have saved
 * at most. Priority is imbalance less the weight of the longest wait, so for such a match a gap of the one is a gap of the other.
 */
export function ProofPicture({ match }: { readonly match: MatchView }) {
  const { imbalance, teamGap, skillSpread, priority, lowerBound } = match;
  const gap = provedGap(match);
  const shown = Math.max(imbalance, gap, 1e-9);
  const bestAtLeast = Math.max(0, imbalance - gap);
  return (
    <>
      <strong>
        {gap === 0
          ? 'Proved best: no match of the players in the pool at that moment was better.'
          : `No match of the players in the pool at that moment was better by more than ${numberText(gap)}.`}
      </strong>
      <div
        role="img"
        aria-label={`Imbalance ${numberText(imbalance)}; a match of as long a wait had at least ${numberText(bestAtLeast)}`}
      >
        <Bar
          height={36}
          stretches={[
            { from: 0, to: bestAtLeast / shown, colour: 'accent', thickness: 20 },
            { from: bestAtLeast / shown, to: imbalance / shown, colour: 'second', thickness: 20 },
          ]}
          marks={[bestAtLeast / shown]}
        />
      </div>
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
        <dd>{numberText(lowerBound)}: no match of these players had a lower priority</dd>
        <dt>Gap</dt>
        <dd>{gap === 0 ? '0, proved' : `at most ${numberText(gap)}`}</dd>
      </dl>
    </>
  );
}
