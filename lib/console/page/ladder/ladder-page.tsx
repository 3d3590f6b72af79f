import type { LadderOdds } from '../../../contract/ladder-views.ts';
import { paced } from '../data/pace.ts';
import { usePolled } from '../data/polling.ts';
import { service } from '../data/service.ts';
import { Versions } from '../definition/versions.tsx';
import { countText, shareText } from '../format.ts';
import { Card } from '../frame/card.tsx';
import { IdForm } from '../frame/id-form.tsx';
import { Absent, Page } from '../frame/page.tsx';
import { pathTo } from '../frame/router.ts';
import { Table } from '../frame/table.tsx';
import { ReliabilityPicture } from './reliability-picture.tsx';

const BEAT_MS = 5_000;
/** A request for the versions reads 50 items. */
const VERSIONS_BEAT_MS = 10_000;

/** A ladder: what the odds before its matches were worth, the way to the rating of a player, and the versions of its definition. */
export function LadderPage({ name }: { readonly name: string }) {
  const { data, error } = usePolled(
    name,
    (abort) => service.ladderOdds(name, abort),
    () => paced(BEAT_MS),
  ).value;
  return (
    <Page title={`Ladder ${name}`} trail={[]}>
      {data === undefined ? (
        <Absent what="the ladder" error={error} />
      ) : (
        <>
          <Odds odds={data} />
          <Card title="The rating of a player">
            <IdForm
              label="Player id"
              hint="Player id"
              button="Show"
              pathOf={(playerId) => pathTo('ladders', name, playerId)}
            />
          </Card>
          <LadderVersions ladder={name} />
        </>
      )}
    </Page>
  );
}

function Odds({ odds }: { readonly odds: LadderOdds }) {
  const { results, slope, logLoss, brier, alike, bins } = odds;
  if (results === 0)
    return (
      <p class="empty">
        No result has been rated yet. The odds of its matches are measured from the first result on.
      </p>
    );
  return (
    <div class="tiles">
      <Card title="Odds, and what happened">
        <ReliabilityPicture bins={bins} />
        <p class="soft">
          The share of the teams with these odds that has won. On the line, odds hold. A bar is the interval
          of 95 %.
        </p>
      </Card>
      <Card title="What they are worth">
        <p>Of {countText(results, 'rated result')}:</p>
        <Table
          head={['measure', 'odds', 'all teams alike']}
          rows={[
            ['log loss', threeDigits(logLoss), threeDigits(alike.logLoss)],
            ['Brier score', threeDigits(brier), threeDigits(alike.brier)],
          ]}
        />
        <p class="soft">
          Less is better. The ratings alone are {slope < 1 ? 'too sure' : 'not sure enough'}: Muster corrects
          them with a slope of {slope.toFixed(2)}, where 1 changes nothing.
        </p>
        <details>
          <summary>The ten bins as a table</summary>
          <Table
            head={['odds', 'teams', 'have won', '95 % interval']}
            rows={bins.map(({ from, to, count, happened, low, high }) => [
              `${shareText(from)} to ${shareText(to)}`,
              count,
              shareText(happened),
              low === null ? '–' : `${shareText(low)} to ${shareText(high)}`,
            ])}
          />
        </details>
      </Card>
    </div>
  );
}

/** The versions of the definition, and the way back to one. */
function LadderVersions({ ladder }: { readonly ladder: string }) {
  const { data } = usePolled(
    `versions ${ladder}`,
    (abort) => service.ladderVersions(ladder, abort),
    () => paced(VERSIONS_BEAT_MS),
  ).value;
  if (data === undefined) return null;
  return <Versions versions={data} restore={(version) => service.restoreLadder(ladder, version)} />;
}

const threeDigits = (value: number | null) => (value === null ? '–' : value.toFixed(3));
