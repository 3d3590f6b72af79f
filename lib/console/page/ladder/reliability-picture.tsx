import type { LadderOdds } from '../../../contract/ladder-views.ts';
import { drawnIn } from '../charts/drawn-in.ts';
import { at, dot } from '../charts/plot.ts';
import { PlotFrame } from '../charts/plot-frame.tsx';
import { shareText } from '../format.ts';

const TICKS = [0, 0.25, 0.5, 0.75, 1].map((part) => ({ part, text: shareText(part) }));

/** Odds against the share that has won: a dot for each bin with its interval, and the line on which both agree. */
export function ReliabilityPicture({ bins }: Pick<LadderOdds, 'bins'>) {
  const known = bins.flatMap(({ predicted, happened, low, high }) =>
    predicted === null || happened === null || low === null || high === null
      ? []
      : [{ predicted, happened, low, high }],
  );
  const words = known
    .map(({ predicted, happened }) => `${shareText(predicted)}: ${shareText(happened)} have won`)
    .join(', ');
  return (
    <div role="img" aria-label={`Odds and the share that has won. ${words}`}>
      <PlotFrame height={260} rows={TICKS} columns={TICKS}>
        <path class="line" style={drawnIn('soft')} d={`M${at(0, 0)}L${at(1, 1)}`} />
        {known.map(({ predicted, low, high }) => (
          <path
            key={predicted}
            class="line"
            style={drawnIn('accent')}
            d={`M${at(predicted, low)}L${at(predicted, high)}`}
          />
        ))}
        <path
          class="dots"
          style={drawnIn('accent')}
          d={known.map(({ predicted, happened }) => dot(predicted, happened)).join('')}
        />
      </PlotFrame>
    </div>
  );
}
