import { drawnIn } from '../charts/drawn-in.ts';
import { at } from '../charts/plot.ts';
import { PlotFrame } from '../charts/plot-frame.tsx';
import { paced } from '../data/pace.ts';
import { usePolled } from '../data/polling.ts';
import { service } from '../data/service.ts';
import { countText, numberText } from '../format.ts';
import { Card } from '../frame/card.tsx';
import { Absent, Page } from '../frame/page.tsx';
import { pathTo } from '../frame/router.ts';

const BEAT_MS = 5_000;
/** The room above and below the means, as a part of what they span. */
const MARGIN = 0.1;

interface RatingOf {
  readonly ladder: string;
  readonly playerId: string;
}

/** A player's rating on a ladder, and its mean after the latest matches. */
export function RatingPage({ ladder, playerId }: RatingOf) {
  const { data, error } = usePolled(
    `${ladder} ${playerId}`,
    (abort) => service.rating(ladder, playerId, abort),
    () => paced(BEAT_MS),
  ).value;
  const trail = [{ text: `Ladder ${ladder}`, href: pathTo('ladders', ladder) }];
  return (
    <Page title={playerId} trail={trail}>
      {data === undefined ? (
        <Absent what="the rating" error={error} />
      ) : (
        <Card title={`${numberText(Math.round(data.mean))} ± ${numberText(Math.round(data.deviation))}`}>
          <p class="soft">
            {data.matches === 0
              ? 'A new player, with the rating that the ladder begins with.'
              : `After ${countText(data.matches, 'rated match', 'rated matches')}, the last one ${new Date(data.updatedAt!).toLocaleString('en-GB')}. The skill is within this range with two chances in three.`}
          </p>
          {data.placement > 0 && (
            <p>
              Placement: {data.matches} of {data.matches + data.placement} played.
            </p>
          )}
          {data.recent.length > 1 && <Means recent={data.recent} />}
        </Card>
      )}
    </Page>
  );
}

/** The means match by match: a player's matches come in evenings, which a time axis would crowd. */
function Means({ recent }: { readonly recent: readonly { readonly at: string; readonly mean: number }[] }) {
  const means = recent.map(({ mean }) => mean);
  const [least, most] = [Math.min(...means), Math.max(...means)];
  const margin = MARGIN * Math.max(1, most - least);
  const [bottom, span] = [least - margin, most - least + 2 * margin];
  const up = (mean: number) => (mean - bottom) / span;
  const day = (time: string) => new Date(time).toLocaleDateString('en-GB');
  return (
    <div
      role="img"
      aria-label={`Mean after the latest ${means.length} matches: from ${numberText(means[0]!)} to ${numberText(means.at(-1)!)}`}
    >
      <PlotFrame
        height={200}
        rows={[...new Set([least, (least + most) / 2, most].map(Math.round))].map((mean) => ({
          part: up(mean),
          text: numberText(mean),
        }))}
        columns={[
          { part: 0, text: day(recent[0]!.at) },
          { part: 1, text: day(recent.at(-1)!.at) },
        ]}
      >
        <path
          class="line"
          style={drawnIn('accent')}
          d={`M${means.map((mean, match) => at(match / (means.length - 1), up(mean))).join('L')}`}
        />
      </PlotFrame>
    </div>
  );
}
